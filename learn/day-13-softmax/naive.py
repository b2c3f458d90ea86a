"""Right, but every step loads the row again: three reads instead of one."""
import triton
import triton.language as tl


@triton.jit
def softmax(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    j = tl.arange(0, BLOCK)
    inside = j < columns
    # volatile: otherwise the compiler might notice that it has loaded these numbers before.
    top = tl.max(tl.load(x_ptr + row * columns + j, mask=inside, other=-float("inf"), volatile=True), axis=0)
    total = tl.sum(tl.exp(tl.load(x_ptr + row * columns + j, mask=inside, other=-float("inf"), volatile=True) - top), axis=0)
    x = tl.load(x_ptr + row * columns + j, mask=inside, other=-float("inf"), volatile=True)
    tl.store(out_ptr + row * columns + j, tl.exp(x - top) / total, mask=inside)
