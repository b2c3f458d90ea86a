"""Row by row; the partial sums are those of program 0, which takes all rows."""
import triton
import triton.language as tl


@triton.jit
def layer_norm_backward(grad_out_ptr, x_ptr, weight_ptr, mean_ptr, rstd_ptr, grad_x_ptr, partial_ptr, rows, columns, programs,
                        BLOCK: tl.constexpr):
    program = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    weight = tl.load(weight_ptr + offsets, mask=inside, other=0.0)
    weight_sum = tl.zeros((BLOCK, ), tl.float64)
    bias_sum = tl.zeros((BLOCK, ), tl.float64)
    if program == 0:
        for row in range(rows):
            rstd = tl.load(rstd_ptr + row)
            x = tl.load(x_ptr + row * columns + offsets, mask=inside, other=0.0)
            grad_out = tl.load(grad_out_ptr + row * columns + offsets, mask=inside, other=0.0)
            normal = tl.where(inside, (x - tl.load(mean_ptr + row)) * rstd, 0.0)
            scaled = grad_out * weight
            grad_x = (scaled - normal * (tl.sum(scaled * normal, axis=0) / columns) - tl.sum(scaled, axis=0) / columns) * rstd
            tl.store(grad_x_ptr + row * columns + offsets, grad_x, mask=inside)
            weight_sum += grad_out * normal
            bias_sum += grad_out
    tl.store(partial_ptr + program * 2 * columns + offsets, weight_sum, mask=inside)
    tl.store(partial_ptr + program * 2 * columns + columns + offsets, bias_sum, mask=inside)


@triton.jit
def sum_partials(partial_ptr, grad_weight_ptr, grad_bias_ptr, columns, programs, BLOCK: tl.constexpr):
    for column in range(columns):
        weight_sum = tl.load(partial_ptr + column)
        bias_sum = tl.load(partial_ptr + columns + column)
        for program in range(1, programs):
            weight_sum += tl.load(partial_ptr + program * 2 * columns + column)
            bias_sum += tl.load(partial_ptr + program * 2 * columns + columns + column)
        tl.store(grad_weight_ptr + column, weight_sum)
        tl.store(grad_bias_ptr + column, bias_sum)
