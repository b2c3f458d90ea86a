"""Row by row; program p owns rows p * ROWS to p * ROWS + ROWS - 1."""
import triton
import triton.language as tl


@triton.jit
def norm_backward(grad_out_ptr, x_ptr, weight_ptr, grad_x_ptr, partial_ptr, rows, columns, eps, ROWS: tl.constexpr,
                  BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    inside = c < columns
    weight = tl.load(weight_ptr + c, mask=inside, other=0.0)
    partial = tl.zeros((BLOCK, ), tl.float64)
    for row in range(tl.program_id(0) * ROWS, tl.minimum(rows, tl.program_id(0) * ROWS + ROWS)):
        x = tl.load(x_ptr + row * columns + c, mask=inside, other=0.0)
        grad_out = tl.load(grad_out_ptr + row * columns + c, mask=inside, other=0.0)
        centred = tl.where(inside, x - tl.sum(x, axis=0) / columns, 0.0)
        deviation = tl.sqrt(tl.sum(centred * centred, axis=0) / columns + eps)
        normal = centred / deviation
        scaled = grad_out * weight
        grad_x = scaled - normal * (tl.sum(scaled * normal, axis=0) / columns) - tl.sum(scaled, axis=0) / columns
        tl.store(grad_x_ptr + row * columns + c, grad_x / deviation, mask=inside)
        partial += grad_out * normal
    tl.store(partial_ptr + tl.program_id(0) * columns + c, partial, mask=inside)
