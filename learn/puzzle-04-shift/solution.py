"""Puzzle 4: out[(i + k) % n] = x[i]; k >= 0."""
import triton
import triton.language as tl


@triton.jit
def rotate(x_ptr, out_ptr, n, k, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    # Nothing is negative here: % means the same in C and in Python.
    tl.store(out_ptr + (offsets + k) % n, tl.load(x_ptr + offsets, mask=inside), mask=inside)
