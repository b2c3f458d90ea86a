import triton
import triton.language as tl


@triton.jit
def product(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    left = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    right = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
    out = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    sums = tl.zeros([BM, BN], tl.float32)
    for k in range(0, K, BK):
        sums = tl.dot(left.load([0, k]), right.load([k, 0]), sums)
    out.store([0, 0], sums.to(tl.float16))
