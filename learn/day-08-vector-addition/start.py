"""Day 8: out[i] = x[i] + y[i] + z[i] for fp32, fp16, bf16 and int32.

Floats are added in fp32 and rounded once; integers stay integers."""
import triton
import triton.language as tl


@triton.jit
def add_three(x_ptr, y_ptr, z_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    y = tl.load(y_ptr + offsets, mask=inside)
    z = tl.load(z_ptr + offsets, mask=inside)
    # YOUR CODE: this adds in the type of the inputs, and rounds twice
    tl.store(out_ptr + offsets, x + y + z, mask=inside)
