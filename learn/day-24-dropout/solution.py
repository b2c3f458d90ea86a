"""Day 24: drop elements by chance, where the chance is a function of seed and place."""
import triton
import triton.language as tl


@triton.jit
def dropout(x_ptr, out_ptr, n, p, seed, BLOCK: tl.constexpr):
    """out = x / (1 - p) where tl.rand(seed, offset) >= p, else 0."""
    # Places in the whole tensor: each element of each block has a chance of its own.
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside, other=0.0).to(tl.float32)
    kept = tl.rand(seed, offsets) >= p
    # Selected, not multiplied by 0: an infinite x that is dropped is 0, and not NaN.
    out = tl.where(kept, x / (1 - p), 0.0)
    tl.store(out_ptr + offsets, out.to(out_ptr.dtype.element_ty), mask=inside)
