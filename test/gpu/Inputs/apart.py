import triton
import triton.language as tl


@triton.jit
def halves(q, heads, HALF: tl.constexpr):
    """Two halves of a row are changed in place, row by row: their addresses are never the same."""
    at = tl.arange(0, HALF)
    for head in range(heads):
        left = q + head * 2 * HALF + at
        right = left + HALF
        x = tl.load(left)
        y = tl.load(right)
        tl.store(left, x - y)
        tl.store(right, x + y)


@triton.jit
def thirds(out, value):
    """Every third element: bounds overlap, addresses do not."""
    at = out + tl.program_id(0) * 768 + tl.arange(0, 256) * 3
    tl.store(at, value)
    tl.store(at + 1, value + 1)
    tl.store(at + 2, value + 2)


@triton.jit
def left_and_right(q, HALF: tl.constexpr):
    """Halves of all rows at once."""
    at = tl.arange(0, 16)[:, None] * (2 * HALF) + tl.arange(0, HALF)[None, :]
    left = q + tl.program_id(0) * (32 * HALF) + at
    right = left + HALF
    x = tl.load(left)
    tl.store(left, tl.load(right))
    tl.store(right, x)


@triton.jit
def overlapping(q, heads, HALF: tl.constexpr):
    """The right half is the left half of the next row."""
    at = tl.arange(0, HALF)
    for head in range(heads):
        left = q + head * HALF + at
        right = left + HALF
        x = tl.load(left)
        y = tl.load(right)
        tl.store(right, x + y)


@triton.jit
def anywhere(q, stride, HALF: tl.constexpr):
    """How far the second row is away is not known."""
    at = q + tl.arange(0, HALF)
    tl.store(at, tl.load(at + stride))


@triton.jit
def nested(q, rows, columns, HALF: tl.constexpr):
    """A row of another turn of the outer loop may be the one that this turn changes."""
    at = tl.arange(0, HALF)
    for row in range(rows):
        for column in range(columns):
            p = q + row * 2 * HALF + column * HALF + at
            tl.store(p + HALF, tl.load(p))


@triton.jit
def bytes(q, n):
    """Every third element, behind a multiple of 3 in a byte: that of -85 is 1."""
    at = q + tl.arange(0, 128) * 3
    x = tl.load(at + 1)
    tl.store(at + (tl.load(n) * 3).to(tl.int32), x)
