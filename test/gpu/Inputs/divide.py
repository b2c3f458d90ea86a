import triton
import triton.language as tl


@triton.jit
def by_scalar(ptr, number):
    at = ptr + tl.arange(0, 64)
    tl.store(at, tl.load(at) / number)


@triton.jit
def by_scalar_exactly(ptr, number):
    at = ptr + tl.arange(0, 64)
    tl.store(at, tl.div_rn(tl.load(at), number))


@triton.jit
def by_tile(ptr, number):
    at = ptr + tl.arange(0, 64)
    x = tl.load(at)
    tl.store(at, number / x)


@triton.jit
def of_program(ptr, columns):
    """In 64 bits, of what 32 hold."""
    program = tl.program_id(0).to(tl.int64)
    row, column = program // columns, program % columns
    tl.store(ptr + row * 1024 + column * 64 + tl.arange(0, 64), 1.0)


@triton.jit
def by_extent(ptr, columns):
    at = tl.program_id(0) * 64 + tl.arange(0, 64)
    tl.store(ptr + at // columns * 1024 + at % columns, 1.0)


@triton.jit
def by_constants(ptr):
    at = tl.program_id(0) * 64 + tl.arange(0, 64)
    tl.store(ptr + at // 49 % 256, 1.0)


@triton.jit
def rest_alone(ptr, columns):
    at = tl.program_id(0) * 64 + tl.arange(0, 64)
    tl.store(ptr + at % columns, 1.0)
