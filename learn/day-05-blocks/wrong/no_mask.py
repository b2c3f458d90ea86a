# expect: the load reads
"""A loop with the right bounds does not make the last block any shorter."""
import triton
import triton.language as tl


@triton.jit
def fahrenheit(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    for block in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
        offsets = block * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + offsets)
        tl.store(out_ptr + offsets, 1.8 * x + 32)
