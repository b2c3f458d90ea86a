import triton
import triton.language as tl


def nest(x, f):
    for i in range(60):
        x = f(x)
    return x


class Thing:
    pass


T = nest(0, lambda x: (x, x))
A = nest(0, lambda x: [x, {1: x}])
own = Thing()
own.one = own.two = own


@triton.jit
def tuples(x, Z: tl.constexpr = T):
    tl.store(x, len(Z))


@triton.jit
def lists(x, Z: tl.constexpr = A):
    tl.store(x, 1 if Z else 0)


@triton.jit
def itself(x, Z: tl.constexpr = own):
    tl.store(x, 1 if Z else 0)


@triton.jit
def reads(x):
    tl.store(x, 1 if A else 0)
