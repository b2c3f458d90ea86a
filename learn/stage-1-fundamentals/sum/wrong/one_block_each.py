# expect: is 384, but 1000 is expected
"""No loop: each program adds its first block, and the others are forgotten."""
import triton
import triton.language as tl


@triton.jit
def sum_all(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out_ptr, tl.sum(tl.load(x_ptr + i, mask=i < n, other=0.0), axis=0))
