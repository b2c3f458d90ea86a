import triton
import triton.language as tl


@triton.jit
def kernel(x, table, out, steps, R: tl.constexpr, C: tl.constexpr):
    """In each row the place of the largest number says what is loaded next."""
    rows = tl.arange(0, R)
    columns = tl.arange(0, C)
    sums = tl.zeros((R, ), tl.float32)
    for step in range(steps):
        tile = tl.load(x + step * R * C + rows[:, None] * C + columns[None, :])
        place = tl.argmax(tile, 1)
        sums += tl.load(table + rows * C + place)
    tl.store(out + rows, sums)
