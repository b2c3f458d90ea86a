# expect: written by no program
"""`n // BLOCK` whole blocks: the rest of the elements is forgotten."""
import triton
import triton.language as tl


@triton.jit
def fahrenheit(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    for block in range(tl.program_id(0), n // BLOCK, tl.num_programs(0)):
        offsets = block * BLOCK + tl.arange(0, BLOCK)
        inside = offsets < n
        x = tl.load(x_ptr + offsets, mask=inside)
        tl.store(out_ptr + offsets, 1.8 * x + 32, mask=inside)
