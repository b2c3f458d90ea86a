# expect: of 64 elements, 31 are wrong
"""The gradient is not masked at all: what was dropped on the way forward has no gradient."""
import triton
import triton.language as tl


@triton.jit
def is_kept(seed, offsets, p):
    """One place for the rule: forward and backward cannot disagree."""
    return tl.rand(seed, offsets) >= p


@triton.jit
def dropout_forward(x_ptr, residual_ptr, out_ptr, mask_ptr, n, p, seed, BLOCK: tl.constexpr):
    """out = residual + (x / (1 - p) where kept, else 0)."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside, other=0.0)
    residual = tl.load(residual_ptr + offsets, mask=inside, other=0.0)
    dropped = tl.where(is_kept(seed, offsets, p), x / (1 - p), 0.0)
    tl.store(out_ptr + offsets, residual + dropped, mask=inside)


@triton.jit
def dropout_backward(grad_out_ptr, grad_x_ptr, mask_ptr, n, p, seed, BLOCK: tl.constexpr):
    """grad_x = grad_out / (1 - p) where kept, else 0."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    grad_out = tl.load(grad_out_ptr + offsets, mask=inside, other=0.0)
    grad_x = grad_out / (1 - p)
    tl.store(grad_x_ptr + offsets, grad_x, mask=inside)
