import triton
import triton.language as tl


@triton.jit
def narrow_rows(a_ptr, b_ptr, out_ptr, stride):
    """A right operand whose rows in memory have 8 bytes: less than a chunk of shared memory."""
    m, n, k = tl.arange(0, 16), tl.arange(0, 8), tl.arange(0, 256)
    sums = tl.zeros([16, 8], tl.int32)
    for i in range(4):
        a = tl.load(a_ptr + m[:, None] * 1024 + i * 256 + k[None, :])
        b = tl.load(b_ptr + (i * 256 + k)[:, None] * stride + n[None, :])
        sums += tl.dot(a, b)
    tl.store(out_ptr + m[:, None] * 8 + n[None, :], sums)
