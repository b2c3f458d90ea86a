"""Day 10: the sum and the maximum of n numbers, in two launches.

reduce_blocks runs with a program for each block, then reduce_parts with a single program."""
import triton
import triton.language as tl


@triton.jit
def reduce_blocks(x_ptr, sum_part_ptr, max_part_ptr, n, BLOCK: tl.constexpr):
    block = tl.program_id(0)
    offsets = block * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    # YOUR CODE: load, reduce, and store one sum and one maximum at place `block` of the parts


@triton.jit
def reduce_parts(sum_part_ptr, max_part_ptr, sum_ptr, max_ptr, parts, BLOCK_PARTS: tl.constexpr):
    offsets = tl.arange(0, BLOCK_PARTS)
    inside = offsets < parts
    # YOUR CODE: the sum of the sums goes to sum_ptr, the maximum of the maxima to max_ptr
