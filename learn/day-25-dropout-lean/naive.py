"""Right, and a mask of n bytes travels to memory and back."""
import triton
import triton.language as tl


@triton.jit
def dropout_forward(x_ptr, residual_ptr, out_ptr, mask_ptr, n, p, seed, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside, other=0.0)
    residual = tl.load(residual_ptr + offsets, mask=inside, other=0.0)
    kept = tl.rand(seed, offsets) >= p
    tl.store(mask_ptr + offsets, kept.to(tl.int8), mask=inside)
    tl.store(out_ptr + offsets, residual + tl.where(kept, x / (1 - p), 0.0), mask=inside)


@triton.jit
def dropout_backward(grad_out_ptr, grad_x_ptr, mask_ptr, n, p, seed, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    grad_out = tl.load(grad_out_ptr + offsets, mask=inside, other=0.0)
    kept = tl.load(mask_ptr + offsets, mask=inside, other=0) != 0
    tl.store(grad_x_ptr + offsets, tl.where(kept, grad_out / (1 - p), 0.0), mask=inside)
