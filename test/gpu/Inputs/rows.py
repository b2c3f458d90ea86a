import triton
import triton.language as tl


@triton.jit
def masked_twice(x, out, n, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    row = tl.load(x + columns, columns < n, 0.0)
    tl.store(out + columns, tl.where(columns < n, tl.exp(row.to(tl.float32)), 0.0))


@triton.jit
def sum_in_blocks(x, out, n, BLOCK: tl.constexpr):
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, n, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        total += tl.load(x + columns, columns < n, 0.0)
    tl.store(out, tl.sum(total))


@triton.jit
def scale_rows(x, out, rows, stride, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        tl.store(out + row * stride + columns, 2 * tl.load(x + row * stride + columns))


@triton.jit
def copy_row(x, out, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at))
