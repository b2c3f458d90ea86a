"""Day 23: the backward pass of layer norm: everything that needs a row, while it is here."""
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
    # YOUR CODE: two blocks of sums; the loop over my rows; the two rows of partial sums


@triton.jit
def sum_partials(partial_ptr, grad_weight_ptr, grad_bias_ptr, columns, programs, BLOCK: tl.constexpr):
    """grad_weight and grad_bias from [programs, 2, columns]."""
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    # YOUR CODE
