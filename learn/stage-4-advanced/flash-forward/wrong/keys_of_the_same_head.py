# expect: `out_ptr[0, 1, 0]` is 0.0335
"""Heads that share keys lie side by side: the head of the keys is head // group."""
import triton
import triton.language as tl


@triton.jit
def capped_attention(q_ptr, k_ptr, v_ptr, out_ptr, n, heads, group, scale, cap, DIM: tl.constexpr, BLOCK_M: tl.constexpr,
                     BLOCK_N: tl.constexpr):
    """score = cap * tanh(scale * q·k / cap); head h of q meets head h // group of k and v."""
    head = tl.program_id(1)
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    d = tl.arange(0, DIM)
    stride_q = heads * DIM
    stride_k = heads // group * DIM
    at_q = rows[:, None] * stride_q + head * DIM + d[None, :]
    q = tl.load(q_ptr + at_q, mask=rows[:, None] < n, other=0.0)
    largest = tl.full((BLOCK_M, ), -float("inf"), tl.float32)
    weight = tl.zeros((BLOCK_M, ), tl.float32)
    total = tl.zeros((BLOCK_M, DIM), tl.float32)
    for first in range(0, n, BLOCK_N):
        keys = first + tl.arange(0, BLOCK_N)
        at_k = keys[:, None] * stride_k + head % (heads // group) * DIM + d[None, :]
        k = tl.load(k_ptr + at_k, mask=keys[:, None] < n, other=0.0)
        bent = cap * (2.0 * tl.sigmoid(2.0 * tl.dot(q, tl.trans(k)) * scale / cap) - 1.0)
        s = tl.where(keys[None, :] < n, bent, -float("inf"))
        now = tl.maximum(largest, tl.max(s, axis=1))
        shrink = tl.exp(largest - now)
        p = tl.exp(s - now[:, None])
        v = tl.load(v_ptr + at_k, mask=keys[:, None] < n, other=0.0)
        weight = weight * shrink + tl.sum(p, axis=1)
        total = tl.dot(p.to(v.dtype), v, total * shrink[:, None])
        largest = now
    tl.store(out_ptr + at_q, (total / weight[:, None]).to(tl.float16), mask=rows[:, None] < n)
