"""Three steps, one query after the other."""
import triton
import triton.language as tl


@triton.jit
def scores(q_ptr, k_ptr, s_ptr, length, scale, DIM: tl.constexpr, BLOCK: tl.constexpr):
    head = tl.program_id(2)
    d = tl.arange(0, DIM)
    for row in range(tl.program_id(0) * BLOCK, tl.minimum(length, tl.program_id(0) * BLOCK + BLOCK)):
        for key in range(tl.program_id(1) * BLOCK, tl.minimum(length, tl.program_id(1) * BLOCK + BLOCK)):
            q = tl.load(q_ptr + (head * length + row) * DIM + d)
            k = tl.load(k_ptr + (head * length + key) * DIM + d)
            tl.store(s_ptr + (head * length + row) * length + key, tl.sum(q * k, axis=0) * scale)


@triton.jit
def softmax_rows(s_ptr, length, WIDE: tl.constexpr):
    row = s_ptr + (tl.program_id(1) * length + tl.program_id(0)) * length
    total = tl.exp(tl.load(row))
    for key in range(1, length):
        total += tl.exp(tl.load(row + key))
    for key in range(length):
        tl.store(row + key, tl.exp(tl.load(row + key)) / total)


@triton.jit
def weighted_sum(s_ptr, v_ptr, out_ptr, length, DIM: tl.constexpr, BLOCK: tl.constexpr):
    head = tl.program_id(1)
    d = tl.arange(0, DIM)
    for row in range(tl.program_id(0) * BLOCK, tl.minimum(length, tl.program_id(0) * BLOCK + BLOCK)):
        total = tl.zeros((DIM, ), tl.float64)
        for key in range(length):
            total += tl.load(s_ptr + (head * length + row) * length + key) * tl.load(v_ptr + (head * length + key) * DIM + d)
        tl.store(out_ptr + (head * length + row) * DIM + d, total)
