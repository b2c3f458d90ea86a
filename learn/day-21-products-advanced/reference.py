"""One element after the other; program 0 does it all."""
import triton
import triton.language as tl


@triton.jit
def experts(a_ptr, b_ptr, c_ptr, lengths_ptr, groups, capacity, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
            BLOCK_K: tl.constexpr):
    if tl.program_id(0) == 0:
        for row in range(groups * capacity):
            group = row // capacity
            inside = row % capacity < tl.load(lengths_ptr + group)
            for first in range(0, N, BLOCK_N):
                columns = first + tl.arange(0, BLOCK_N)
                total = tl.zeros((BLOCK_N, ), tl.float64)
                for k in range(K):
                    a = tl.load(a_ptr + row * K + k, mask=inside, other=0.0)
                    total += a * tl.load(b_ptr + (group * K + k) * N + columns, mask=columns < N, other=0.0)
                tl.store(c_ptr + row * N + columns, total, mask=columns < N)
