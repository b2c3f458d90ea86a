"""out[i] = 1.8 * x[i] + 32 for any n and any number of programs."""
import triton
import triton.language as tl


@triton.jit
def fahrenheit(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    # Dealt out like cards: where there are more programs than blocks, the loop of some has no iterations.
    for block in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
        offsets = block * BLOCK + tl.arange(0, BLOCK)
        # Only the last block of all needs it, but the program cannot know at compile time whether it has that one.
        inside = offsets < n
        x = tl.load(x_ptr + offsets, mask=inside)
        tl.store(out_ptr + offsets, 1.8 * x + 32, mask=inside)
