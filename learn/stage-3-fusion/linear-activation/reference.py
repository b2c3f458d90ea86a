"""One element after the other."""
import triton
import triton.language as tl


@triton.jit
def linear(x_ptr, w_ptr, bias_ptr, out_ptr, M, N, K, ACTIVATION: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
           BLOCK_K: tl.constexpr):
    if tl.program_id(0) + tl.program_id(1) == 0:
        for i in range(M * N):
            y = tl.load(bias_ptr + i % N)
            for k in range(K):
                y += tl.load(x_ptr + i // N * K + k) * tl.load(w_ptr + i % N * K + k)
            if ACTIVATION == "relu":
                y = tl.maximum(y, 0.0)
            elif ACTIVATION == "silu":
                y = y / (1.0 + tl.exp(-y))
            tl.store(out_ptr + i, y)
