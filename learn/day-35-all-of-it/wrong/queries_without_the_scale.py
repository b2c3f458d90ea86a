# expect: `grad_q_ptr[0, 0, 0]` is 0.0265
"""grad_q is stored without the scale of the scores."""
import triton
import triton.language as tl


@triton.jit
def load_rows(ptr, rows, length, DIM: tl.constexpr):
    """Rows of one head, zeros past the end."""
    return tl.load(ptr + rows[:, None] * DIM + tl.arange(0, DIM)[None, :], mask=rows[:, None] < length, other=0.0)


@triton.jit
def store_rows(ptr, rows, values, length, DIM: tl.constexpr):
    """Sums are fp32; what is stored has the tensor's type."""
    at = ptr + rows[:, None] * DIM + tl.arange(0, DIM)[None, :]
    tl.store(at, values.to(ptr.dtype.element_ty), mask=rows[:, None] < length)


@triton.jit
def visible(rows, keys, length, CAUSAL: tl.constexpr):
    """Which query sees which key. A row past the end sees every key that is there: that keeps its maximum finite."""
    seen = (rows[:, None] >= 0) & (keys[None, :] < length)
    if CAUSAL:
        seen = seen & (keys[None, :] <= rows[:, None])
    return seen


@triton.jit
def end_of_keys(first_row, length, CAUSAL: tl.constexpr, BLOCK_M: tl.constexpr):
    if CAUSAL:
        return tl.minimum(length, first_row + BLOCK_M)
    else:
        return length


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, out_ptr, lse_ptr, group, length, scale, CAUSAL: tl.constexpr, DIM: tl.constexpr,
              BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Grid: (blocks of queries, heads)."""
    head = tl.program_id(1)
    first_row = tl.program_id(0) * BLOCK_M
    rows = first_row + tl.arange(0, BLOCK_M)
    shared = head // group * length * DIM
    q = load_rows(q_ptr + head * length * DIM, rows, length, DIM)
    largest = tl.full((BLOCK_M, ), -float("inf"), tl.float32)
    weight = tl.zeros((BLOCK_M, ), tl.float32)
    total = tl.zeros((BLOCK_M, DIM), tl.float32)
    for first in range(0, end_of_keys(first_row, length, CAUSAL, BLOCK_M), BLOCK_N):
        keys = first + tl.arange(0, BLOCK_N)
        k = load_rows(k_ptr + shared, keys, length, DIM)
        v = load_rows(v_ptr + shared, keys, length, DIM)
        s = tl.where(visible(rows, keys, length, CAUSAL), tl.dot(q, tl.trans(k)) * scale, -float("inf"))
        now = tl.maximum(largest, tl.max(s, axis=1))
        shrink = tl.exp(largest - now)
        p = tl.exp(s - now[:, None])
        weight = weight * shrink + tl.sum(p, axis=1)
        total = tl.dot(p.to(v.dtype), v, total * shrink[:, None])
        largest = now
    store_rows(out_ptr + head * length * DIM, rows, total / weight[:, None], length, DIM)
    tl.store(lse_ptr + head * length + rows, largest + tl.log(weight), mask=rows < length)


@triton.jit
def row_products(out_ptr, grad_out_ptr, delta_ptr, length, DIM: tl.constexpr, BLOCK_M: tl.constexpr):
    """delta = sum(O * dO). Grid: (blocks of queries, heads)."""
    start = tl.program_id(1) * length * DIM
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    out = load_rows(out_ptr + start, rows, length, DIM).to(tl.float32)
    grad_out = load_rows(grad_out_ptr + start, rows, length, DIM).to(tl.float32)
    tl.store(delta_ptr + tl.program_id(1) * length + rows, tl.sum(out * grad_out, axis=1), mask=rows < length)


@triton.jit
def weights_and_slopes(q, k, v, grad_out, rows, keys, lse, delta, length, scale, CAUSAL: tl.constexpr):
    """P and dS of a block, from what the forward pass kept of a row: its lse, and delta. Both kernels need both."""
    s = tl.dot(q, tl.trans(k)) * scale
    p = tl.where(visible(rows, keys, length, CAUSAL), tl.exp(s - lse[:, None]), 0.0)
    return p, p * (tl.dot(grad_out, tl.trans(v)) - delta[:, None])


@triton.jit
def backward_kv(q_ptr, k_ptr, v_ptr, grad_out_ptr, lse_ptr, delta_ptr, grad_k_ptr, grad_v_ptr, group, length, scale,
                CAUSAL: tl.constexpr, DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Grid: (blocks of keys, heads // group)."""
    first_key = tl.program_id(0) * BLOCK_N
    keys = first_key + tl.arange(0, BLOCK_N)
    shared = tl.program_id(1) * length * DIM
    k = load_rows(k_ptr + shared, keys, length, DIM)
    v = load_rows(v_ptr + shared, keys, length, DIM)
    grad_k = tl.zeros((BLOCK_N, DIM), tl.float32)
    grad_v = tl.zeros((BLOCK_N, DIM), tl.float32)
    begin = 0
    if CAUSAL:
        begin = first_key // BLOCK_M * BLOCK_M
    for member in range(group):
        head = tl.program_id(1) * group + member
        for first in range(begin, length, BLOCK_M):
            rows = first + tl.arange(0, BLOCK_M)
            q = load_rows(q_ptr + head * length * DIM, rows, length, DIM)
            grad_out = load_rows(grad_out_ptr + head * length * DIM, rows, length, DIM)
            lse = tl.load(lse_ptr + head * length + rows, mask=rows < length, other=0.0)
            delta = tl.load(delta_ptr + head * length + rows, mask=rows < length, other=0.0)
            p, grad_s = weights_and_slopes(q, k, v, grad_out, rows, keys, lse, delta, length, scale, CAUSAL)
            grad_v = tl.dot(tl.trans(p.to(grad_out.dtype)), grad_out, grad_v)
            grad_k = tl.dot(tl.trans(grad_s.to(q.dtype)), q, grad_k)
    store_rows(grad_k_ptr + shared, keys, grad_k * scale, length, DIM)
    store_rows(grad_v_ptr + shared, keys, grad_v, length, DIM)


@triton.jit
def backward_q(q_ptr, k_ptr, v_ptr, grad_out_ptr, lse_ptr, delta_ptr, grad_q_ptr, group, length, scale,
               CAUSAL: tl.constexpr, DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Grid: (blocks of queries, heads)."""
    head = tl.program_id(1)
    first_row = tl.program_id(0) * BLOCK_M
    rows = first_row + tl.arange(0, BLOCK_M)
    shared = head // group * length * DIM
    q = load_rows(q_ptr + head * length * DIM, rows, length, DIM)
    grad_out = load_rows(grad_out_ptr + head * length * DIM, rows, length, DIM)
    lse = tl.load(lse_ptr + head * length + rows, mask=rows < length, other=0.0)
    delta = tl.load(delta_ptr + head * length + rows, mask=rows < length, other=0.0)
    grad_q = tl.zeros((BLOCK_M, DIM), tl.float32)
    for first in range(0, end_of_keys(first_row, length, CAUSAL, BLOCK_M), BLOCK_N):
        keys = first + tl.arange(0, BLOCK_N)
        k = load_rows(k_ptr + shared, keys, length, DIM)
        v = load_rows(v_ptr + shared, keys, length, DIM)
        p, grad_s = weights_and_slopes(q, k, v, grad_out, rows, keys, lse, delta, length, scale, CAUSAL)
        grad_q = tl.dot(grad_s.to(k.dtype), k, grad_q)
    store_rows(grad_q_ptr + head * length * DIM, rows, grad_q, length, DIM)
