"""One number after the other."""
import triton
import triton.language as tl


@triton.jit
def first_largest(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0) * n
    place = 0
    for i in range(1, n):
        if tl.load(x_ptr + row + i) > tl.load(x_ptr + row + place):
            place = i
    tl.store(out_ptr + tl.program_id(0), place)
