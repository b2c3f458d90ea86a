import triton
import triton.language as tl


@triton.jit
def two_steps(a1, b1, a2, b2):
    return a1 * a2, a2 * b1 + b2


@triton.jit
def merged(mean1, squares1, count1, mean2, squares2, count2):
    delta = mean2 - mean1
    count = count1 + count2
    part = tl.where(count == 0.0, 0.0, count2 / count)
    return mean1 + delta * part, squares1 + squares2 + delta * delta * count1 * part, count


@triton.jit
def steps(a_ptr, b_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a, b = tl.reduce((tl.load(a_ptr + i), tl.load(b_ptr + i)), 0, two_steps)
    tl.store(out_ptr, a * b)


@triton.jit
def moments(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    mean, squares, count = tl.reduce((x, tl.zeros_like(x), tl.full((BLOCK, ), 1.0, tl.float32)), 0, merged)
    tl.store(out_ptr, mean + squares + count + tl.argmax(x, 0))


@triton.jit
def rows(x_ptr, out_ptr, BLOCK: tl.constexpr):
    """Moments of two rows, which one lane of the first warp each stores."""
    row, i = tl.arange(0, 2)[:, None], tl.arange(0, BLOCK)[None, :]
    x = tl.load(x_ptr + row * BLOCK + i)
    mean, squares, count = tl.reduce((x, tl.zeros_like(x), tl.full((2, BLOCK), 1.0, tl.float32)), 1, merged)
    tl.store(out_ptr + row, (mean + squares + count)[:, None])
