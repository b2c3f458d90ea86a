# expect: `out_ptr[0]` is -0.383
"""Each block is reversed in its own place; the first block has to come last as well."""
import triton
import triton.language as tl


@triton.jit
def reverse(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + tl.program_id(0) * BLOCK + BLOCK - 1 - tl.arange(0, BLOCK), mask=inside), mask=inside)
