"""One element after the other."""
import triton
import triton.language as tl


@triton.jit
def rotate(x_ptr, out_ptr, n, k, BLOCK: tl.constexpr):
    for i in range(tl.program_id(0), n, tl.num_programs(0)):
        tl.store(out_ptr + (i + k) % n, tl.load(x_ptr + i))
