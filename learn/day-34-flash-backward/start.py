"""Day 34: flash attention, backward. The forward kernel is finished."""
import triton
import triton.language as tl


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, out_ptr, lse_ptr, length, scale, CAUSAL: tl.constexpr, DIM: tl.constexpr,
              BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """O and lse, as on day 32. Grid: (blocks of queries, heads)."""
    start = tl.program_id(1) * length * DIM
    first_row = tl.program_id(0) * BLOCK_M
    rows = first_row + tl.arange(0, BLOCK_M)
    d = tl.arange(0, DIM)
    q = tl.load(q_ptr + start + rows[:, None] * DIM + d[None, :], mask=rows[:, None] < length, other=0.0)
    largest = tl.full((BLOCK_M, ), -float("inf"), tl.float32)
    weight = tl.zeros((BLOCK_M, ), tl.float32)
    total = tl.zeros((BLOCK_M, DIM), tl.float32)
    last = length
    if CAUSAL:
        last = tl.minimum(length, first_row + BLOCK_M)
    for first in range(0, last, BLOCK_N):
        keys = first + tl.arange(0, BLOCK_N)
        k = tl.load(k_ptr + start + keys[:, None] * DIM + d[None, :], mask=keys[:, None] < length, other=0.0)
        seen = keys[None, :] < length
        if CAUSAL:
            seen = seen & (keys[None, :] <= rows[:, None])
        s = tl.where(seen, tl.dot(q, tl.trans(k)) * scale, -float("inf"))
        now = tl.maximum(largest, tl.max(s, axis=1))
        shrink = tl.exp(largest - now)
        p = tl.exp(s - now[:, None])
        v = tl.load(v_ptr + start + keys[:, None] * DIM + d[None, :], mask=keys[:, None] < length, other=0.0)
        weight = weight * shrink + tl.sum(p, axis=1)
        total = tl.dot(p.to(v.dtype), v, total * shrink[:, None])
        largest = now
    tl.store(out_ptr + start + rows[:, None] * DIM + d[None, :], total / weight[:, None], mask=rows[:, None] < length)
    tl.store(lse_ptr + tl.program_id(1) * length + rows, largest + tl.log(weight), mask=rows < length)


@triton.jit
def row_products(out_ptr, grad_out_ptr, delta_ptr, length, DIM: tl.constexpr, BLOCK_M: tl.constexpr):
    """delta = sum(O * dO) of each row. Grid: (blocks of queries, heads)."""
    # YOUR CODE
    tl.static_assert(DIM > 0)


@triton.jit
def backward_kv(q_ptr, k_ptr, v_ptr, grad_out_ptr, lse_ptr, delta_ptr, grad_k_ptr, grad_v_ptr, length, scale,
                CAUSAL: tl.constexpr, DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """dK and dV of a block of keys. Grid: (blocks of keys, heads)."""
    # YOUR CODE
    tl.static_assert(DIM > 0)


@triton.jit
def backward_q(q_ptr, k_ptr, v_ptr, grad_out_ptr, lse_ptr, delta_ptr, grad_q_ptr, length, scale, CAUSAL: tl.constexpr,
               DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """dQ of a block of queries. Grid: (blocks of queries, heads)."""
    # YOUR CODE
    tl.static_assert(DIM > 0)
