import triton
import triton.language as tl


@triton.jit
def product(a, b, c, n, stride, M: tl.constexpr, OTHER: tl.constexpr):
    i, j, k = tl.arange(0, M), tl.arange(0, 64), tl.arange(0, 64)
    total = tl.zeros((M, 64), tl.float32)
    for start in range(0, n, 64):
        left = tl.load(a + i[:, None] * stride + k[None, :] + start, mask=k[None, :] < n, other=OTHER)
        right = tl.load(b + (start + k)[:, None] * stride + j[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + i[:, None] * 64 + j[None, :], total)
