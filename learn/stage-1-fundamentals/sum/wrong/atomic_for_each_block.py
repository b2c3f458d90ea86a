# expect: atomic additions
"""Right, but memory is asked once for each block instead of once for each program."""
import triton
import triton.language as tl


@triton.jit
def sum_all(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    for block in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
        i = block * BLOCK + lanes
        tl.atomic_add(out_ptr, tl.sum(tl.load(x_ptr + i, mask=i < n, other=0.0), axis=0))
