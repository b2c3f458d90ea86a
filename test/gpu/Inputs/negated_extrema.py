import triton
import triton.language as tl


@triton.jit
def doubled(x):
    i = tl.arange(0, 128)
    first = tl.maximum(tl.load(x + i), tl.load(x + i + 128) * -2)
    tl.store(x + i, tl.maximum(first, tl.load(x + i + 256)))


@triton.jit
def divided(x):
    i = tl.arange(0, 128)
    first = tl.minimum(tl.load(x + i), tl.load(x + i + 128) // -4)
    tl.store(x + i, tl.minimum(first, tl.load(x + i + 256)))


@triton.jit
def differences(x):
    i = tl.arange(0, 128)
    a, b, c = tl.load(x + i), tl.load(x + i + 128), tl.load(x + i + 256)
    for k in range(4):
        a = tl.maximum(tl.maximum(a, k * 3 - b), c)
    tl.store(x + i, a)


@triton.jit
def products(x):
    i = tl.arange(0, 128)
    a, b, c = tl.load(x + i), tl.load(x + i + 128), tl.load(x + i + 256)
    factor = -1
    for _ in range(4):
        a = tl.minimum(tl.minimum(a, b * factor), c)
        factor = factor * 3 + 1
    tl.store(x + i, a)
