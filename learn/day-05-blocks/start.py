"""Day 5: out[i] = 1.8 * x[i] + 32 for any n and any number of programs.

Program p takes the blocks p, p + programs, p + 2 * programs, …"""
import triton
import triton.language as tl


@triton.jit
def fahrenheit(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    block = tl.program_id(0)
    # YOUR CODE: this does one block only; loop over all blocks of this program
    offsets = block * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    tl.store(out_ptr + offsets, 1.8 * x + 32, mask=inside)
