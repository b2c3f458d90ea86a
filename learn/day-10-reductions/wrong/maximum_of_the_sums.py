# expect: is -312, but -3 is expected
"""The second kernel reduces the parts of the sum twice."""
import triton
import triton.language as tl


@triton.jit
def reduce_blocks(x_ptr, sum_part_ptr, max_part_ptr, n, BLOCK: tl.constexpr):
    block = tl.program_id(0)
    offsets = block * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside, other=-float("inf"))
    tl.store(max_part_ptr + block, tl.max(x))
    tl.store(sum_part_ptr + block, tl.sum(tl.where(inside, x, 0.0)))


@triton.jit
def reduce_parts(sum_part_ptr, max_part_ptr, sum_ptr, max_ptr, parts, BLOCK_PARTS: tl.constexpr):
    offsets = tl.arange(0, BLOCK_PARTS)
    inside = offsets < parts
    sums = tl.load(sum_part_ptr + offsets, mask=inside, other=0.0)
    tl.store(sum_ptr, tl.sum(sums))
    tl.store(max_ptr, tl.max(tl.where(inside, sums, -float("inf"))))
