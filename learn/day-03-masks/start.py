"""Day 3: add the right neighbour, out[i] = x[i] + x[i + 1]; behind the last element there is 0.

One program does it; n is at most BLOCK, and mostly less."""
import triton
import triton.language as tl


@triton.jit
def add_neighbour(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    # YOUR CODE: these three lines reach behind the end of x and of out; which offsets may each of them touch?
    x = tl.load(x_ptr + offsets)
    neighbour = tl.load(x_ptr + offsets + 1)
    tl.store(out_ptr + offsets, x + neighbour)
