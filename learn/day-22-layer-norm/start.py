"""Day 22: normalize each row."""
import triton
import triton.language as tl


@triton.jit
def layer_norm(x_ptr, weight_ptr, bias_ptr, out_ptr, mean_ptr, rstd_ptr, rows, columns, eps, BLOCK: tl.constexpr):
    """out = (x - mean) * rstd * weight + bias, row by row; mean and rstd are kept. One program a row, BLOCK >= columns."""
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    x = tl.load(x_ptr + row * columns + offsets, mask=inside, other=0.0).to(tl.float32)
    # YOUR CODE: mean, deviations, rstd; then weight and bias; three stores
