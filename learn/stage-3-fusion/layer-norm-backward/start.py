"""The backward pass of layer norm from x alone. Grid: blocks of ROWS rows."""
import triton
import triton.language as tl


@triton.jit
def norm_backward(grad_out_ptr, x_ptr, weight_ptr, grad_x_ptr, partial_ptr, rows, columns, eps, ROWS: tl.constexpr,
                  BLOCK: tl.constexpr):
    """grad_x, and in partial[program] the program's share of the gradient of weight."""
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    c = tl.arange(0, BLOCK)[None, :]
    # YOUR CODE
