"""One value after the other, by one program."""
import triton
import triton.language as tl


@triton.jit
def count_values(x_ptr, counts_ptr, n, BLOCK: tl.constexpr):
    if tl.program_id(0) == 0:
        for i in range(n):
            x = tl.load(x_ptr + i)
            tl.store(counts_ptr + x, tl.load(counts_ptr + x) + 1)
