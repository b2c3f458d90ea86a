# expect: is 1896, but 1000 is expected
"""The total so far is added in every iteration: early blocks are counted again and again."""
import triton
import triton.language as tl


@triton.jit
def sum_all(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for block in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
        i = block * BLOCK + lanes
        total += tl.load(x_ptr + i, mask=i < n, other=0.0)
        tl.atomic_add(out_ptr, tl.sum(total, axis=0))
