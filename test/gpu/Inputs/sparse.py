import triton
import triton.language as tl


@triton.jit
def once(values, places, y, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """out = values, with places, times y: one tile."""
    i, j, k = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :], tl.arange(0, K)[:, None]
    kept = tl.load(values + i * (K // 2) + tl.arange(0, K // 2)[None, :])
    where = tl.load(places + i * (K // 8) + tl.arange(0, K // 8)[None, :])
    tl.store(out + i * N + j, tl.dot_sparse(kept, where, tl.load(y + k * N + j)))
