"""One number after the other."""
import triton
import triton.language as tl


@triton.jit
def keep_positive(x_ptr, out_ptr, count_ptr, n, BLOCK: tl.constexpr):
    count = 0
    for i in range(n):
        x = tl.load(x_ptr + i)
        if x > 0:
            tl.store(out_ptr + count, x)
            count += 1
    tl.store(count_ptr, count)
