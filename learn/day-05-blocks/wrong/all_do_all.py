# expect: writes it too
"""Every program walks over all blocks: the work is done as often as there are programs."""
import triton
import triton.language as tl


@triton.jit
def fahrenheit(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    for block in range(0, tl.cdiv(n, BLOCK)):
        offsets = block * BLOCK + tl.arange(0, BLOCK)
        inside = offsets < n
        x = tl.load(x_ptr + offsets, mask=inside)
        tl.store(out_ptr + offsets, 1.8 * x + 32, mask=inside)
