# expect: `out_ptr[0, 0]` is 0.8961
"""The first half of a row is the gate and the second the other factor; here they are swapped."""
import triton
import triton.language as tl


@triton.jit
def geglu_backward(grad_out_ptr, x_ptr, out_ptr, grad_x_ptr, n, BLOCK: tl.constexpr):
    """x and grad_x: rows of n gates and then n ups."""
    row = tl.program_id(0)
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = j < n
    up = tl.load(x_ptr + row * 2 * n + j, mask=inside, other=0.0)
    gate = tl.load(x_ptr + row * 2 * n + n + j, mask=inside, other=0.0)
    grad_out = tl.load(grad_out_ptr + row * n + j, mask=inside, other=0.0)
    share = 0.5 * (1.0 + tl.erf(gate * 0.7071067811865476))
    density = tl.exp(-0.5 * gate * gate) * 0.3989422804014327
    gelu = gate * share
    tl.store(out_ptr + row * n + j, gelu * up, mask=inside)
    tl.store(grad_x_ptr + row * 2 * n + j, grad_out * up * (share + gate * density), mask=inside)
    tl.store(grad_x_ptr + row * 2 * n + n + j, grad_out * gelu, mask=inside)
