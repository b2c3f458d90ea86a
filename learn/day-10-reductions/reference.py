"""The sum and the maximum of n numbers, one after the other."""
import triton
import triton.language as tl


@triton.jit
def whole(x_ptr, sum_ptr, max_ptr, n):
    total = tl.zeros((), tl.float64)
    largest = tl.load(x_ptr)
    for i in range(n):
        x = tl.load(x_ptr + i)
        total += x
        largest = tl.maximum(largest, x)
    tl.store(sum_ptr, total)
    tl.store(max_ptr, largest)
