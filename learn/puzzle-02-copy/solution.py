"""Puzzle 2: out = x."""
import triton
import triton.language as tl


@triton.jit
def copy(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    # Lanes past the end are neither read nor written, so it does not matter what they hold.
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=inside), mask=inside)
