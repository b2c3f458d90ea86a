import triton
import triton.language as tl


@triton.jit
def reshape_nine(out, x):
    offsets = tl.arange(0, 512)
    values = tl.reshape(tl.load(x + offsets), (2, 2, 2, 2, 2, 2, 2, 2, 2))
    tl.store(out + tl.reshape(offsets, (2, 2, 2, 2, 2, 2, 2, 2, 2)), values)


@triton.jit
def expand(out, COUNT: tl.constexpr):
    x = tl.arange(0, 64)
    for i in tl.static_range(COUNT):
        x = tl.expand_dims(x, 0)
    tl.store(out + x, x)
