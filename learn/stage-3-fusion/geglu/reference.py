"""One pair after the other."""
import triton
import triton.language as tl


@triton.jit
def geglu_backward(grad_out_ptr, x_ptr, out_ptr, grad_x_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for j in range(tl.program_id(1), n, tl.num_programs(1)):
        gate = tl.load(x_ptr + row * 2 * n + j)
        up = tl.load(x_ptr + row * 2 * n + n + j)
        grad_out = tl.load(grad_out_ptr + row * n + j)
        share = 0.5 * (1.0 + tl.erf(gate * 0.7071067811865476))
        density = tl.exp(-0.5 * gate * gate) * 0.3989422804014327
        tl.store(out_ptr + row * n + j, gate * share * up)
        tl.store(grad_x_ptr + row * 2 * n + j, grad_out * up * (share + gate * density))
        tl.store(grad_x_ptr + row * 2 * n + n + j, grad_out * gate * share)
