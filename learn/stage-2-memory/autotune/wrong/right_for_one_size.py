# expect: is 64, but 1000 is expected
"""Without a loop the kernel is right only where the block is as long as the row."""
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128}), triton.Config({"BLOCK": 256})], key=["columns"])
@triton.jit
def row_squares(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + lanes, mask=lanes < columns, other=0.0)
    tl.store(out_ptr + row, tl.sum(x * x, axis=0))
