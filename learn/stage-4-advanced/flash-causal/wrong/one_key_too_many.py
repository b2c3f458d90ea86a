# expect: of 3072 elements, 2395 are wrong
"""The window has one key too many: keys > rows - window is right."""
import triton
import triton.language as tl


@triton.jit
def window_attention(q_ptr, k_ptr, v_ptr, out_ptr, n, window, scale, DIM: tl.constexpr, BLOCK_M: tl.constexpr,
                     BLOCK_N: tl.constexpr):
    """Query i sees keys i - window + 1 … i. Tensors are [heads, n, DIM]."""
    start = tl.program_id(1) * n * DIM
    first_row = tl.program_id(0) * BLOCK_M
    rows = first_row + tl.arange(0, BLOCK_M)
    d = tl.arange(0, DIM)
    q = tl.load(q_ptr + start + rows[:, None] * DIM + d[None, :], mask=rows[:, None] < n, other=0.0)
    largest = tl.full((BLOCK_M, ), -float("inf"), tl.float32)
    weight = tl.zeros((BLOCK_M, ), tl.float32)
    total = tl.zeros((BLOCK_M, DIM), tl.float32)
    begin = tl.maximum(first_row - window + 1, 0) // BLOCK_N * BLOCK_N
    last = tl.minimum(n, first_row + BLOCK_M)
    for first in range(begin, last, BLOCK_N):
        keys = first + tl.arange(0, BLOCK_N)
        k = tl.load(k_ptr + start + keys[:, None] * DIM + d[None, :], mask=keys[:, None] < n, other=0.0)
        seen = (keys[None, :] <= rows[:, None]) & (keys[None, :] >= rows[:, None] - window) & (keys[None, :] < n)
        s = tl.where(seen, tl.dot(q, tl.trans(k)) * scale, -float("inf"))
        now = tl.maximum(largest, tl.max(s, axis=1))
        reference = tl.where(now == -float("inf"), 0.0, now)
        shrink = tl.exp(largest - reference)
        p = tl.exp(s - reference[:, None])
        v = tl.load(v_ptr + start + keys[:, None] * DIM + d[None, :], mask=keys[:, None] < n, other=0.0)
        weight = weight * shrink + tl.sum(p, axis=1)
        total = tl.dot(p.to(v.dtype), v, total * shrink[:, None])
        largest = now
    weight = tl.where(weight == 0.0, 1.0, weight)
    tl.store(out_ptr + start + rows[:, None] * DIM + d[None, :], total / weight[:, None], mask=rows[:, None] < n)
