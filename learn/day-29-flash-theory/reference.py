"""One query after the other: maximum, sum of weights, weighted sum. Any number of programs."""
import triton
import triton.language as tl


@triton.jit
def attention_two_passes(q_ptr, k_ptr, v_ptr, out_ptr, length, scale, DIM: tl.constexpr, BLOCK_M: tl.constexpr,
                         BLOCK_N: tl.constexpr):
    head = tl.program_id(1)
    d = tl.arange(0, DIM)
    for row in range(tl.program_id(0), length, tl.num_programs(0)):
        q = tl.load(q_ptr + (head * length + row) * DIM + d)
        largest = tl.sum(q, axis=0) * 0.0 - float("inf")
        for key in range(length):
            k = tl.load(k_ptr + (head * length + key) * DIM + d)
            largest = tl.maximum(largest, tl.sum(q * k, axis=0) * scale)
        weight = largest * 0.0
        total = tl.zeros((DIM, ), tl.float64)
        for key in range(length):
            k = tl.load(k_ptr + (head * length + key) * DIM + d)
            p = tl.exp(tl.sum(q * k, axis=0) * scale - largest)
            weight += p
            total += p * tl.load(v_ptr + (head * length + key) * DIM + d)
        tl.store(out_ptr + (head * length + row) * DIM + d, total / weight)
