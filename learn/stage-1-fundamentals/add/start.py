"""Add: out[i] = x[i] + y[i] for any n, launched over grid(n, BLOCK)."""
import triton
import triton.language as tl


def grid(n, BLOCK):
    return (1,)  # YOUR CODE


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pass  # YOUR CODE
