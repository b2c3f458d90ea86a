# expect: out_ptr
"""v_ptr is not moved on by the head, so that all heads take the values of the first one."""
import triton
import triton.language as tl


@triton.jit
def scores(q_ptr, k_ptr, s_ptr, length, scale, DIM: tl.constexpr, BLOCK: tl.constexpr):
    """S = scale * Q K^T. Grid: (blocks of queries, blocks of keys, heads)."""
    head = tl.program_id(2)
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keys = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    d = tl.arange(0, DIM)
    q = tl.load(q_ptr + (head * length + rows[:, None]) * DIM + d[None, :], mask=rows[:, None] < length, other=0.0)
    k = tl.load(k_ptr + (head * length + keys[:, None]) * DIM + d[None, :], mask=keys[:, None] < length, other=0.0)
    s = tl.dot(q, tl.trans(k)) * scale
    inside = (rows[:, None] < length) & (keys[None, :] < length)
    tl.store(s_ptr + (head * length + rows[:, None]) * length + keys[None, :], s, mask=inside)


@triton.jit
def softmax_rows(s_ptr, length, WIDE: tl.constexpr):
    """P = softmax of S, in place. Grid: (length, heads)."""
    row = s_ptr + (tl.program_id(1) * length + tl.program_id(0)) * length
    keys = tl.arange(0, WIDE)
    s = tl.load(row + keys, mask=keys < length, other=-float("inf"))
    p = tl.exp(s - tl.max(s, axis=0))
    tl.store(row + keys, p / tl.sum(p, axis=0), mask=keys < length)


@triton.jit
def weighted_sum(s_ptr, v_ptr, out_ptr, length, DIM: tl.constexpr, BLOCK: tl.constexpr):
    """O = P V. Grid: (blocks of queries, heads)."""
    head = tl.program_id(1)
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    d = tl.arange(0, DIM)
    total = tl.zeros((BLOCK, DIM), tl.float32)
    for first in range(0, length, BLOCK):
        keys = first + tl.arange(0, BLOCK)
        inside = (rows[:, None] < length) & (keys[None, :] < length)
        p = tl.load(s_ptr + (head * length + rows[:, None]) * length + keys[None, :], mask=inside, other=0.0)
        v = tl.load(v_ptr + keys[:, None] * DIM + d[None, :], mask=keys[:, None] < length, other=0.0)
        total = tl.dot(p.to(v.dtype), v, total)
    tl.store(out_ptr + (head * length + rows[:, None]) * DIM + d[None, :], total, mask=rows[:, None] < length)
