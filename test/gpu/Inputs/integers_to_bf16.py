import triton
import triton.language as tl


@triton.jit
def to_bf16(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y + i, tl.load(x + i).to(tl.bfloat16))
