"""One row a program, element after element."""
import triton
import triton.language as tl


@triton.jit
def row_min(x_ptr, length_ptr, out_ptr, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    best = tl.full((), float("inf"), tl.float64)
    for j in range(tl.load(length_ptr + row)):
        best = tl.minimum(best, tl.load(x_ptr + row * stride + j))
    tl.store(out_ptr + row, best)
