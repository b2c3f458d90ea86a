# expect: is 0, but -3 is expected
"""Missing lanes are 0, for the maximum as well: among negative numbers a 0 that is not there wins."""
import triton
import triton.language as tl


@triton.jit
def reduce_blocks(x_ptr, sum_part_ptr, max_part_ptr, n, BLOCK: tl.constexpr):
    block = tl.program_id(0)
    offsets = block * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    tl.store(max_part_ptr + block, tl.max(x))
    tl.store(sum_part_ptr + block, tl.sum(x))


@triton.jit
def reduce_parts(sum_part_ptr, max_part_ptr, sum_ptr, max_ptr, parts, BLOCK_PARTS: tl.constexpr):
    offsets = tl.arange(0, BLOCK_PARTS)
    inside = offsets < parts
    tl.store(sum_ptr, tl.sum(tl.load(sum_part_ptr + offsets, mask=inside, other=0.0)))
    tl.store(max_ptr, tl.max(tl.load(max_part_ptr + offsets, mask=inside, other=-float("inf"))))
