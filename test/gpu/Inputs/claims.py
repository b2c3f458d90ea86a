import triton
import triton.language as tl


@triton.jit
def chosen_mask(x_ptr, y_ptr, n, m):
    i = tl.arange(0, 32)
    at = i[:, None] * 32 + i[None, :]
    mask = tl.where((i % 2 == 1)[None, :], i[None, :] < n, i[None, :] < m)
    x = tl.load(x_ptr + at, mask=mask, other=0.0)
    tl.store(y_ptr + at, tl.dot(x, x))


@triton.jit
def cut(y_ptr, n):
    tl.assume(n >= 0)
    wide = n * 4294967296 + 2147483648 + n * 16 + tl.arange(0, 128)
    tl.store(y_ptr + tl.arange(0, 128), wide.to(tl.int32) // 2)


@triton.jit
def negative_divisor(x_ptr, y_ptr):
    i = tl.program_id(0) // -20 * 32 + tl.arange(0, 128)
    tl.store(y_ptr + tl.arange(0, 128), tl.load(x_ptr + 4096 + i % 32))
