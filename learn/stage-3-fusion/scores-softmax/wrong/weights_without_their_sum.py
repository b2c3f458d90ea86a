# expect: `p_ptr[0, 1, 0]` is 0.4465
"""The exponentials are not divided by their sum."""
import triton
import triton.language as tl


@triton.jit
def causal_shares(q_ptr, k_ptr, p_ptr, n, scale, DIM: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    """WIDE >= n; query i sees keys 0 … i; the rest of P is 0."""
    head = tl.program_id(1)
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keys = tl.arange(0, WIDE)
    d = tl.arange(0, DIM)
    q = tl.load(q_ptr + (head * n + rows[:, None]) * DIM + d[None, :], mask=rows[:, None] < n, other=0.0)
    k = tl.load(k_ptr + (head * n + keys[:, None]) * DIM + d[None, :], mask=keys[:, None] < n, other=0.0)
    s = tl.where(keys[None, :] <= rows[:, None], tl.dot(q, tl.trans(k)) * scale, -float("inf"))
    weight = tl.exp(s - tl.max(s, axis=1)[:, None])
    p = weight
    inside = (rows[:, None] < n) & (keys[None, :] < n)
    tl.store(p_ptr + (head * n + rows[:, None]) * n + keys[None, :], p.to(tl.float16), mask=inside)
