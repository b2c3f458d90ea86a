# expect: `out_ptr[1, 1]` is 2.3005
"""Lanes behind the row are 0, so that their distance from the mean is -mean, and its square is added to the variance."""
import triton
import triton.language as tl


@triton.jit
def layer_norm(x_ptr, weight_ptr, bias_ptr, out_ptr, mean_ptr, rstd_ptr, rows, columns, eps, BLOCK: tl.constexpr):
    """out = (x - mean) * rstd * weight + bias, row by row; mean and rstd are kept. One program a row, BLOCK >= columns."""
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    x = tl.load(x_ptr + row * columns + offsets, mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / columns
    centred = x - mean
    variance = tl.sum(centred * centred, axis=0) / columns
    rstd = 1.0 / tl.sqrt(variance + eps)
    weight = tl.load(weight_ptr + offsets, mask=inside, other=0.0)
    bias = tl.load(bias_ptr + offsets, mask=inside, other=0.0)
    out = centred * rstd * weight + bias
    tl.store(out_ptr + row * columns + offsets, out.to(out_ptr.dtype.element_ty), mask=inside)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)
