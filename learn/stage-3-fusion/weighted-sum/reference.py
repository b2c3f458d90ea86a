"""One share after the other; random numbers are those of the language."""
import triton
import triton.language as tl


@triton.jit
def dropped_sum(p_ptr, v_ptr, out_ptr, n, drop, seed, DIM: tl.constexpr, BLOCK: tl.constexpr):
    head = tl.program_id(1)
    d = tl.arange(0, DIM)
    for row in range(tl.program_id(0), n, tl.num_programs(0)):
        total = tl.zeros((DIM, ), tl.float64)
        for key in range(n):
            place = (head * n + row) * n + key
            chance = tl.max(tl.rand(seed, place + tl.arange(0, 1)), axis=0)
            p = tl.load(p_ptr + place)
            if chance >= drop:
                total += p / (1 - drop.to(tl.float64)) * tl.load(v_ptr + (head * n + key) * DIM + d)
        tl.store(out_ptr + (head * n + row) * DIM + d, total)
