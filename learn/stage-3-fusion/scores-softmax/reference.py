"""One query after the other."""
import triton
import triton.language as tl


@triton.jit
def causal_shares(q_ptr, k_ptr, p_ptr, n, scale, DIM: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    head = tl.program_id(1)
    d = tl.arange(0, DIM)
    for row in range(tl.program_id(0), n, tl.num_programs(0)):
        q = tl.load(q_ptr + (head * n + row) * DIM + d)
        total = tl.sum(q, axis=0) * 0.0
        for key in range(row + 1):
            total += tl.exp(tl.sum(q * tl.load(k_ptr + (head * n + key) * DIM + d), axis=0) * scale)
        for key in range(n):
            p = tl.exp(tl.sum(q * tl.load(k_ptr + (head * n + key) * DIM + d), axis=0) * scale) / total
            tl.store(p_ptr + (head * n + row) * n + key, tl.where(key <= row, p, 0.0))
