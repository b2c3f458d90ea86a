# expect: out-of-bounds
"""No mask: the last block reaches behind the end."""
import triton
import triton.language as tl


def grid(n, BLOCK):
    return (triton.cdiv(n, BLOCK),)


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i) + tl.load(y_ptr + i))
