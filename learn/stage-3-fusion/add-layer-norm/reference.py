"""Row by row."""
import triton
import triton.language as tl


@triton.jit
def add_layer_norm(x_ptr, residual_ptr, weight_ptr, sum_ptr, out_ptr, rows, columns, eps, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        mean = tl.load(x_ptr) * 0.0
        for c in range(columns):
            total = tl.load(x_ptr + row * columns + c) + tl.load(residual_ptr + row * columns + c)
            tl.store(sum_ptr + row * columns + c, total)
            mean += total / columns
        variance = mean * 0.0
        for c in range(columns):
            deviation = tl.load(x_ptr + row * columns + c) + tl.load(residual_ptr + row * columns + c) - mean
            variance += deviation * deviation / columns
        for c in range(columns):
            deviation = tl.load(x_ptr + row * columns + c) + tl.load(residual_ptr + row * columns + c) - mean
            tl.store(out_ptr + row * columns + c, deviation / tl.sqrt(variance + eps) * tl.load(weight_ptr + c))
