"""One token after the other."""
import triton
import triton.language as tl


@triton.jit
def paged_attention(q_ptr, k_ptr, v_ptr, table_ptr, lengths_ptr, out_ptr, most, scale, DIM: tl.constexpr, PAGE: tl.constexpr):
    sequence = tl.program_id(0)
    d = tl.arange(0, DIM)
    q = tl.load(q_ptr + sequence * DIM + d)
    largest = tl.sum(q, axis=0) * 0.0 - float("inf")
    for t in range(tl.load(lengths_ptr + sequence)):
        at = (tl.load(table_ptr + sequence * most + t // PAGE) * PAGE + t % PAGE) * DIM + d
        largest = tl.maximum(largest, tl.sum(q * tl.load(k_ptr + at), axis=0) * scale)
    weight = largest * 0.0
    total = tl.zeros((DIM, ), tl.float64)
    for t in range(tl.load(lengths_ptr + sequence)):
        at = (tl.load(table_ptr + sequence * most + t // PAGE) * PAGE + t % PAGE) * DIM + d
        p = tl.exp(tl.sum(q * tl.load(k_ptr + at), axis=0) * scale - largest)
        weight += p
        total += p * tl.load(v_ptr + at)
    tl.store(out_ptr + sequence * DIM + d, total / weight)
