"""One element after the other."""
import triton
import triton.language as tl


@triton.jit
def block_maximum(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    first = tl.program_id(0) * BLOCK
    largest = tl.load(x_ptr + first)
    for i in range(first + 1, tl.minimum(n, first + BLOCK)):
        largest = tl.maximum(largest, tl.load(x_ptr + i))
    tl.store(out_ptr + tl.program_id(0), largest)
