# expect: is 134, but 6 is expected
"""BLOCK is added outside of the parentheses: to the values instead of the addresses. Numbers that count up hide it."""
import triton
import triton.language as tl


@triton.jit
def fold(x_ptr, out_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    first = tl.load(x_ptr + offsets)
    second = tl.load(x_ptr + offsets) + BLOCK
    tl.store(out_ptr + offsets, first + second)
