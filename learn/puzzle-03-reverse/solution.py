"""Puzzle 3: out[i] = x[n - 1 - i]."""
import triton
import triton.language as tl


@triton.jit
def reverse(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    # The mask of the writer is that of the reader too: i < n means n - 1 - i >= 0.
    inside = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + n - 1 - offsets, mask=inside), mask=inside)
