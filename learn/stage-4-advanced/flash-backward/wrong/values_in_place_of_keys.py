# expect: `grad_q_ptr[0, 1, 0]` is -0.541
"""The gradient of q comes through the keys: grad_s times k, not times v."""
import triton
import triton.language as tl


@triton.jit
def prepare(q_ptr, k_ptr, v_ptr, grad_out_ptr, lse_ptr, delta_ptr, n, scale, DIM: tl.constexpr, BLOCK_M: tl.constexpr,
            BLOCK_N: tl.constexpr):
    """lse and delta of each query. Grid: (blocks of queries, heads)."""
    start = tl.program_id(1) * n * DIM
    first_row = tl.program_id(0) * BLOCK_M
    rows = first_row + tl.arange(0, BLOCK_M)
    d = tl.arange(0, DIM)
    q = tl.load(q_ptr + start + rows[:, None] * DIM + d[None, :], mask=rows[:, None] < n, other=0.0)
    largest = tl.full((BLOCK_M, ), -float("inf"), tl.float32)
    weight = tl.zeros((BLOCK_M, ), tl.float32)
    total = tl.zeros((BLOCK_M, DIM), tl.float32)
    for first in range(0, tl.minimum(n, first_row + BLOCK_M), BLOCK_N):
        keys = first + tl.arange(0, BLOCK_N)
        k = tl.load(k_ptr + start + keys[:, None] * DIM + d[None, :], mask=keys[:, None] < n, other=0.0)
        v = tl.load(v_ptr + start + keys[:, None] * DIM + d[None, :], mask=keys[:, None] < n, other=0.0)
        seen = (keys[None, :] < n) & (keys[None, :] <= rows[:, None])
        s = tl.where(seen, tl.dot(q, tl.trans(k)) * scale, -float("inf"))
        now = tl.maximum(largest, tl.max(s, axis=1))
        shrink = tl.exp(largest - now)
        p = tl.exp(s - now[:, None])
        weight = weight * shrink + tl.sum(p, axis=1)
        total = tl.dot(p.to(v.dtype), v, total * shrink[:, None])
        largest = now
    grad_out = tl.load(grad_out_ptr + start + rows[:, None] * DIM + d[None, :], mask=rows[:, None] < n, other=0.0)
    delta = tl.sum(total / weight[:, None] * grad_out, axis=1)
    tl.store(lse_ptr + tl.program_id(1) * n + rows, largest + tl.log(weight), mask=rows < n)
    tl.store(delta_ptr + tl.program_id(1) * n + rows, delta, mask=rows < n)


@triton.jit
def backward(q_ptr, k_ptr, v_ptr, grad_out_ptr, lse_ptr, delta_ptr, grad_q_ptr, grad_k_ptr, grad_v_ptr, n, scale,
             DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """dK, dV, and shares of dQ, which starts at zero. Grid: (blocks of keys, heads)."""
    start = tl.program_id(1) * n * DIM
    first_key = tl.program_id(0) * BLOCK_N
    keys = first_key + tl.arange(0, BLOCK_N)
    d = tl.arange(0, DIM)
    at_keys = start + keys[:, None] * DIM + d[None, :]
    k = tl.load(k_ptr + at_keys, mask=keys[:, None] < n, other=0.0)
    v = tl.load(v_ptr + at_keys, mask=keys[:, None] < n, other=0.0)
    grad_k = tl.zeros((BLOCK_N, DIM), tl.float32)
    grad_v = tl.zeros((BLOCK_N, DIM), tl.float32)
    for first in range(first_key // BLOCK_M * BLOCK_M, n, BLOCK_M):
        rows = first + tl.arange(0, BLOCK_M)
        at_rows = start + rows[:, None] * DIM + d[None, :]
        q = tl.load(q_ptr + at_rows, mask=rows[:, None] < n, other=0.0)
        grad_out = tl.load(grad_out_ptr + at_rows, mask=rows[:, None] < n, other=0.0)
        lse = tl.load(lse_ptr + tl.program_id(1) * n + rows, mask=rows < n, other=0.0)
        delta = tl.load(delta_ptr + tl.program_id(1) * n + rows, mask=rows < n, other=0.0)
        seen = (keys[None, :] < n) & (keys[None, :] <= rows[:, None])
        p = tl.where(seen, tl.exp(tl.dot(q, tl.trans(k)) * scale - lse[:, None]), 0.0)
        grad_v = tl.dot(tl.trans(p.to(grad_out.dtype)), grad_out, grad_v)
        grad_s = (p * (tl.dot(grad_out, tl.trans(v)) - delta[:, None])).to(q.dtype)
        grad_k = tl.dot(tl.trans(grad_s), q, grad_k)
        tl.atomic_add(grad_q_ptr + at_rows, tl.dot(grad_s, v) * scale, mask=rows[:, None] < n, sem="relaxed")
    tl.store(grad_k_ptr + at_keys, grad_k * scale, mask=keys[:, None] < n)
    tl.store(grad_v_ptr + at_keys, grad_v, mask=keys[:, None] < n)
