"""One element after the other; the sums are integers."""
import triton
import triton.language as tl


@triton.jit
def int8_product(a_ptr, b_ptr, a_scale_ptr, b_scale_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                 BLOCK_K: tl.constexpr):
    if tl.program_id(0) + tl.program_id(1) == 0:
        for i in range(M * N):
            total = 0
            for k in range(K):
                total += tl.load(a_ptr + i // N * K + k).to(tl.int32) * tl.load(b_ptr + k * N + i % N).to(tl.int32)
            tl.store(c_ptr + i, total.to(tl.float64) * tl.load(a_scale_ptr + i // N) * tl.load(b_scale_ptr + i % N))
