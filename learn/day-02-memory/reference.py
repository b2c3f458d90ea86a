"""out[i] = x[i] + x[i + BLOCK], one element after the other."""
import triton
import triton.language as tl


@triton.jit
def fold(x_ptr, out_ptr, BLOCK: tl.constexpr):
    for i in range(tl.program_id(0), BLOCK, tl.num_programs(0)):
        tl.store(out_ptr + i, tl.load(x_ptr + i) + tl.load(x_ptr + i + BLOCK))
