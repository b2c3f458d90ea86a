"""Loops of products whose slots decide how many programs share a multiprocessor, and what else they copy ahead."""
import triton
import triton.language as tl


@triton.jit
def product(a, b, out, n, stride, ROWS: tl.constexpr, COLUMNS: tl.constexpr, DEPTH: tl.constexpr):
    rows = tl.arange(0, ROWS)
    columns = tl.arange(0, COLUMNS)
    depth = tl.arange(0, DEPTH)
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    for k in range(0, n, DEPTH):
        x = tl.load(a + rows[:, None] * stride + k + depth[None, :])
        y = tl.load(b + (k + depth)[:, None] * stride + columns[None, :])
        total = tl.dot(x, y, total)
    tl.store(out + rows[:, None] * COLUMNS + columns[None, :], total)


@triton.jit
def staged(a, b, out, n, stride, SIDE: tl.constexpr, STAGES: tl.constexpr):
    """The loop says itself how many stages it has."""
    rows = tl.arange(0, SIDE)
    total = tl.zeros((SIDE, SIDE), tl.float32)
    for k in tl.range(0, n, SIDE, num_stages=STAGES):
        place = (k + rows)[:, None] * stride + rows[None, :]
        total = tl.dot(tl.load(a + place), tl.load(b + place), total)
    tl.store(out + rows[:, None] * SIDE + rows[None, :], total)


@triton.jit
def chain(a, added, b, scales, out, n, stride, SIDE: tl.constexpr):
    """A tile that a product is added to becomes an operand of the next one; a row scales what the loop carries."""
    rows = tl.arange(0, SIDE)
    state = tl.zeros((SIDE, SIDE), tl.float32)
    for k in range(0, n, SIDE):
        place = (k + rows)[:, None] * stride + rows[None, :]
        x = tl.load(a + place)
        middle = tl.load(added + place) + tl.dot(x, state.to(x.dtype))
        scale = tl.load(scales + k + rows)
        state = state * scale[:, None] + tl.dot(tl.load(b + place), middle.to(x.dtype))
    tl.store(out + rows[:, None] * SIDE + rows[None, :], state)


@triton.jit
def stored(a, b, out, n, stride, SIDE: tl.constexpr):
    """The state of each iteration is stored before the next one is read."""
    rows = tl.arange(0, SIDE)
    state = tl.zeros((SIDE, SIDE), tl.float32)
    for k in range(0, n, SIDE):
        place = (k + rows)[:, None] * stride + rows[None, :]
        tl.store(out + place, state.to(tl.bfloat16))
        state = tl.dot(tl.load(a + place), tl.load(b + place), state)


@triton.jit
def fading(a, b, scales, out, n, stride, SIDE: tl.constexpr):
    """A number that is loaded early scales what the loop carries, and no product."""
    rows = tl.arange(0, SIDE)
    state = tl.zeros((SIDE, SIDE), tl.float32)
    for k in range(0, n, SIDE):
        place = (k + rows)[:, None] * stride + rows[None, :]
        state = state * tl.load(scales + k) + tl.dot(tl.load(a + place), tl.load(b + place))
    tl.store(out + rows[:, None] * SIDE + rows[None, :], state)


@triton.jit
def attention(q, k, v, out, n, DIM: tl.constexpr, KEYS: tl.constexpr):
    """Scores, and results that are carried on: without a maximum, for few lines."""
    rows, columns, keys = tl.arange(0, 128), tl.arange(0, DIM), tl.arange(0, KEYS)
    place = rows[:, None] * DIM + columns[None, :]
    queries = tl.load(q + place)
    result = tl.zeros((128, DIM), tl.float32)
    for start in range(0, n, KEYS):
        block = (start + keys)[:, None] * DIM + columns[None, :]
        scores = tl.exp2(tl.dot(queries, tl.trans(tl.load(k + block))))
        result = tl.dot(scores.to(tl.float16), tl.load(v + block), result * 0.5)
    tl.store(out + place, result)
