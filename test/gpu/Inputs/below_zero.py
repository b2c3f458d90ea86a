import triton
import triton.language as tl


@triton.jit
def below(x_ptr, y_ptr, z_ptr, START: tl.constexpr):
    i = tl.arange(0, 128)
    tl.store(y_ptr + i, (i + START) // 2)
    tl.store(z_ptr + i, tl.load(x_ptr + 128 + (i + START) % 32))


@triton.jit
def wrapped(y_ptr):
    i = tl.arange(0, 256)
    tl.store(y_ptr + i, i.to(tl.int8).to(tl.int32) // 2)


@triton.jit
def of_sizes(x_ptr, y_ptr, columns, n, IS_DIVISOR: tl.constexpr, IS_ASSUMED: tl.constexpr):
    row = tl.program_id(0)
    if IS_DIVISOR:
        row = row // (columns * 4)
    if IS_ASSUMED:
        tl.assume(columns >= 0)
    i = row * columns * 128 + tl.arange(0, 128)
    tl.store(y_ptr + tl.arange(0, 128), tl.load(x_ptr + i % n))


@triton.jit
def put_together(x_ptr, y_ptr, columns, n):
    pid = tl.program_id(0)
    row, column = tl.swizzle2d(pid // columns, pid % columns, n, columns, 8)
    tl.store(y_ptr + tl.arange(0, 128), tl.load(x_ptr + (row * 128 + tl.arange(0, 128)) % n) + column)
