# expect: `out_ptr[0, 0]` is 0.5327
"""Cards of one round lie side by side; side by side are to be the cards of one player."""
import triton
import triton.language as tl


@triton.jit
def deal(x_ptr, out_ptr, n, hands, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    card = tl.load(x_ptr + i, mask=i < n)
    tl.store(out_ptr + i // hands * hands + (hands - 1 - i % hands), card, mask=i < n)
