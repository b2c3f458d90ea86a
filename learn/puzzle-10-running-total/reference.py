"""One element after the other."""
import triton
import triton.language as tl


@triton.jit
def running_total(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0) * n
    total = tl.load(x_ptr + row) * 0.0
    for i in range(n):
        total += tl.load(x_ptr + row + i)
        tl.store(out_ptr + row + i, total)
