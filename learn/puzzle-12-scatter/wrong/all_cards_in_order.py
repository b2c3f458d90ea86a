# expect: `out_ptr[0, 1]` is 0.5327
"""The cards are put down in order instead of being dealt in turn."""
import triton
import triton.language as tl


@triton.jit
def deal(x_ptr, out_ptr, n, hands, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    card = tl.load(x_ptr + i, mask=i < n)
    tl.store(out_ptr + i, card, mask=i < n)
