# expect: `grad_k_ptr[0, 0, 0]` is -0.020
"""Only the first head of a group gives its part to the gradients of the shared keys and values."""
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
def visible(rows, keys, length_q, length_k, CAUSAL: tl.constexpr):
    """The last query is beside the last key."""
    seen = (rows[:, None] >= 0) & (keys[None, :] < length_k)
    if CAUSAL:
        seen = seen & (keys[None, :] <= rows[:, None] + (length_k - length_q))
    return seen


@triton.jit
def end_of_keys(first_row, length_q, length_k, CAUSAL: tl.constexpr, BLOCK_M: tl.constexpr):
    """Keys from here on are seen by no query of the block."""
    if CAUSAL:
        return tl.minimum(length_k, first_row + BLOCK_M + (length_k - length_q))
    else:
        return length_k


@triton.jit
def weights_and_slopes(q, k, v, grad_out, rows, keys, lse, delta, length_q, length_k, scale, CAUSAL: tl.constexpr):
    """P and dS of a block of scores."""
    s = tl.dot(q, tl.trans(k)) * scale
    p = tl.where(visible(rows, keys, length_q, length_k, CAUSAL), tl.exp(s - lse[:, None]), 0.0)
    return p, p * (tl.dot(grad_out, tl.trans(v)) - delta[:, None])


@triton.jit
def prepare(q_ptr, k_ptr, v_ptr, grad_out_ptr, lse_ptr, delta_ptr, group, length_q, length_k, scale, CAUSAL: tl.constexpr,
            DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """The forward pass, whose result stays in registers: only lse and delta are kept."""
    head = tl.program_id(1)
    first_row = tl.program_id(0) * BLOCK_M
    rows = first_row + tl.arange(0, BLOCK_M)
    shared = head // group * length_k * DIM
    q = load_rows(q_ptr + head * length_q * DIM, rows, length_q, DIM)
    largest = tl.full((BLOCK_M, ), -float("inf"), tl.float32)
    weight = tl.zeros((BLOCK_M, ), tl.float32)
    total = tl.zeros((BLOCK_M, DIM), tl.float32)
    for first in range(0, end_of_keys(first_row, length_q, length_k, CAUSAL, BLOCK_M), BLOCK_N):
        keys = first + tl.arange(0, BLOCK_N)
        k = load_rows(k_ptr + shared, keys, length_k, DIM)
        v = load_rows(v_ptr + shared, keys, length_k, DIM)
        s = tl.where(visible(rows, keys, length_q, length_k, CAUSAL), tl.dot(q, tl.trans(k)) * scale, -float("inf"))
        now = tl.maximum(largest, tl.max(s, axis=1))
        shrink = tl.exp(largest - now)
        p = tl.exp(s - now[:, None])
        weight = weight * shrink + tl.sum(p, axis=1)
        total = tl.dot(p.to(v.dtype), v, total * shrink[:, None])
        largest = now
    grad_out = load_rows(grad_out_ptr + head * length_q * DIM, rows, length_q, DIM)
    delta = tl.sum(total / weight[:, None] * grad_out, axis=1)
    tl.store(lse_ptr + head * length_q + rows, largest + tl.log(weight), mask=rows < length_q)
    tl.store(delta_ptr + head * length_q + rows, delta, mask=rows < length_q)


@triton.jit
def backward_kv(q_ptr, k_ptr, v_ptr, grad_out_ptr, lse_ptr, delta_ptr, grad_k_ptr, grad_v_ptr, group, length_q, length_k,
                scale, CAUSAL: tl.constexpr, DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    first_key = tl.program_id(0) * BLOCK_N
    keys = first_key + tl.arange(0, BLOCK_N)
    shared = tl.program_id(1) * length_k * DIM
    k = load_rows(k_ptr + shared, keys, length_k, DIM)
    v = load_rows(v_ptr + shared, keys, length_k, DIM)
    grad_k = tl.zeros((BLOCK_N, DIM), tl.float32)
    grad_v = tl.zeros((BLOCK_N, DIM), tl.float32)
    begin = 0
    if CAUSAL:
        begin = tl.maximum(first_key - (length_k - length_q), 0) // BLOCK_M * BLOCK_M
    for member in range(1):
        head = tl.program_id(1) * group + member
        for first in range(begin, length_q, BLOCK_M):
            rows = first + tl.arange(0, BLOCK_M)
            q = load_rows(q_ptr + head * length_q * DIM, rows, length_q, DIM)
            grad_out = load_rows(grad_out_ptr + head * length_q * DIM, rows, length_q, DIM)
            lse = tl.load(lse_ptr + head * length_q + rows, mask=rows < length_q, other=0.0)
            delta = tl.load(delta_ptr + head * length_q + rows, mask=rows < length_q, other=0.0)
            p, grad_s = weights_and_slopes(q, k, v, grad_out, rows, keys, lse, delta, length_q, length_k, scale, CAUSAL)
            grad_v = tl.dot(tl.trans(p.to(grad_out.dtype)), grad_out, grad_v)
            grad_k = tl.dot(tl.trans(grad_s.to(q.dtype)), q, grad_k)
    store_rows(grad_k_ptr + shared, keys, grad_k * scale, length_k, DIM)
    store_rows(grad_v_ptr + shared, keys, grad_v, length_k, DIM)


@triton.jit
def backward_q(q_ptr, k_ptr, v_ptr, grad_out_ptr, lse_ptr, delta_ptr, grad_q_ptr, group, length_q, length_k, scale,
               CAUSAL: tl.constexpr, DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    head = tl.program_id(1)
    first_row = tl.program_id(0) * BLOCK_M
    rows = first_row + tl.arange(0, BLOCK_M)
    shared = head // group * length_k * DIM
    q = load_rows(q_ptr + head * length_q * DIM, rows, length_q, DIM)
    grad_out = load_rows(grad_out_ptr + head * length_q * DIM, rows, length_q, DIM)
    lse = tl.load(lse_ptr + head * length_q + rows, mask=rows < length_q, other=0.0)
    delta = tl.load(delta_ptr + head * length_q + rows, mask=rows < length_q, other=0.0)
    grad_q = tl.zeros((BLOCK_M, DIM), tl.float32)
    for first in range(0, end_of_keys(first_row, length_q, length_k, CAUSAL, BLOCK_M), BLOCK_N):
        keys = first + tl.arange(0, BLOCK_N)
        k = load_rows(k_ptr + shared, keys, length_k, DIM)
        v = load_rows(v_ptr + shared, keys, length_k, DIM)
        p, grad_s = weights_and_slopes(q, k, v, grad_out, rows, keys, lse, delta, length_q, length_k, scale, CAUSAL)
        grad_q = tl.dot(grad_s.to(k.dtype), k, grad_q)
    store_rows(grad_q_ptr + head * length_q * DIM, rows, grad_q * scale, length_q, DIM)
