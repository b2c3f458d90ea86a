"""Three loops over each row."""
import triton
import triton.language as tl


@triton.jit
def layer_norm(x_ptr, weight_ptr, bias_ptr, out_ptr, mean_ptr, rstd_ptr, rows, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    mean = tl.load(x_ptr + row * columns) * 0.0
    for column in range(columns):
        mean += tl.load(x_ptr + row * columns + column) / columns
    variance = mean * 0.0
    for column in range(columns):
        deviation = tl.load(x_ptr + row * columns + column) - mean
        variance += deviation * deviation / columns
    rstd = 1.0 / tl.sqrt(variance + eps)
    for column in range(columns):
        normal = (tl.load(x_ptr + row * columns + column) - mean) * rstd
        tl.store(out_ptr + row * columns + column, normal * tl.load(weight_ptr + column) + tl.load(bias_ptr + column))
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)
