import triton
import triton.language as tl


@triton.jit
def half(value):
    small = value * 0.5
    return small


@triton.jit
def scale(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    start = tl.program_id(0) * BLOCK
    total = tl.zeros((BLOCK,), tl.float32)
    for k in range(0, 3):
        offsets = start + k + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + offsets, mask=offsets < n)
        total += half(x)
    largest = tl.max(total, axis=0)
    if largest > 4:
        total = (total - total) / (largest - largest)
    tl.store(out_ptr + start + tl.arange(0, BLOCK), total)
