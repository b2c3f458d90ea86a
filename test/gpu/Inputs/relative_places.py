import triton
import triton.language as tl


@triton.jit
def kernel(a, b, c, first):
    row = tl.program_id(0) * 64 + tl.arange(0, 64)
    column = first + tl.arange(0, 64)
    inside = tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :]
    scores = tl.dot(tl.load(a + inside), tl.load(b + inside))
    tl.store(c + inside, scores + (row[:, None] - column[None, :]).to(tl.float32))
