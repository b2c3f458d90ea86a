"""One element after the other."""
import triton
import triton.language as tl


@triton.jit
def products(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    batch = tl.program_id(1)
    for i in range(tl.program_id(0), M * N, tl.num_programs(0)):
        total = tl.load(a_ptr) * 0.0
        for k in range(K):
            total += tl.load(a_ptr + (batch * M + i // N) * K + k) * tl.load(b_ptr + (batch * K + k) * N + i % N)
        tl.store(c_ptr + batch * M * N + i, total)
