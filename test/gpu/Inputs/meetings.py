import triton
import triton.language as tl


@triton.jit
def branches(a, b, c, d):
    pid = tl.program_id(0)
    if pid < 5:
        x = pid * 1024 + tl.arange(0, 1024)
        tl.store(b + x, tl.load(a + x, x < 5000) * 2, x < 5000)
    else:
        x = (pid - 5) * 1024 + tl.arange(0, 1024)
        tl.store(d + x, tl.load(c + x, x < 2049) * 2, x < 2049)


@triton.jit
def sums(a, b, c, n):
    x = tl.program_id(0) * 1024 + tl.arange(0, 1024)
    tl.store(c + x, tl.load(a + x, x < 5000) + tl.load(b + x, x < n), x < n)


@triton.jit
def gated(keys, gates, out):
    """A product whose operand is computed from tiles of different types."""
    i, j = tl.arange(0, 16)[:, None], tl.arange(0, 32)[None, :]
    k = tl.load(keys + i * 32 + j)
    g = tl.load(gates + i * 32 + j)
    product = tl.dot(k * tl.exp2(g), tl.trans(k.to(tl.float32)))
    tl.store(out + i * 16 + tl.arange(0, 16)[None, :], product)
