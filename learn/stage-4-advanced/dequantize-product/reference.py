"""One element after the other."""
import triton
import triton.language as tl


@triton.jit
def int4_product(x_ptr, packed_ptr, scale_ptr, out_ptr, M, N, K, GROUP: tl.constexpr, BLOCK_M: tl.constexpr,
                 BLOCK_N: tl.constexpr):
    if tl.program_id(0) + tl.program_id(1) == 0:
        for i in range(M * N):
            total = tl.load(x_ptr) * 0.0
            for k in range(K):
                byte = tl.load(packed_ptr + k // 2 * N + i % N).to(tl.int32)
                weight = (byte // (1 + 15 * (k % 2)) % 16 - 8).to(tl.float64)
                total += tl.load(x_ptr + i // N * K + k) * weight * tl.load(scale_ptr + k // GROUP * N + i % N)
            tl.store(out_ptr + i, total)
