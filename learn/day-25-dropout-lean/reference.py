"""One element after the other; the random numbers are those of the language, all else is float64."""
import triton
import triton.language as tl


@triton.jit
def dropout_forward(x_ptr, residual_ptr, out_ptr, mask_ptr, n, p, seed, BLOCK: tl.constexpr):
    for lane in range(BLOCK):
        place = tl.program_id(0) * BLOCK + lane + tl.arange(0, 1)
        x = tl.load(x_ptr + place, mask=place < n, other=0.0)
        residual = tl.load(residual_ptr + place, mask=place < n, other=0.0)
        tl.store(out_ptr + place, residual + tl.where(tl.rand(seed, place) >= p, x / (1 - p.to(tl.float64)), 0.0), mask=place < n)


@triton.jit
def dropout_backward(grad_out_ptr, grad_x_ptr, mask_ptr, n, p, seed, BLOCK: tl.constexpr):
    for lane in range(BLOCK):
        place = tl.program_id(0) * BLOCK + lane + tl.arange(0, 1)
        grad_out = tl.load(grad_out_ptr + place, mask=place < n, other=0.0)
        tl.store(grad_x_ptr + place, tl.where(tl.rand(seed, place) >= p, grad_out / (1 - p.to(tl.float64)), 0.0), mask=place < n)
