import triton
import triton.language as tl


@triton.jit
def masked_product(q_ptr, v_ptr, weights_ptr, out_ptr, N: tl.constexpr):
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    q, v = tl.load(q_ptr + i * N + j), tl.load(v_ptr + i * N + j)
    weights = tl.where(i > j, tl.dot(q, tl.trans(q)), 0).to(q.dtype)
    tl.store(weights_ptr + i * N + j, weights)
    tl.store(out_ptr + i * N + j, tl.dot(weights, v))
