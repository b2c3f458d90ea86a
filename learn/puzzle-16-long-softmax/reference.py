"""Three walks, one number after the other."""
import triton
import triton.language as tl


@triton.jit
def softmax(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0) * n
    largest = tl.load(x_ptr + row)
    for i in range(1, n):
        largest = tl.maximum(largest, tl.load(x_ptr + row + i))
    total = largest * 0.0
    for i in range(n):
        total += tl.exp(tl.load(x_ptr + row + i) - largest)
    for i in range(n):
        tl.store(out_ptr + row + i, tl.exp(tl.load(x_ptr + row + i) - largest) / total)
