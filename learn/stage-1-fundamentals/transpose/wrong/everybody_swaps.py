# expect: race
"""The programs below the diagonal swap, too: each pair is exchanged by two programs."""
import triton
import triton.language as tl


@triton.jit
def transpose_in_place(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    upper = i[:, None] * n + j[None, :]
    lower = j[:, None] * n + i[None, :]
    in_upper = (i[:, None] < n) & (j[None, :] < n)
    in_lower = (j[:, None] < n) & (i[None, :] < n)
    a = tl.load(x_ptr + upper, mask=in_upper)
    b = tl.load(x_ptr + lower, mask=in_lower)
    tl.store(x_ptr + upper, tl.trans(b), mask=in_upper)
    tl.store(x_ptr + lower, tl.trans(a), mask=in_lower)
