import triton
import triton.language as tl


@triton.jit
def doubled(x, out, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offsets, tl.load(x + offsets) * 2)


@triton.jit
def row(x, out, stride, step):
    offsets = tl.arange(0, 128)
    tl.store(out + tl.program_id(0) * step + offsets, tl.load(x + tl.program_id(0) * stride + offsets))
