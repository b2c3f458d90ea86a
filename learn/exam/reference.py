"""The theory of day 33, one query and one key after the other."""
import triton
import triton.language as tl


@triton.jit
def seen_keys(row, length_q, length_k, CAUSAL: tl.constexpr):
    return tl.minimum(length_k, row + 1 + length_k - length_q) if CAUSAL else length_k


@triton.jit
def prepare(q_ptr, k_ptr, v_ptr, grad_out_ptr, lse_ptr, delta_ptr, group, length_q, length_k, scale, CAUSAL: tl.constexpr,
            DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    head = tl.program_id(1)
    d = tl.arange(0, DIM)
    for row in range(tl.program_id(0), length_q, tl.num_programs(0)):
        q = tl.load(q_ptr + (head * length_q + row) * DIM + d)
        grad_out = tl.load(grad_out_ptr + (head * length_q + row) * DIM + d)
        largest = tl.sum(q, axis=0) * 0.0 - float("inf")
        for key in range(seen_keys(row, length_q, length_k, CAUSAL)):
            k = tl.load(k_ptr + (head // group * length_k + key) * DIM + d)
            largest = tl.maximum(largest, tl.sum(q * k, axis=0) * scale)
        weight = largest * 0.0
        delta = largest * 0.0
        for key in range(seen_keys(row, length_q, length_k, CAUSAL)):
            k = tl.load(k_ptr + (head // group * length_k + key) * DIM + d)
            p = tl.exp(tl.sum(q * k, axis=0) * scale - largest)
            weight += p
            delta += p * tl.sum(grad_out * tl.load(v_ptr + (head // group * length_k + key) * DIM + d), axis=0)
        tl.store(lse_ptr + head * length_q + row, largest + tl.log(weight))
        tl.store(delta_ptr + head * length_q + row, delta / weight)


@triton.jit
def backward_kv(q_ptr, k_ptr, v_ptr, grad_out_ptr, lse_ptr, delta_ptr, grad_k_ptr, grad_v_ptr, group, length_q, length_k,
                scale, CAUSAL: tl.constexpr, DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    d = tl.arange(0, DIM)
    for key in range(tl.program_id(0), length_k, tl.num_programs(0)):
        at_key = (tl.program_id(1) * length_k + key) * DIM + d
        k = tl.load(k_ptr + at_key)
        v = tl.load(v_ptr + at_key)
        grad_k = tl.zeros((DIM, ), tl.float64)
        grad_v = tl.zeros((DIM, ), tl.float64)
        for head in range(tl.program_id(1) * group, tl.program_id(1) * group + group):
            for row in range(length_q):
                if key < seen_keys(row, length_q, length_k, CAUSAL):
                    q = tl.load(q_ptr + (head * length_q + row) * DIM + d)
                    grad_out = tl.load(grad_out_ptr + (head * length_q + row) * DIM + d)
                    p = tl.exp(tl.sum(q * k, axis=0) * scale - tl.load(lse_ptr + head * length_q + row))
                    grad_s = p * (tl.sum(grad_out * v, axis=0) - tl.load(delta_ptr + head * length_q + row))
                    grad_v += p * grad_out
                    grad_k += grad_s * q * scale
        tl.store(grad_k_ptr + at_key, grad_k)
        tl.store(grad_v_ptr + at_key, grad_v)


@triton.jit
def backward_q(q_ptr, k_ptr, v_ptr, grad_out_ptr, lse_ptr, delta_ptr, grad_q_ptr, group, length_q, length_k, scale,
               CAUSAL: tl.constexpr, DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    head = tl.program_id(1)
    d = tl.arange(0, DIM)
    for row in range(tl.program_id(0), length_q, tl.num_programs(0)):
        q = tl.load(q_ptr + (head * length_q + row) * DIM + d)
        grad_out = tl.load(grad_out_ptr + (head * length_q + row) * DIM + d)
        grad_q = tl.zeros((DIM, ), tl.float64)
        for key in range(seen_keys(row, length_q, length_k, CAUSAL)):
            k = tl.load(k_ptr + (head // group * length_k + key) * DIM + d)
            v = tl.load(v_ptr + (head // group * length_k + key) * DIM + d)
            p = tl.exp(tl.sum(q * k, axis=0) * scale - tl.load(lse_ptr + head * length_q + row))
            grad_q += p * (tl.sum(grad_out * v, axis=0) - tl.load(delta_ptr + head * length_q + row)) * k * scale
        tl.store(grad_q_ptr + (head * length_q + row) * DIM + d, grad_q)
