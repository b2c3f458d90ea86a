"""Day 25: right, but it writes a mask and reads it again. Make it lean: `mask_ptr` is not needed."""
import triton
import triton.language as tl


@triton.jit
def dropout_forward(x_ptr, residual_ptr, out_ptr, mask_ptr, n, p, seed, BLOCK: tl.constexpr):
    """out = residual + (x / (1 - p) where kept, else 0)."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside, other=0.0)
    residual = tl.load(residual_ptr + offsets, mask=inside, other=0.0)
    kept = tl.rand(seed, offsets) >= p
    tl.store(mask_ptr + offsets, kept.to(tl.int8), mask=inside)  # YOUR CODE: without this
    tl.store(out_ptr + offsets, residual + tl.where(kept, x / (1 - p), 0.0), mask=inside)


@triton.jit
def dropout_backward(grad_out_ptr, grad_x_ptr, mask_ptr, n, p, seed, BLOCK: tl.constexpr):
    """grad_x = grad_out / (1 - p) where kept, else 0."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    grad_out = tl.load(grad_out_ptr + offsets, mask=inside, other=0.0)
    kept = tl.load(mask_ptr + offsets, mask=inside, other=0) != 0  # YOUR CODE: without this
    tl.store(grad_x_ptr + offsets, tl.where(kept, grad_out / (1 - p), 0.0), mask=inside)
