import triton
import triton.language as tl


# A product of bytes whose columns are scaled by bytes that lie apart, as weights with a scale for each group along K are.
@triton.jit
def scaled_columns(a_ptr, b_ptr, scales_ptr, out_ptr, n, K: tl.constexpr, M: tl.constexpr, N: tl.constexpr, BLOCK: tl.constexpr, APART: tl.constexpr):
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BLOCK)
    sums = tl.zeros((M, N), tl.float32)
    for at in range(0, n):
        a = tl.load(a_ptr + i[:, None] * K + at * BLOCK + k[None, :])
        b = tl.load(b_ptr + j[None, :] * K + at * BLOCK + k[:, None])
        scales = tl.load(scales_ptr + j * APART + at)
        sums += tl.dot(a, b) * (scales.to(tl.int32) << 23).to(tl.float32, bitcast=True)[None, :]
    tl.store(out_ptr + i[:, None] * N + j[None, :], sums)
