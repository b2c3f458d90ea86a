# expect: of 64 elements, 64 are wrong
"""The comparison is the wrong way round: rand < p keeps those that are to be dropped."""
import triton
import triton.language as tl


@triton.jit
def dropout(x_ptr, out_ptr, n, p, seed, BLOCK: tl.constexpr):
    """out = x / (1 - p) where tl.rand(seed, offset) >= p, else 0."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside, other=0.0).to(tl.float32)
    kept = tl.rand(seed, offsets) < p
    out = tl.where(kept, x / (1 - p), 0.0)
    tl.store(out_ptr + offsets, out.to(out_ptr.dtype.element_ty), mask=inside)
