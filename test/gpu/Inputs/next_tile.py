import triton
import triton.language as tl


@triton.jit
def product(a, b, out, K, tiles):
    """One loop over tiles and over K: a branch finds the next tile where K begins again."""
    steps = tl.cdiv(K, 32)
    rows = tl.arange(0, 64)
    depth = tl.arange(0, 32)
    step = -1
    tile = tl.program_id(0) - 8
    first = 0
    sums = tl.zeros((64, 64), tl.float32)
    for _ in range(steps * tiles):
        step = tl.where(step == steps - 1, 0, step + 1)
        if step == 0:
            tile += 8
            first = tile % 7 * 64
        at = step * 32 + depth
        x = tl.load(a + (first + rows)[:, None] * K + at[None, :])
        y = tl.load(b + at[:, None] * 64 + rows[None, :])
        sums = tl.dot(x, y, sums)
        if step == steps - 1:
            tl.store(out + (first + rows)[:, None] * 64 + rows[None, :], sums.to(out.dtype.element_ty))
            sums = tl.zeros((64, 64), tl.float32)
