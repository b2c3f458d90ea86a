import triton
import triton.language as tl


@triton.jit
def commutator(a_ptr, b_ptr, out_ptr, N: tl.constexpr):
    """Both orders of a product: each operand is read along both of its axes."""
    i = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    a, b = tl.load(a_ptr + i), tl.load(b_ptr + i)
    tl.store(out_ptr + i, tl.dot(a, b) - tl.dot(b, a))
