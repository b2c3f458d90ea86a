import triton
import triton.language as tl


@triton.jit
def long(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    for k in tl.static_range(240):
        x = tl.where(x > k, tl.exp(x) + k, x * x)
        tl.store(out_ptr + i + k * BLOCK, x)
