# expect: `out_ptr[0, 0, 0]` is 0.1672
"""The maximum is taken over the queries (axis 0) instead of over the keys of a query (axis 1)."""
import triton
import triton.language as tl


@triton.jit
def attention_row(q_ptr, k_ptr, v_ptr, out_ptr, scratch_ptr, length, scale, DIM: tl.constexpr, BLOCK: tl.constexpr,
                  WIDE: tl.constexpr):
    """O = softmax(scale * Q K^T) V; WIDE >= length. Grid: (blocks of queries, heads)."""
    head = tl.program_id(1)
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keys = tl.arange(0, WIDE)
    d = tl.arange(0, DIM)
    start = head * length * DIM
    q = tl.load(q_ptr + start + rows[:, None] * DIM + d[None, :], mask=rows[:, None] < length, other=0.0)
    k = tl.load(k_ptr + start + keys[:, None] * DIM + d[None, :], mask=keys[:, None] < length, other=0.0)
    s = tl.dot(q, tl.trans(k)) * scale
    s = tl.where(keys[None, :] < length, s, -float("inf"))
    p = tl.exp(s - tl.max(s, axis=0)[None, :])
    v = tl.load(v_ptr + start + keys[:, None] * DIM + d[None, :], mask=keys[:, None] < length, other=0.0)
    out = tl.dot(p.to(v.dtype), v) / tl.sum(p, axis=1)[:, None]
    tl.store(out_ptr + start + rows[:, None] * DIM + d[None, :], out, mask=rows[:, None] < length)
