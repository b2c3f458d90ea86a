import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def rows_of_a_table(index, table, out, added, n, SIDE: tl.constexpr, BLOCK: tl.constexpr):
    """A row of a table for each index, and back: eight neighbours of a thread have two indices at most."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row = tl.load(index + i // SIDE, i < n)
    row = tl.where(row < 0, row + 1000, row)
    x = tl.load(table + i % SIDE + SIDE * row, i < n)
    tl.store(out + i, x, i < n)
    tl.atomic_add(added + i % SIDE + SIDE * row, x, i < n, sem="relaxed")


@triton.jit
def power(x, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, libdevice.exp(tl.load(x + i)))
