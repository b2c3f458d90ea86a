"""A loop whose tiles fill shared memory, and which wants some more of it in every turn."""
import triton
import triton.language as tl


@triton.jit
def running_products(a, b, out, n, stride, BLOCK: tl.constexpr, DEPTH: tl.constexpr):
    rows = tl.arange(0, BLOCK)
    depth = tl.arange(0, DEPTH)
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in range(0, n, DEPTH):
        x = tl.load(a + rows[:, None] * stride + k + depth[None, :])
        y = tl.load(b + (k + depth)[:, None] * stride + rows[None, :])
        total = tl.dot(x, y, total)
        tl.store(out + k * BLOCK * BLOCK + rows[:, None] * BLOCK + rows[None, :], total)
