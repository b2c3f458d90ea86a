import triton
import triton.language as tl


@triton.jit
def product(a_ptr, b_ptr, c_ptr, K, BLOCK: tl.constexpr):
    """f16 by 4 bits that lie in words: both come ahead, and the right operand passes through registers."""
    i = tl.arange(0, BLOCK)
    a_ptrs = a_ptr + i[:, None] * K + i[None, :]
    b_ptrs = b_ptr + i[:, None] * BLOCK + i[None, :]
    sums = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for k in range(0, K, BLOCK):
        a = tl.load(a_ptrs + k)
        b = tl.load(b_ptrs + k * BLOCK)
        sums += tl.dot(a, ((b >> 4) & 0xF).to(tl.float16))
    tl.store(c_ptr + i[:, None] * BLOCK + i[None, :], sums)


@triton.jit
def from_bytes(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i).to(out_ptr.dtype.element_ty))


@triton.jit
def halves(a, values, out, K, BLOCK: tl.constexpr):
    """Pairs of weights of which the larger one counts."""
    rows = tl.arange(0, BLOCK)[:, None]
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    for first in range(0, K, BLOCK):
        low, high = tl.split(tl.reshape(tl.load(values + rows * (2 * K) + 2 * first + tl.arange(0, 2 * BLOCK)[None, :]), (BLOCK, BLOCK, 2)))
        x = tl.load(a + rows * K + first + tl.arange(0, BLOCK)[None, :])
        total = tl.dot(x, tl.trans(tl.maximum(low, high)), total)
    tl.store(out + rows * BLOCK + tl.arange(0, BLOCK)[None, :], total)


@triton.jit
def nibbles(x_ptr, low_ptr, high_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    tl.store(low_ptr + i, (x & 15).to(low_ptr.dtype.element_ty))
    tl.store(high_ptr + i, (x >> 4).to(high_ptr.dtype.element_ty))


@triton.jit
def fours(x_ptr, out_ptr, BLOCK: tl.constexpr):
    """Two numbers of e2m1 in a byte, as bf16."""
    x = tl.load(x_ptr + tl.arange(0, BLOCK)).to(tl.uint16)
    code = tl.ravel(tl.join(x, x >> 4))
    bits = ((code & 7) << 6) | ((code & 8) << 12)
    tl.store(out_ptr + tl.arange(0, 2 * BLOCK), bits.to(tl.bfloat16, bitcast=True) * 8.507059173023462e37)
