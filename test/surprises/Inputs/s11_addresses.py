"""Surprise 11: integers become pointers."""
import triton
import triton.language as tl


@triton.jit
def from_a_table(table, sizes, out, GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for g in range(GROUPS):
        n = tl.load(sizes + g)
        p = tl.load(table + g).to(tl.pointer_type(tl.float32))
        total += tl.load(p + i, mask=i < n, other=0.0)
    tl.store(out + i, total)


@triton.jit
def there_and_back(x, y):
    i = tl.arange(0, 32)
    address = x.to(tl.int64)
    p = tl.cast(address + 4 * i.to(tl.int64), tl.pointer_type(tl.float32))
    tl.store(y + i, tl.load(p))
    bytes = x.to(tl.pointer_type(tl.uint8), bitcast=True)
    tl.store(y + 32 + i, tl.load(bytes + i).to(tl.float32))
