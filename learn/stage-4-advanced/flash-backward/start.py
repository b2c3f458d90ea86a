"""Flash attention, backward, in one kernel: causal, [heads, n, DIM]. `prepare` is finished."""
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
    # YOUR CODE
    tl.static_assert(DIM > 0)
