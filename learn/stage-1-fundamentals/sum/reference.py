"""The sum of n numbers, one after the other."""
import triton
import triton.language as tl


@triton.jit
def sum_all(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    total = tl.zeros((), tl.float64)
    for i in range(n):
        total += tl.load(x_ptr + i)
    tl.store(out_ptr, total)
