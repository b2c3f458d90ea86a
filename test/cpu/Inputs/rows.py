import triton
import triton.language as tl


@triton.jit
def centre(x, w, out, BLOCK: tl.constexpr):
    """One row a program, which is read once more when its mean is known; all rows have the same weights."""
    i = tl.arange(0, BLOCK)
    row = tl.program_id(0) * BLOCK
    v = tl.load(x + row + i)
    v -= tl.sum(v, axis=0) / BLOCK
    tl.store(out + row + i, v * tl.load(w + i))


@triton.jit
def shift(x, n, BLOCK: tl.constexpr):
    """Writes over what it has read, one place further: nothing may be read again then."""
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    v -= tl.sum(v, axis=0)
    tl.store(x + i + 1, v * n)
    tl.store(x + i + BLOCK, v + n)


@triton.jit
def fixed(w, out, BLOCK: tl.constexpr):
    """Every program reads the same."""
    i = tl.arange(0, BLOCK)
    v = tl.load(w + i)
    tl.store(out + tl.program_id(0) * BLOCK + i, v - tl.sum(v, axis=0))
