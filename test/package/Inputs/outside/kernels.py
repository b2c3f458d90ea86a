import triton
import triton.language as tl


@triton.jit
def blend(x_ptr, y_ptr, out_ptr, n, alpha, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    y = tl.load(y_ptr + i, mask=i < n)
    tl.store(out_ptr + i, alpha * x + y, mask=i < n)


@triton.jit
def guarded(x_ptr, int, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    tl.device_assert(int < 100, "too \"large\"")
    tl.device_print("x?", int, i)
    tl.store(x_ptr + i, x * 2)


@triton.jit
def ordered(x_ptr, COUNT: tl.constexpr):
    i = tl.arange(0, COUNT)
    tl.store(x_ptr + i, tl.sort(tl.load(x_ptr + i)))
