"""The product, row by row; any number of programs."""
import triton
import triton.language as tl


@triton.jit
def product(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr = 16, BLOCK_N: tl.constexpr = 16, BLOCK_K: tl.constexpr = 16):
    for row in range(tl.program_id(0), M, tl.num_programs(0)):
        for first in range(0, N, BLOCK_N):
            columns = first + tl.arange(0, BLOCK_N)
            total = tl.zeros((BLOCK_N, ), tl.float64)
            for k in range(K):
                total += tl.load(a_ptr + row * K + k) * tl.load(b_ptr + k * N + columns, mask=columns < N, other=0.0)
            tl.store(c_ptr + row * N + columns, total, mask=columns < N)
