# expect: `lse_ptr[0]` is inf
"""The formula as it stands in the book: exp(100) does not fit into fp32."""
import triton
import triton.language as tl


@triton.jit
def log_sum_exp(x_ptr, mean_ptr, lse_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    j = tl.arange(0, BLOCK)
    inside = j < columns
    x = tl.load(x_ptr + row * columns + j, mask=inside, other=-float("inf")).to(tl.float32)
    tl.store(mean_ptr + row, tl.sum(tl.where(inside, x, 0.0)) / columns)
    tl.store(lse_ptr + row, tl.log(tl.sum(tl.exp(x))))
