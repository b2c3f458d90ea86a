# expect: writes it too
"""Every program stores its part in element 0, as if the others had been added already."""
import triton
import triton.language as tl


@triton.jit
def reduce_blocks(x_ptr, sum_part_ptr, max_part_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside, other=-float("inf"))
    tl.store(max_part_ptr, tl.max(x))
    tl.store(sum_part_ptr, tl.sum(tl.where(inside, x, 0.0)))


@triton.jit
def reduce_parts(sum_part_ptr, max_part_ptr, sum_ptr, max_ptr, parts, BLOCK_PARTS: tl.constexpr):
    tl.store(sum_ptr, tl.load(sum_part_ptr))
    tl.store(max_ptr, tl.load(max_part_ptr))
