import triton
import triton.language as tl


@triton.jit
def below(x_ptr, y_ptr, z_ptr, START: tl.constexpr):
    i = tl.arange(0, 128)
    tl.store(y_ptr + i, (i + START) // 2)
    tl.store(z_ptr + i, tl.load(x_ptr + 128 + (i + START) % 32))


@triton.jit
def wrapped(y_ptr):
    i = tl.arange(0, 256)
    tl.store(y_ptr + i, i.to(tl.int8).to(tl.int32) // 2)
