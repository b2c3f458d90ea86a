# expect: `grad_x_ptr[4, 0]` was never written
"""A program stops after its first row, although there are more rows than programs."""
import triton
import triton.language as tl


@triton.jit
def layer_norm_backward(grad_out_ptr, x_ptr, weight_ptr, mean_ptr, rstd_ptr, grad_x_ptr, partial_ptr, rows, columns, programs,
                        BLOCK: tl.constexpr):
    """grad_x, and this program's share of the column sums in partial[program]: [0] for weight, [1] for bias."""
    program = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    weight = tl.load(weight_ptr + offsets, mask=inside, other=0.0)
    weight_sum = tl.zeros((BLOCK, ), tl.float32)
    bias_sum = tl.zeros((BLOCK, ), tl.float32)
    for row in range(program, tl.minimum(program + 1, rows)):
        x = tl.load(x_ptr + row * columns + offsets, mask=inside, other=0.0)
        grad_out = tl.load(grad_out_ptr + row * columns + offsets, mask=inside, other=0.0)
        rstd = tl.load(rstd_ptr + row)
        normal = tl.where(inside, (x - tl.load(mean_ptr + row)) * rstd, 0.0)
        scaled = grad_out * weight
        along_normal = tl.sum(scaled * normal, axis=0) / columns
        along_mean = tl.sum(scaled, axis=0) / columns
        grad_x = (scaled - normal * along_normal - along_mean) * rstd
        tl.store(grad_x_ptr + row * columns + offsets, grad_x, mask=inside)
        weight_sum += grad_out * normal
        bias_sum += grad_out
    tl.store(partial_ptr + program * 2 * columns + offsets, weight_sum, mask=inside)
    tl.store(partial_ptr + program * 2 * columns + columns + offsets, bias_sum, mask=inside)


@triton.jit
def sum_partials(partial_ptr, grad_weight_ptr, grad_bias_ptr, columns, programs, BLOCK: tl.constexpr):
    """grad_weight and grad_bias from [programs, 2, columns]."""
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    weight_sum = tl.zeros((BLOCK, ), tl.float32)
    bias_sum = tl.zeros((BLOCK, ), tl.float32)
    for program in range(programs):
        weight_sum += tl.load(partial_ptr + program * 2 * columns + offsets, mask=inside, other=0.0)
        bias_sum += tl.load(partial_ptr + program * 2 * columns + columns + offsets, mask=inside, other=0.0)
    tl.store(grad_weight_ptr + offsets, weight_sum, mask=inside)
    tl.store(grad_bias_ptr + offsets, bias_sum, mask=inside)
