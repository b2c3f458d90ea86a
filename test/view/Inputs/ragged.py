import triton
import triton.language as tl


@triton.jit
def ragged(a_ptr, b_ptr, ends_ptr, out_ptr, K, B: tl.constexpr):
    """Each program multiplies as many blocks as lie between two ends."""
    row = tl.program_id(0)
    begin, end = tl.load(ends_ptr + row), tl.load(ends_ptr + row + 1)
    if begin >= end:
        return
    i = tl.arange(0, B)
    total = tl.zeros((B, B), tl.float32)
    for k in range(begin, end, B):
        a = tl.load(a_ptr + i[:, None] * K + k + i[None, :])
        b = tl.load(b_ptr + (k + i)[:, None] * B + i[None, :])
        total = tl.dot(a, b, total)
    tl.store(out_ptr + row * B * B + i[:, None] * B + i[None, :], total)
