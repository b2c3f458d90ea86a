"""One element after the other; the random numbers are those of the language, all else is float64."""
import triton
import triton.language as tl


@triton.jit
def dropout(x_ptr, out_ptr, n, p, seed, BLOCK: tl.constexpr):
    for lane in range(BLOCK):
        place = tl.program_id(0) * BLOCK + lane
        if place < n:
            x = tl.load(x_ptr + place)
            chance = tl.rand(seed, place + tl.arange(0, 1))
            tl.store(out_ptr + place + tl.arange(0, 1), tl.where(chance >= p, x / (1 - p.to(tl.float64)), 0.0))
