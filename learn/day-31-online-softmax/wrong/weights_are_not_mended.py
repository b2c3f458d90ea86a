# expect: `out_ptr[1, 0]` is 0.1853
"""When the maximum grows, the sum of the weights so far has to shrink as well as the total."""
import triton
import triton.language as tl


@triton.jit
def soft_average(s_ptr, v_ptr, out_ptr, lse_ptr, rows, n, DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """out = softmax(s) @ v; lse = log(sum(exp(s))) of each row. Grid: blocks of rows."""
    r = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    d = tl.arange(0, DIM)
    largest = tl.full((BLOCK_M, ), -float("inf"), tl.float32)
    weight = tl.zeros((BLOCK_M, ), tl.float32)
    total = tl.zeros((BLOCK_M, DIM), tl.float32)
    for first in range(0, n, BLOCK_N):
        columns = first + tl.arange(0, BLOCK_N)
        s = tl.load(s_ptr + r[:, None] * n + columns[None, :], mask=(r[:, None] < rows) & (columns[None, :] < n), other=0.0)
        s = tl.where(columns[None, :] < n, s, -float("inf"))
        now = tl.maximum(largest, tl.max(s, axis=1))
        shrink = tl.exp(largest - now)
        p = tl.exp(s - now[:, None])
        v = tl.load(v_ptr + columns[:, None] * DIM + d[None, :], mask=columns[:, None] < n, other=0.0)
        weight = weight + tl.sum(p, axis=1)
        total = tl.dot(p.to(v.dtype), v, total * shrink[:, None])
        largest = now
    tl.store(out_ptr + r[:, None] * DIM + d[None, :], total / weight[:, None], mask=r[:, None] < rows)
    tl.store(lse_ptr + r, largest + tl.log(weight), mask=r < rows)
