# expect: each is 4 times what is expected
"""The scores are not multiplied by the scale."""
import triton
import triton.language as tl


@triton.jit
def looks_at(q_ptr, k_ptr, largest_ptr, where_ptr, q_stride_b, q_stride_h, q_stride_s, k_stride_b, k_stride_h, k_stride_s,
             heads, group, length_q, length_k, scale, DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """largest and where: [batch, heads, length_q]. Head h of q meets head h // group of k. Grid: (blocks of queries, batch * heads)."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    d = tl.arange(0, DIM)
    batch = (tl.program_id(1) // heads).to(tl.int64)
    head = (tl.program_id(1) % heads).to(tl.int64)
    q_ptr += batch * q_stride_b + head * q_stride_h
    k_ptr += batch * k_stride_b + head // group * k_stride_h
    q = tl.load(q_ptr + rows[:, None] * q_stride_s + d[None, :], mask=rows[:, None] < length_q, other=0.0)
    largest = tl.full((BLOCK_M, ), -float("inf"), tl.float32)
    where = tl.zeros((BLOCK_M, ), tl.int32)
    for first in range(0, length_k, BLOCK_N):
        keys = first + tl.arange(0, BLOCK_N)
        k = tl.load(k_ptr + keys[:, None] * k_stride_s + d[None, :], mask=keys[:, None] < length_k, other=0.0)
        s = tl.where(keys[None, :] < length_k, tl.dot(q, tl.trans(k)), -float("inf"))
        best = tl.max(s, axis=1)
        where = tl.where(best > largest, first + tl.argmax(s, axis=1), where)
        largest = tl.maximum(largest, best)
    at = tl.program_id(1) * length_q + rows
    tl.store(largest_ptr + at, largest, mask=rows < length_q)
    tl.store(where_ptr + at, where, mask=rows < length_q)
