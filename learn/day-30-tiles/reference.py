"""One query and one key after the other."""
import triton
import triton.language as tl


@triton.jit
def looks_at(q_ptr, k_ptr, largest_ptr, where_ptr, q_stride_b, q_stride_h, q_stride_s, k_stride_b, k_stride_h, k_stride_s,
             heads, group, length_q, length_k, scale, DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    batch = tl.program_id(1) // heads
    head = tl.program_id(1) % heads
    d = tl.arange(0, DIM)
    for row in range(tl.program_id(0) * BLOCK_M, tl.minimum(length_q, tl.program_id(0) * BLOCK_M + BLOCK_M)):
        q = tl.load(q_ptr + batch * q_stride_b + head * q_stride_h + row * q_stride_s + d)
        largest = tl.sum(q, axis=0) * 0.0 - float("inf")
        where = 0
        for key in range(length_k):
            s = tl.sum(q * tl.load(k_ptr + batch * k_stride_b + head // group * k_stride_h + key * k_stride_s + d), axis=0) * scale
            if s > largest:
                largest = s
                where = key
        tl.store(largest_ptr + tl.program_id(1) * length_q + row, largest)
        tl.store(where_ptr + tl.program_id(1) * length_q + row, where)
