import triton
import triton.language as tl


@triton.jit
def halves(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    number = tl.load(x + i).to(tl.float32, bitcast=True)
    tl.store(out + i, number.to(tl.float16).to(tl.int16, bitcast=True))
