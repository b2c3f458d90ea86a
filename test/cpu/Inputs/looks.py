import triton
import triton.language as tl


@triton.jit
def double(x, n):
    for i in range(n):
        tl.store(x + i, 2 * tl.load(x + i))


@triton.jit
def short(x):
    for i in range(63):
        tl.store(x + i, 2 * tl.load(x + i))


@triton.jit
def steps(out, low, high):
    count = 0
    for i in range(low, high, 1000):
        count += 1
    tl.store(out, count % 100000)
