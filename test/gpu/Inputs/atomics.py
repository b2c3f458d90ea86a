import triton
import triton.language as tl


@triton.jit
def largest(x, out, SEM: tl.constexpr):
    offsets = tl.arange(0, 32)
    tl.atomic_max(out + offsets, tl.load(x + offsets), sem=SEM)


@triton.jit
def sums(x, out, n, SEM: tl.constexpr, IS_USED: tl.constexpr):
    offsets = tl.arange(0, 1024)
    old = tl.atomic_add(out + offsets, tl.load(x + offsets), mask=offsets < n, sem=SEM)
    if IS_USED:
        tl.store(x + offsets, old)


@triton.jit
def one(out, lock, SEM: tl.constexpr):
    tl.atomic_add(out, 1.0, sem=SEM)
    tl.store(out + 1, tl.atomic_cas(lock, 0, 1, sem=SEM))


@triton.jit
def narrow_into_sums(x_ptr, sum_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.atomic_add(sum_ptr + i, tl.load(x_ptr + i).to(tl.float32), sem="relaxed")


@triton.jit
def look(state, out, SEM: tl.constexpr):
    offsets = tl.arange(0, 32)
    tl.store(out + offsets, tl.atomic_add(state + offsets, tl.zeros((32, ), tl.int64), mask=offsets < 20, sem=SEM))
    tl.store(out + 32, tl.atomic_or(state + 32, 0, sem=SEM))
