"""Surprise 1: block pointers and names that Triton has dropped live on in real kernels."""
import triton
import triton.language as tl


@triton.jit
def block_pointer_matmul(a, b, c, M, N, K, BLOCK: tl.constexpr, DEPTH: tl.constexpr):
    m = tl.program_id(0) * BLOCK
    n = tl.program_id(1) * BLOCK
    left = tl.make_block_ptr(base=a, shape=(M, K), strides=(K, 1), offsets=(m, 0), block_shape=(BLOCK, DEPTH), order=(1, 0))
    right = tl.make_block_ptr(base=b, shape=(K, N), strides=(1, K), offsets=(0, n), block_shape=(DEPTH, BLOCK), order=(0, 1))
    total = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for k in range(0, K, DEPTH):
        x = tl.load(left, boundary_check=(0, 1), padding_option="zero")
        y = tl.load(right, boundary_check=(0, 1), padding_option="zero")
        total += tl.dot(x, y, allow_tf32=False)
        left = tl.advance(left, (0, DEPTH))
        right = tl.advance(right, (DEPTH, 0))
    out = tl.make_block_ptr(c, (M, N), (N, 1), (m, n), (BLOCK, BLOCK), (1, 0))
    tl.store(out, total.to(c.dtype.element_ty), boundary_check=(0, 1))


@triton.jit
def old_mathematics(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(y + i, tl.math.tanh(v), mask=i < n)
    tl.store(y + n + i, tl.libdevice.tanh(v), mask=i < n)
    tl.store(y + 2 * n + i, tl.math.pow(tl.abs(v), 1.5), mask=i < n)
    tl.store(y + 3 * n + i, tl.extra.cuda.libdevice.erf(v), mask=i < n)
    tl.store(y + 4 * n + i, tl.math.log1p(tl.abs(v)), mask=i < n)


@triton.jit
def transposed_dot(a, b, c):
    r = tl.arange(0, 16)
    at = r[:, None] * 16 + r[None, :]
    x = tl.load(a + at)
    y = tl.load(b + at)
    tl.store(c + at, tl.dot(x, y, trans_b=True, allow_tf32=False))
    tl.store(c + 256 + at, tl.dot(x, y, trans_a=True, allow_tf32=False))
