# expect: `out_ptr[0, 0, 0]` is 0.3066
"""What is kept is not divided by 1 - drop."""
import triton
import triton.language as tl


@triton.jit
def dropped_sum(p_ptr, v_ptr, out_ptr, n, drop, seed, DIM: tl.constexpr, BLOCK: tl.constexpr):
    """A share is kept where tl.rand(seed, its place in P) >= drop, and divided by 1 - drop."""
    head = tl.program_id(1)
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    d = tl.arange(0, DIM)
    total = tl.zeros((BLOCK, DIM), tl.float32)
    for first in range(0, n, BLOCK):
        keys = first + tl.arange(0, BLOCK)
        place = (head * n + rows[:, None]) * n + keys[None, :]
        inside = (rows[:, None] < n) & (keys[None, :] < n)
        p = tl.load(p_ptr + place, mask=inside, other=0.0)
        kept = tl.where(tl.rand(seed, place) >= drop, p, 0.0)
        v = tl.load(v_ptr + (head * n + keys[:, None]) * DIM + d[None, :], mask=keys[:, None] < n, other=0.0)
        total = tl.dot(kept.to(v.dtype), v, total)
    out = total
    tl.store(out_ptr + (head * n + rows[:, None]) * DIM + d[None, :], out, mask=rows[:, None] < n)
