"""The theory of day 33, one query and one key after the other."""
import triton
import triton.language as tl


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, out_ptr, lse_ptr, group, length, scale, CAUSAL: tl.constexpr, DIM: tl.constexpr,
              BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    head = tl.program_id(1)
    head_k = head // group
    d = tl.arange(0, DIM)
    for row in range(tl.program_id(0), length, tl.num_programs(0)):
        seen = row + 1 if CAUSAL else length
        q = tl.load(q_ptr + (head * length + row) * DIM + d)
        largest = tl.sum(q, axis=0) * 0.0 - float("inf")
        for key in range(seen):
            largest = tl.maximum(largest, tl.sum(q * tl.load(k_ptr + (head_k * length + key) * DIM + d), axis=0) * scale)
        weight = largest * 0.0
        total = tl.zeros((DIM, ), tl.float64)
        for key in range(seen):
            p = tl.exp(tl.sum(q * tl.load(k_ptr + (head_k * length + key) * DIM + d), axis=0) * scale - largest)
            weight += p
            total += p * tl.load(v_ptr + (head_k * length + key) * DIM + d)
        tl.store(out_ptr + (head * length + row) * DIM + d, total / weight)
        tl.store(lse_ptr + head * length + row, largest + tl.log(weight))


@triton.jit
def row_products(out_ptr, grad_out_ptr, delta_ptr, length, DIM: tl.constexpr, BLOCK_M: tl.constexpr):
    d = tl.arange(0, DIM)
    for row in range(tl.program_id(0), length, tl.num_programs(0)):
        at = (tl.program_id(1) * length + row) * DIM + d
        tl.store(delta_ptr + tl.program_id(1) * length + row, tl.sum(tl.load(out_ptr + at) * tl.load(grad_out_ptr + at), axis=0))


@triton.jit
def backward_kv(q_ptr, k_ptr, v_ptr, grad_out_ptr, lse_ptr, delta_ptr, grad_k_ptr, grad_v_ptr, group, length, scale,
                CAUSAL: tl.constexpr, DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    d = tl.arange(0, DIM)
    for key in range(tl.program_id(0), length, tl.num_programs(0)):
        at_key = (tl.program_id(1) * length + key) * DIM + d
        k = tl.load(k_ptr + at_key)
        v = tl.load(v_ptr + at_key)
        grad_k = tl.zeros((DIM, ), tl.float64)
        grad_v = tl.zeros((DIM, ), tl.float64)
        for head in range(tl.program_id(1) * group, tl.program_id(1) * group + group):
            for row in range(key if CAUSAL else 0, length):
                q = tl.load(q_ptr + (head * length + row) * DIM + d)
                grad_out = tl.load(grad_out_ptr + (head * length + row) * DIM + d)
                p = tl.exp(tl.sum(q * k, axis=0) * scale - tl.load(lse_ptr + head * length + row))
                grad_s = p * (tl.sum(grad_out * v, axis=0) - tl.load(delta_ptr + head * length + row))
                grad_v += p * grad_out
                grad_k += grad_s * q * scale
        tl.store(grad_k_ptr + at_key, grad_k)
        tl.store(grad_v_ptr + at_key, grad_v)


@triton.jit
def backward_q(q_ptr, k_ptr, v_ptr, grad_out_ptr, lse_ptr, delta_ptr, grad_q_ptr, group, length, scale, CAUSAL: tl.constexpr,
               DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    head = tl.program_id(1)
    head_k = head // group
    d = tl.arange(0, DIM)
    for row in range(tl.program_id(0), length, tl.num_programs(0)):
        q = tl.load(q_ptr + (head * length + row) * DIM + d)
        grad_out = tl.load(grad_out_ptr + (head * length + row) * DIM + d)
        grad_q = tl.zeros((DIM, ), tl.float64)
        for key in range(row + 1 if CAUSAL else length):
            k = tl.load(k_ptr + (head_k * length + key) * DIM + d)
            v = tl.load(v_ptr + (head_k * length + key) * DIM + d)
            p = tl.exp(tl.sum(q * k, axis=0) * scale - tl.load(lse_ptr + head * length + row))
            grad_q += p * (tl.sum(grad_out * v, axis=0) - tl.load(delta_ptr + head * length + row)) * k * scale
        tl.store(grad_q_ptr + (head * length + row) * DIM + d, grad_q)
