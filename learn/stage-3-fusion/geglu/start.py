"""out = gelu(gate) * up made again, and the gradients by gate and up. Grid: (rows, blocks of n)."""
import triton
import triton.language as tl


@triton.jit
def geglu_backward(grad_out_ptr, x_ptr, out_ptr, grad_x_ptr, n, BLOCK: tl.constexpr):
    """x and grad_x: rows of n gates and then n ups."""
    row = tl.program_id(0)
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    # YOUR CODE
