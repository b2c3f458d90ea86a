"""One query after the other: maximum, sum of weights, weighted sum."""
import triton
import triton.language as tl


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, out_ptr, lse_ptr, length, scale, CAUSAL: tl.constexpr, DIM: tl.constexpr,
              BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    head = tl.program_id(1)
    d = tl.arange(0, DIM)
    for row in range(tl.program_id(0), length, tl.num_programs(0)):
        seen = row + 1 if CAUSAL else length
        q = tl.load(q_ptr + (head * length + row) * DIM + d)
        largest = tl.sum(q, axis=0) * 0.0 - float("inf")
        for key in range(seen):
            largest = tl.maximum(largest, tl.sum(q * tl.load(k_ptr + (head * length + key) * DIM + d), axis=0) * scale)
        weight = largest * 0.0
        total = tl.zeros((DIM, ), tl.float64)
        for key in range(seen):
            p = tl.exp(tl.sum(q * tl.load(k_ptr + (head * length + key) * DIM + d), axis=0) * scale - largest)
            weight += p
            total += p * tl.load(v_ptr + (head * length + key) * DIM + d)
        tl.store(out_ptr + (head * length + row) * DIM + d, total / weight)
        tl.store(lse_ptr + head * length + row, largest + tl.log(weight))
