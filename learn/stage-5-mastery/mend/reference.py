"""One column after the other."""
import triton
import triton.language as tl


@triton.jit
def centre_columns(x_ptr, out_ptr, rows, columns, BLOCK_R: tl.constexpr, BLOCK_C: tl.constexpr):
    for c in range(tl.program_id(0), columns, tl.num_programs(0)):
        mean = tl.load(x_ptr + c) * 0.0
        for r in range(rows):
            mean += tl.load(x_ptr + r * columns + c) / rows
        for r in range(rows):
            tl.store(out_ptr + r * columns + c, tl.load(x_ptr + r * columns + c) - mean)
