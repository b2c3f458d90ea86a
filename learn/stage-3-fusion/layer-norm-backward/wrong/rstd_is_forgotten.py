# expect: `grad_x_ptr[0, 0]` is 0.1259
"""The gradient of x is not multiplied by 1 / sqrt(variance + eps)."""
import triton
import triton.language as tl


@triton.jit
def norm_backward(grad_out_ptr, x_ptr, weight_ptr, grad_x_ptr, partial_ptr, rows, columns, eps, ROWS: tl.constexpr,
                  BLOCK: tl.constexpr):
    """grad_x, and in partial[program] the program's share of the gradient of weight."""
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    c = tl.arange(0, BLOCK)[None, :]
    inside = (r < rows) & (c < columns)
    x = tl.load(x_ptr + r * columns + c, mask=inside, other=0.0)
    grad_out = tl.load(grad_out_ptr + r * columns + c, mask=inside, other=0.0)
    weight = tl.load(weight_ptr + c, mask=c < columns, other=0.0)
    mean = tl.sum(x, axis=1)[:, None] / columns
    centred = tl.where(c < columns, x - mean, 0.0)
    rstd = 1.0 / tl.sqrt(tl.sum(centred * centred, axis=1)[:, None] / columns + eps)
    normal = centred * rstd
    scaled = grad_out * weight
    along_normal = tl.sum(scaled * normal, axis=1)[:, None] / columns
    along_mean = tl.sum(scaled, axis=1)[:, None] / columns
    tl.store(grad_x_ptr + r * columns + c, (scaled - normal * along_normal - along_mean), mask=inside)
    columns_of_tile = tl.arange(0, BLOCK)
    partial = tl.sum(grad_out * normal, axis=0)
    tl.store(partial_ptr + tl.program_id(0) * columns + columns_of_tile, partial, mask=columns_of_tile < columns)
