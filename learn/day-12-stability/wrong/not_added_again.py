# expect: is 3.912023, but 103.912 is expected
"""What was subtracted inside of the logarithm is not added outside of it."""
import triton
import triton.language as tl


@triton.jit
def log_sum_exp(x_ptr, mean_ptr, lse_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    j = tl.arange(0, BLOCK)
    inside = j < columns
    x = tl.load(x_ptr + row * columns + j, mask=inside, other=-float("inf")).to(tl.float32)
    tl.store(mean_ptr + row, tl.sum(tl.where(inside, x, 0.0)) / columns)
    tl.store(lse_ptr + row, tl.log(tl.sum(tl.exp(x - tl.max(x)))))
