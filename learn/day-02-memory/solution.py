"""Fold x in half, out[i] = x[i] + x[i + BLOCK]."""
import triton
import triton.language as tl


@triton.jit
def fold(x_ptr, out_ptr, BLOCK: tl.constexpr):
    # The places inside a half are the same for both loads and for the store.
    offsets = tl.arange(0, BLOCK)
    first = tl.load(x_ptr + offsets)
    # The second half begins BLOCK elements further on: BLOCK is added to the address, not to the value.
    second = tl.load(x_ptr + BLOCK + offsets)
    tl.store(out_ptr + offsets, first + second)
