"""Day 33: the gradient of the queries, for rows of scores that fit."""
import triton
import triton.language as tl


@triton.jit
def query_gradient(q_ptr, k_ptr, v_ptr, grad_out_ptr, delta_ptr, grad_q_ptr, length, scale, DIM: tl.constexpr,
                   BLOCK: tl.constexpr, WIDE: tl.constexpr):
    """delta = sum(P * dP) of each row, dQ = scale * dS K; WIDE >= length. Grid: (blocks of queries, heads)."""
    start = tl.program_id(1) * length * DIM
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keys = tl.arange(0, WIDE)
    d = tl.arange(0, DIM)
    at_rows = start + rows[:, None] * DIM + d[None, :]
    at_keys = start + keys[:, None] * DIM + d[None, :]
    q = tl.load(q_ptr + at_rows, mask=rows[:, None] < length, other=0.0)
    k = tl.load(k_ptr + at_keys, mask=keys[:, None] < length, other=0.0)
    s = tl.where(keys[None, :] < length, tl.dot(q, tl.trans(k)) * scale, -float("inf"))
    p = tl.exp(s - tl.max(s, axis=1)[:, None])
    p = p / tl.sum(p, axis=1)[:, None]
    # YOUR CODE: dP, delta, dS, dQ; two stores
