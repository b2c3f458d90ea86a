# expect: is -inf, but 100 is expected
"""The missing lanes are minus infinity for both results: the mean is infinite."""
import triton
import triton.language as tl


@triton.jit
def log_sum_exp(x_ptr, mean_ptr, lse_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    j = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + j, mask=j < columns, other=-float("inf")).to(tl.float32)
    tl.store(mean_ptr + row, tl.sum(x) / columns)
    top = tl.max(x)
    tl.store(lse_ptr + row, top + tl.log(tl.sum(tl.exp(x - top))))
