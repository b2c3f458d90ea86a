# expect: `out_ptr[0, 0, 0]` is -0.014
"""Each block is divided by the sum so far, which is not the whole one yet; divide once, behind the loop."""
import triton
import triton.language as tl


@triton.jit
def scores_of(q, k_ptr, first, length, scale, DIM: tl.constexpr, BLOCK_N: tl.constexpr):
    """The scores of a block of keys; both passes must agree on them to the last bit, so they share this."""
    keys = first + tl.arange(0, BLOCK_N)
    k = tl.load(k_ptr + keys[:, None] * DIM + tl.arange(0, DIM)[None, :], mask=keys[:, None] < length, other=0.0)
    return tl.where(keys[None, :] < length, tl.dot(q, tl.trans(k)) * scale, -float("inf"))


@triton.jit
def attention_two_passes(q_ptr, k_ptr, v_ptr, out_ptr, length, scale, DIM: tl.constexpr, BLOCK_M: tl.constexpr,
                         BLOCK_N: tl.constexpr):
    """O = softmax(scale * Q K^T) V. Grid: (blocks of queries, heads)."""
    start = tl.program_id(1) * length * DIM
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    d = tl.arange(0, DIM)
    q = tl.load(q_ptr + start + rows[:, None] * DIM + d[None, :], mask=rows[:, None] < length, other=0.0)
    largest = tl.full((BLOCK_M, ), -float("inf"), tl.float32)
    for first in range(0, length, BLOCK_N):
        s = scores_of(q, k_ptr + start, first, length, scale, DIM, BLOCK_N)
        largest = tl.maximum(largest, tl.max(s, axis=1))
    weight = tl.zeros((BLOCK_M, ), tl.float32)
    total = tl.zeros((BLOCK_M, DIM), tl.float32)
    for first in range(0, length, BLOCK_N):
        s = scores_of(q, k_ptr + start, first, length, scale, DIM, BLOCK_N)
        p = tl.exp(s - largest[:, None])
        keys = first + tl.arange(0, BLOCK_N)
        v = tl.load(v_ptr + start + keys[:, None] * DIM + d[None, :], mask=keys[:, None] < length, other=0.0)
        weight += tl.sum(p, axis=1)
        total = tl.dot((p / weight[:, None]).to(v.dtype), v, total)
    tl.store(out_ptr + start + rows[:, None] * DIM + d[None, :], total, mask=rows[:, None] < length)
