# expect: written by no program
"""Without the block in its address the store has one place, which gets one sum."""
import triton
import triton.language as tl


@triton.jit
def fold(x_ptr, out_ptr, BLOCK: tl.constexpr):
    tl.store(out_ptr, tl.load(x_ptr) + tl.load(x_ptr + BLOCK))
