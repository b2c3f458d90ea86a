"""A new kernel: RMS norm of each head, times weight, then rotation of the pairs (i, i + HALF). Grid: tokens."""
import triton
import triton.language as tl


@triton.jit
def norm_and_rotate(x_ptr, weight_ptr, cos_ptr, sin_ptr, out_ptr, heads, eps, HALF: tl.constexpr, HEADS: tl.constexpr):
    # YOUR CODE
    tl.static_assert(HALF > 0)
