import triton
import triton.language as tl


@triton.jit
def forward(q, k, v, out, length, D: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    """Attention of M queries to all keys."""
    rows, depth = tl.arange(0, M), tl.arange(0, D)
    keys = tl.arange(0, N)[:, None] * D + depth[None, :]
    queries = tl.load(q + rows[:, None] * D + depth[None, :])
    largest = tl.full((M, ), -float("inf"), tl.float32)
    weight = tl.zeros((M, ), tl.float32)
    total = tl.zeros((M, D), tl.float32)
    for start in range(0, length, N):
        score = tl.dot(queries, tl.trans(tl.load(k + start * D + keys)))
        now = tl.maximum(largest, tl.max(score, 1))
        p = tl.exp2(score - now[:, None])
        shrink = tl.exp2(largest - now)
        total = total * shrink[:, None]
        weight = weight * shrink + tl.sum(p, 1)
        total = tl.dot(p.to(tl.float16), tl.load(v + start * D + keys), total)
        largest = now
    tl.store(out + rows[:, None] * D + depth[None, :], (total / weight[:, None]).to(tl.float16))


@triton.jit
def gradients(q, k, v, grad_out, lse, grad_k, grad_v, length, D: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    """Of N keys and values, from all queries."""
    keys, depth = tl.arange(0, N), tl.arange(0, D)
    at = keys[:, None] * D + depth[None, :]
    some = tl.arange(0, M)[:, None] * D + depth[None, :]
    key, value = tl.load(k + at), tl.load(v + at)
    total_k, total_v = tl.zeros((N, D), tl.float32), tl.zeros((N, D), tl.float32)
    for start in range(0, length, M):
        query, gradient = tl.load(q + start * D + some), tl.load(grad_out + start * D + some)
        p = tl.exp2(tl.dot(key, tl.trans(query)) - tl.load(lse + start + tl.arange(0, M))[None, :])
        total_v += tl.dot(p.to(tl.float16), gradient)
        p *= tl.dot(value, tl.trans(gradient))
        total_k += tl.dot(p.to(tl.float16), query)
    tl.store(grad_k + at, total_k.to(tl.float16))
    tl.store(grad_v + at, total_v.to(tl.float16))
