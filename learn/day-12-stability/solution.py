"""The mean of each row, and log(sum(exp(x))), for rows whose exponentials overflow."""
import triton
import triton.language as tl


@triton.jit
def log_sum_exp(x_ptr, mean_ptr, lse_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    j = tl.arange(0, BLOCK)
    inside = j < columns
    # fp32 from here on, whatever lies in memory. Minus infinity is what adds nothing to a sum of exponentials.
    x = tl.load(x_ptr + row * columns + j, mask=inside, other=-float("inf")).to(tl.float32)
    tl.store(mean_ptr + row, tl.sum(tl.where(inside, x, 0.0)) / columns)
    # With the maximum taken out, one exponential is 1 and none is larger: neither overflow nor the logarithm of 0.
    top = tl.max(x)
    tl.store(lse_ptr + row, top + tl.log(tl.sum(tl.exp(x - top))))
