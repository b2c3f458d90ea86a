# expect: is 0, but 49 is expected
"""`tl.argmin` takes the first of equals."""
import triton
import triton.language as tl


@triton.jit
def row_argmin(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    j = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + j, mask=j < columns, other=float("inf"))
    tl.store(out_ptr + row, tl.argmin(x, axis=0))
