"""out[i] = x[i] + x[i + 1], one element after the other; behind the last element there is 0."""
import triton
import triton.language as tl


@triton.jit
def add_neighbour(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    for i in range(tl.program_id(0), n, tl.num_programs(0)):
        total = tl.load(x_ptr + i)
        if i + 1 < n:
            total += tl.load(x_ptr + i + 1)
        tl.store(out_ptr + i, total)
