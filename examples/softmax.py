import triton
import triton.language as tl


@triton.jit
def softmax(out_ptr, in_ptr, row_stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    x = tl.load(in_ptr + row * row_stride + offsets, mask=mask, other=-float("inf"))
    numerator = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * row_stride + offsets, numerator / tl.sum(numerator, axis=0), mask=mask)
