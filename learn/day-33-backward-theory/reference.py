"""One query after the other, as the theory says it."""
import triton
import triton.language as tl


@triton.jit
def query_gradient(q_ptr, k_ptr, v_ptr, grad_out_ptr, delta_ptr, grad_q_ptr, length, scale, DIM: tl.constexpr,
                   BLOCK: tl.constexpr, WIDE: tl.constexpr):
    start = tl.program_id(1) * length * DIM
    d = tl.arange(0, DIM)
    for row in range(tl.program_id(0), length, tl.num_programs(0)):
        q = tl.load(q_ptr + start + row * DIM + d)
        grad_out = tl.load(grad_out_ptr + start + row * DIM + d)
        largest = tl.sum(q, axis=0) * 0.0 - float("inf")
        for key in range(length):
            largest = tl.maximum(largest, tl.sum(q * tl.load(k_ptr + start + key * DIM + d), axis=0) * scale)
        weight = largest * 0.0
        delta = largest * 0.0
        for key in range(length):
            p = tl.exp(tl.sum(q * tl.load(k_ptr + start + key * DIM + d), axis=0) * scale - largest)
            weight += p
            delta += p * tl.sum(grad_out * tl.load(v_ptr + start + key * DIM + d), axis=0)
        delta = delta / weight
        grad_q = tl.zeros((DIM, ), tl.float64)
        for key in range(length):
            k = tl.load(k_ptr + start + key * DIM + d)
            p = tl.exp(tl.sum(q * k, axis=0) * scale - largest) / weight
            grad_p = tl.sum(grad_out * tl.load(v_ptr + start + key * DIM + d), axis=0)
            grad_q += p * (grad_p - delta) * k * scale
        tl.store(delta_ptr + tl.program_id(1) * length + row, delta)
        tl.store(grad_q_ptr + start + row * DIM + d, grad_q)
