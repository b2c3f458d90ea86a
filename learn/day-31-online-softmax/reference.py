"""Row by row: maximum, sum, average."""
import triton
import triton.language as tl


@triton.jit
def soft_average(s_ptr, v_ptr, out_ptr, lse_ptr, rows, n, DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    d = tl.arange(0, DIM)
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        largest = tl.load(s_ptr + row * n)
        for column in range(1, n):
            largest = tl.maximum(largest, tl.load(s_ptr + row * n + column))
        weight = largest * 0.0
        total = tl.zeros((DIM, ), tl.float64)
        for column in range(n):
            p = tl.exp(tl.load(s_ptr + row * n + column) - largest)
            weight += p
            total += p * tl.load(v_ptr + column * DIM + d)
        tl.store(out_ptr + row * DIM + d, total / weight)
        tl.store(lse_ptr + row, largest + tl.log(weight))
