"""Day 24: drop elements by chance, where the chance is a function of seed and place."""
import triton
import triton.language as tl


@triton.jit
def dropout(x_ptr, out_ptr, n, p, seed, BLOCK: tl.constexpr):
    """out = x / (1 - p) where tl.rand(seed, offset) >= p, else 0."""
    # YOUR CODE
    tl.static_assert(BLOCK > 0)
