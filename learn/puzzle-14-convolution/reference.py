"""One element after the other."""
import triton
import triton.language as tl


@triton.jit
def convolve(x_ptr, w_ptr, out_ptr, n, taps, BLOCK: tl.constexpr):
    for i in range(tl.program_id(0), n, tl.num_programs(0)):
        total = tl.load(x_ptr + i) * tl.load(w_ptr)
        for j in range(1, tl.minimum(taps, n - i)):
            total += tl.load(w_ptr + j) * tl.load(x_ptr + i + j)
        tl.store(out_ptr + i, total)
