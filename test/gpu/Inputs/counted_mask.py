import triton
import triton.language as tl


@triton.jit
def kernel(x, out, counts, n, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    """A mask is used for a load, and counted: the reduction sees the load's layout before the load is settled, or behind it."""
    i = tl.arange(0, A)[:, None, None]
    j = tl.arange(0, B)[None, :, None]
    k = tl.arange(0, C)[None, None, :]
    mask = tl.broadcast_to(j < n, [A, B, C])
    tile = tl.load(x + i + (B - 1 - j) * A + k * (A * B), mask=mask, other=0)
    tl.store(out + (i * B + j) * C + k, tile)
    total = tl.sum(mask, axis=0)
    tl.store(counts + tl.arange(0, B)[:, None] * C + tl.arange(0, C)[None, :], total)
