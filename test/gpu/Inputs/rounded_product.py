import triton
import triton.language as tl


@triton.jit
def rounded_product(x_ptr, y_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    product = tl.load(x_ptr + i) * tl.load(y_ptr + i)
    one = tl.full((BLOCK, ), 1.0, tl.float32)
    tl.store(out_ptr + i, tl.fma(product, one, one))
