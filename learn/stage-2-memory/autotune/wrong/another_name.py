# expect: no value is given for `BLOCK`
"""The configurations set `BLOCK_SIZE`, the kernel has `BLOCK`."""
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK_SIZE": 128}), triton.Config({"BLOCK_SIZE": 256}), triton.Config({"BLOCK_SIZE": 512})], key=["columns"])
@triton.jit
def row_squares(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, columns, BLOCK):
        x = tl.load(x_ptr + row * columns + first + lanes, mask=first + lanes < columns, other=0.0)
        total += x * x
    tl.store(out_ptr + row, tl.sum(total, axis=0))
