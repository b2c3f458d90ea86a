import triton
import triton.language as tl


@triton.jit
def negate(x):
    return -x


@triton.jit
def arguments(out_ptr, flag, whole, real, nothing, DTYPE: tl.constexpr, NAME: tl.constexpr, FN: tl.constexpr, PAIR: tl.constexpr):
    tl.store(out_ptr, flag.to(tl.float32))
    tl.store(out_ptr + 1, whole.to(tl.float32))
    tl.store(out_ptr + 2, real)
    if nothing is None:
        tl.store(out_ptr + 3, 1.0)
    if DTYPE == tl.float16:
        tl.store(out_ptr + 4, 16.0)
    if NAME == "relu":
        tl.store(out_ptr + 5, FN(real))
    tl.store(out_ptr + 6, PAIR[0] + PAIR[1])
