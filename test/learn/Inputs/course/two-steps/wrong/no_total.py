# expect: `total`
import triton
import triton.language as tl


@triton.jit
def partial(x_ptr, part_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    tl.store(part_ptr + tl.program_id(0), tl.sum(x, axis=0))
