import triton
import triton.language as tl


@triton.jit
def norms(x, y):
    rows, columns = tl.arange(0, 32)[:, None], tl.arange(0, 16)
    values = tl.load(x + rows * 16 + columns[None, :])
    tl.store(y + columns, tl.sqrt(tl.sum(values * values, 0)))


@triton.jit
def shares(x, y):
    rows, columns = tl.arange(0, 32)[:, None], tl.arange(0, 16)[None, :]
    values = tl.load(x + rows * 16 + columns)
    tl.store(y + rows * 16 + columns, values - tl.sum(values, 0)[None, :])


@triton.jit
def any_of(x, y):
    tl.store(y, tl.reduce_or((tl.load(x + tl.arange(0, 2048)) != 0).to(tl.int8), 0))
