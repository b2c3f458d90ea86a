# expect: `grad_q_ptr[0, 0, 0]` is 0.189
"""Delta lies along the keys instead of standing beside its queries: with 16 of both nobody complains."""
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
    grad_out = tl.load(grad_out_ptr + at_rows, mask=rows[:, None] < length, other=0.0)
    v = tl.load(v_ptr + at_keys, mask=keys[:, None] < length, other=0.0)
    grad_p = tl.dot(grad_out, tl.trans(v))
    delta = tl.sum(p * grad_p, axis=1)
    grad_s = p * (grad_p - delta)
    grad_q = tl.dot(grad_s.to(k.dtype), k) * scale
    tl.store(delta_ptr + tl.program_id(1) * length + rows, delta, mask=rows < length)
    tl.store(grad_q_ptr + at_rows, grad_q, mask=rows[:, None] < length)
