"""One query and one key after the other; program 0 of a head does it."""
import triton
import triton.language as tl


@triton.jit
def prepare(q_ptr, k_ptr, v_ptr, grad_out_ptr, lse_ptr, delta_ptr, n, scale, DIM: tl.constexpr, BLOCK_M: tl.constexpr,
            BLOCK_N: tl.constexpr):
    start = tl.program_id(1) * n * DIM
    d = tl.arange(0, DIM)
    for row in range(tl.program_id(0), n, tl.num_programs(0)):
        q = tl.load(q_ptr + start + row * DIM + d)
        grad_out = tl.load(grad_out_ptr + start + row * DIM + d)
        weight = tl.sum(q, axis=0) * 0.0
        delta = weight
        for key in range(row + 1):
            p = tl.exp(tl.sum(q * tl.load(k_ptr + start + key * DIM + d), axis=0) * scale)
            weight += p
            delta += p * tl.sum(grad_out * tl.load(v_ptr + start + key * DIM + d), axis=0)
        tl.store(lse_ptr + tl.program_id(1) * n + row, tl.log(weight))
        tl.store(delta_ptr + tl.program_id(1) * n + row, delta / weight)


@triton.jit
def backward(q_ptr, k_ptr, v_ptr, grad_out_ptr, lse_ptr, delta_ptr, grad_q_ptr, grad_k_ptr, grad_v_ptr, n, scale,
             DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    start = tl.program_id(1) * n * DIM
    d = tl.arange(0, DIM)
    if tl.program_id(0) == 0:
        for key in range(n):
            k = tl.load(k_ptr + start + key * DIM + d)
            v = tl.load(v_ptr + start + key * DIM + d)
            grad_k = tl.zeros((DIM, ), tl.float64)
            grad_v = tl.zeros((DIM, ), tl.float64)
            for row in range(key, n):
                q = tl.load(q_ptr + start + row * DIM + d)
                grad_out = tl.load(grad_out_ptr + start + row * DIM + d)
                p = tl.exp(tl.sum(q * k, axis=0) * scale - tl.load(lse_ptr + tl.program_id(1) * n + row))
                grad_s = p * (tl.sum(grad_out * v, axis=0) - tl.load(delta_ptr + tl.program_id(1) * n + row)) * scale
                grad_v += p * grad_out
                grad_k += grad_s * q
                at = grad_q_ptr + start + row * DIM + d
                tl.store(at, tl.load(at) + grad_s * k)
            tl.store(grad_k_ptr + start + key * DIM + d, grad_k)
            tl.store(grad_v_ptr + start + key * DIM + d, grad_v)
