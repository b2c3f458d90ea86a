"""out[i] = x[i] + y[i] + z[i] for fp32, fp16, bf16 and int32."""
import triton
import triton.language as tl


@triton.jit
def add_three(x_ptr, y_ptr, z_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    y = tl.load(y_ptr + offsets, mask=inside)
    z = tl.load(z_ptr + offsets, mask=inside)
    # Decided when the kernel is compiled: for integers these lines are not there.
    if x.dtype.is_floating():
        # One of them is enough: a sum of fp32 and fp16 is fp32, so all the additions are.
        x = x.to(tl.float32)
    # Rounded once, to whatever out holds.
    tl.store(out_ptr + offsets, (x + y + z).to(out_ptr.dtype.element_ty), mask=inside)
