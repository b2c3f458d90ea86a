"""One query after the other."""
import triton
import triton.language as tl


@triton.jit
def window_attention(q_ptr, k_ptr, v_ptr, out_ptr, n, window, scale, DIM: tl.constexpr, BLOCK_M: tl.constexpr,
                     BLOCK_N: tl.constexpr):
    start = tl.program_id(1) * n * DIM
    d = tl.arange(0, DIM)
    for row in range(tl.program_id(0), n, tl.num_programs(0)):
        q = tl.load(q_ptr + start + row * DIM + d)
        weight = tl.sum(q, axis=0) * 0.0
        total = tl.zeros((DIM, ), tl.float64)
        for key in range(tl.maximum(row - window + 1, 0), row + 1):
            p = tl.exp(tl.sum(q * tl.load(k_ptr + start + key * DIM + d), axis=0) * scale)
            weight += p
            total += p * tl.load(v_ptr + start + key * DIM + d)
        tl.store(out_ptr + start + row * DIM + d, total / weight)
