import triton
import triton.language as tl


@triton.jit
def count(x, out, N: tl.constexpr):
    offsets = tl.arange(0, N)
    tl.store(out, tl.sum((tl.load(x + offsets) > 0).to(tl.int32), 0))


@triton.jit
def lowest(x, out, N: tl.constexpr):
    offsets = tl.arange(0, N)
    tl.store(out, tl.min(tl.load(x + offsets), 0))


@triton.jit
def place(x, out, N: tl.constexpr):
    offsets = tl.arange(0, N)
    tl.store(out, tl.argmax(tl.load(x + offsets), 0))
