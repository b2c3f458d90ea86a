# expect: two pointers cannot be added
"""Adds the addresses instead of what lies there."""
import triton
import triton.language as tl


def grid(n, BLOCK):
    return (triton.cdiv(n, BLOCK),)


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + y_ptr + i, mask=i < n), mask=i < n)
