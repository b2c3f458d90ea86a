# expect: `grad_k_ptr[0, 0, 0]` is 0.0088
"""grad_s has queries down and keys across; for grad_k it has to be turned."""
import triton
import triton.language as tl


@triton.jit
def load_rows(ptr, rows, length, DIM: tl.constexpr):
    """Rows of one head, zeros past the end."""
    return tl.load(ptr + rows[:, None] * DIM + tl.arange(0, DIM)[None, :], mask=rows[:, None] < length, other=0.0)


@triton.jit
def store_rows(ptr, rows, values, length, DIM: tl.constexpr):
    tl.store(ptr + rows[:, None] * DIM + tl.arange(0, DIM)[None, :], values, mask=rows[:, None] < length)


@triton.jit
def visible(rows, keys, length, CAUSAL: tl.constexpr):
    """Which query sees which key; all kernels ask here, so that they agree."""
    seen = (rows[:, None] < length) & (keys[None, :] < length)
    if CAUSAL:
        seen = seen & (keys[None, :] <= rows[:, None])
    return seen


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, out_ptr, lse_ptr, length, scale, CAUSAL: tl.constexpr, DIM: tl.constexpr,
              BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """O and lse, as on day 32. Grid: (blocks of queries, heads)."""
    start = tl.program_id(1) * length * DIM
    first_row = tl.program_id(0) * BLOCK_M
    rows = first_row + tl.arange(0, BLOCK_M)
    q = load_rows(q_ptr + start, rows, length, DIM)
    largest = tl.full((BLOCK_M, ), -float("inf"), tl.float32)
    weight = tl.zeros((BLOCK_M, ), tl.float32)
    total = tl.zeros((BLOCK_M, DIM), tl.float32)
    last = length
    if CAUSAL:
        last = tl.minimum(length, first_row + BLOCK_M)
    for first in range(0, last, BLOCK_N):
        keys = first + tl.arange(0, BLOCK_N)
        k = load_rows(k_ptr + start, keys, length, DIM)
        v = load_rows(v_ptr + start, keys, length, DIM)
        seen = keys[None, :] < length
        if CAUSAL:
            seen = seen & (keys[None, :] <= rows[:, None])
        s = tl.where(seen, tl.dot(q, tl.trans(k)) * scale, -float("inf"))
        now = tl.maximum(largest, tl.max(s, axis=1))
        shrink = tl.exp(largest - now)
        p = tl.exp(s - now[:, None])
        weight = weight * shrink + tl.sum(p, axis=1)
        total = tl.dot(p.to(v.dtype), v, total * shrink[:, None])
        largest = now
    store_rows(out_ptr + start, rows, total / weight[:, None], length, DIM)
    tl.store(lse_ptr + tl.program_id(1) * length + rows, largest + tl.log(weight), mask=rows < length)


@triton.jit
def row_products(out_ptr, grad_out_ptr, delta_ptr, length, DIM: tl.constexpr, BLOCK_M: tl.constexpr):
    """delta = sum(O * dO) of each row. Grid: (blocks of queries, heads)."""
    start = tl.program_id(1) * length * DIM
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    out = load_rows(out_ptr + start, rows, length, DIM)
    grad_out = load_rows(grad_out_ptr + start, rows, length, DIM)
    tl.store(delta_ptr + tl.program_id(1) * length + rows, tl.sum(out * grad_out, axis=1), mask=rows < length)


@triton.jit
def backward_kv(q_ptr, k_ptr, v_ptr, grad_out_ptr, lse_ptr, delta_ptr, grad_k_ptr, grad_v_ptr, length, scale,
                CAUSAL: tl.constexpr, DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """dK and dV of a block of keys. Grid: (blocks of keys, heads)."""
    start = tl.program_id(1) * length * DIM
    first_key = tl.program_id(0) * BLOCK_N
    keys = first_key + tl.arange(0, BLOCK_N)
    k = load_rows(k_ptr + start, keys, length, DIM)
    v = load_rows(v_ptr + start, keys, length, DIM)
    grad_k = tl.zeros((BLOCK_N, DIM), tl.float32)
    grad_v = tl.zeros((BLOCK_N, DIM), tl.float32)
    begin = 0
    if CAUSAL:
        begin = first_key // BLOCK_M * BLOCK_M
    for first in range(begin, length, BLOCK_M):
        rows = first + tl.arange(0, BLOCK_M)
        q = load_rows(q_ptr + start, rows, length, DIM)
        grad_out = load_rows(grad_out_ptr + start, rows, length, DIM)
        lse = tl.load(lse_ptr + tl.program_id(1) * length + rows, mask=rows < length, other=0.0)
        delta = tl.load(delta_ptr + tl.program_id(1) * length + rows, mask=rows < length, other=0.0)
        p = tl.where(visible(rows, keys, length, CAUSAL), tl.exp(tl.dot(q, tl.trans(k)) * scale - lse[:, None]), 0.0)
        grad_v = tl.dot(tl.trans(p.to(grad_out.dtype)), grad_out, grad_v)
        grad_p = tl.dot(grad_out, tl.trans(v))
        grad_s = p * (grad_p - delta[:, None])
        grad_k = tl.dot(grad_s.to(q.dtype), q, grad_k)
    store_rows(grad_k_ptr + start, keys, grad_k * scale, length, DIM)
    store_rows(grad_v_ptr + start, keys, grad_v, length, DIM)


@triton.jit
def backward_q(q_ptr, k_ptr, v_ptr, grad_out_ptr, lse_ptr, delta_ptr, grad_q_ptr, length, scale, CAUSAL: tl.constexpr,
               DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """dQ of a block of queries. Grid: (blocks of queries, heads)."""
    start = tl.program_id(1) * length * DIM
    first_row = tl.program_id(0) * BLOCK_M
    rows = first_row + tl.arange(0, BLOCK_M)
    q = load_rows(q_ptr + start, rows, length, DIM)
    grad_out = load_rows(grad_out_ptr + start, rows, length, DIM)
    lse = tl.load(lse_ptr + tl.program_id(1) * length + rows, mask=rows < length, other=0.0)
    delta = tl.load(delta_ptr + tl.program_id(1) * length + rows, mask=rows < length, other=0.0)
    grad_q = tl.zeros((BLOCK_M, DIM), tl.float32)
    last = length
    if CAUSAL:
        last = tl.minimum(length, first_row + BLOCK_M)
    for first in range(0, last, BLOCK_N):
        keys = first + tl.arange(0, BLOCK_N)
        k = load_rows(k_ptr + start, keys, length, DIM)
        v = load_rows(v_ptr + start, keys, length, DIM)
        p = tl.where(visible(rows, keys, length, CAUSAL), tl.exp(tl.dot(q, tl.trans(k)) * scale - lse[:, None]), 0.0)
        grad_s = p * (tl.dot(grad_out, tl.trans(v)) - delta[:, None])
        grad_q = tl.dot(grad_s.to(k.dtype), k, grad_q)
    store_rows(grad_q_ptr + start, rows, grad_q * scale, length, DIM)
