"""Dropout whose mask comes from a seed alone: the backward pass draws the same numbers again and stores no mask."""
import triton
import triton.language as tl


@triton.jit
def dropout(x_ptr, out_ptr, n, p, seed, BLOCK: tl.constexpr, CACHE: tl.constexpr = ""):
    """Zeroes each element with probability p and scales the others by 1 / (1 - p). Also its own backward pass."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside).to(tl.float32)
    keep = tl.rand(seed, offsets) >= p
    result = tl.where(keep, x * (1 / (1 - p)), 0.0)
    tl.store(out_ptr + offsets, result.to(out_ptr.dtype.element_ty), mask=inside, cache_modifier=CACHE)
