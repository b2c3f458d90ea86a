"""A tile of which one warp's threads would hold a thousand elements each."""
import triton
import triton.language as tl


@triton.jit
def running_sum(x_ptr, y_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.cumsum(tl.load(x_ptr + i)))


@triton.jit
def sums_of_rows(x_ptr, w_ptr, y_ptr, rows, N: tl.constexpr):
    columns = tl.arange(0, N)
    w = tl.load(w_ptr + columns).to(tl.float32)
    total, squares = tl.zeros([N], tl.float32), tl.zeros([N], tl.float32)
    for row in range(rows):
        x = tl.load(x_ptr + row * N + columns).to(tl.float32)
        total += x * w
        squares += x * x * tl.sum(x * w)
    tl.store(y_ptr + columns, total)
    tl.store(y_ptr + N + columns, squares)


@triton.jit
def recurrence(x_ptr, y_ptr, rows, K: tl.constexpr, V: tl.constexpr):
    state = tl.zeros([K, V], tl.float32)
    k, v = tl.arange(0, K), tl.arange(0, V)
    for row in range(rows):
        x = tl.load(x_ptr + row * (K + V) + k)
        state = state * 0.5 + x[:, None] * tl.load(x_ptr + row * (K + V) + K + v)[None, :]
        tl.store(y_ptr + row * V + v, tl.sum(state * x[:, None], 0))
