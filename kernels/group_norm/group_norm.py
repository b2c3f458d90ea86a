"""Group norm of [batch, channels, positions], forward and backward, in fp32 inside: the channels of a group and all their positions share a mean
and a deviation, each channel has a weight and a bias. With one channel a group it is instance norm, with one group layer norm. The elements of
a group lie in one run: all arrays are contiguous."""
import triton
import triton.language as tl


@triton.jit
def group_norm_forward(x_ptr, weight_ptr, bias_ptr, out_ptr, mean_ptr, rstd_ptr, groups, group_channels, positions, eps, BLOCK: tl.constexpr,
                       CACHE: tl.constexpr = ""):
    """One program a group of one sample, which is read three times. weight and bias may be None. Keeps mean and rstd."""
    program = tl.program_id(0).to(tl.int64)
    n = group_channels * positions
    x_ptr += program * n
    out_ptr += program * n
    first_channel = tl.program_id(0) % groups * group_channels
    i = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, ), tl.float32)
    for first in range(0, n, BLOCK):
        total += tl.load(x_ptr + first + i, mask=first + i < n, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / n
    squares = tl.zeros((BLOCK, ), tl.float32)
    for first in range(0, n, BLOCK):
        inside = first + i < n
        centred = tl.where(inside, tl.load(x_ptr + first + i, mask=inside, other=0.0).to(tl.float32) - mean, 0.0)
        squares += centred * centred
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / n + eps)
    tl.store(mean_ptr + program, mean)
    tl.store(rstd_ptr + program, rstd)
    for first in range(0, n, BLOCK):
        inside = first + i < n
        result = (tl.load(x_ptr + first + i, mask=inside, other=0.0).to(tl.float32) - mean) * rstd
        channel = first_channel + (first + i) // positions
        if weight_ptr is not None:
            result *= tl.load(weight_ptr + channel, mask=inside, other=0.0).to(tl.float32)
        if bias_ptr is not None:
            result += tl.load(bias_ptr + channel, mask=inside, other=0.0).to(tl.float32)
        tl.store(out_ptr + first + i, result.to(out_ptr.dtype.element_ty), mask=inside, cache_modifier=CACHE)


@triton.jit
def group_norm_backward(grad_out_ptr, x_ptr, weight_ptr, mean_ptr, rstd_ptr, grad_x_ptr, groups, group_channels, positions, BLOCK: tl.constexpr,
                        CACHE: tl.constexpr = ""):
    """The gradient of x. One program a group of one sample."""
    program = tl.program_id(0).to(tl.int64)
    n = group_channels * positions
    x_ptr += program * n
    grad_out_ptr += program * n
    grad_x_ptr += program * n
    first_channel = tl.program_id(0) % groups * group_channels
    mean = tl.load(mean_ptr + program)
    rstd = tl.load(rstd_ptr + program)
    i = tl.arange(0, BLOCK)
    along_normal = tl.zeros((BLOCK, ), tl.float32)
    along_mean = tl.zeros((BLOCK, ), tl.float32)
    for first in range(0, n, BLOCK):
        inside = first + i < n
        scaled = tl.load(grad_out_ptr + first + i, mask=inside, other=0.0).to(tl.float32)
        if weight_ptr is not None:
            scaled *= tl.load(weight_ptr + first_channel + (first + i) // positions, mask=inside, other=0.0).to(tl.float32)
        along_normal += scaled * ((tl.load(x_ptr + first + i, mask=inside, other=0.0).to(tl.float32) - mean) * rstd)
        along_mean += scaled
    normal_share = tl.sum(along_normal, axis=0) / n
    mean_share = tl.sum(along_mean, axis=0) / n
    for first in range(0, n, BLOCK):
        inside = first + i < n
        scaled = tl.load(grad_out_ptr + first + i, mask=inside, other=0.0).to(tl.float32)
        if weight_ptr is not None:
            scaled *= tl.load(weight_ptr + first_channel + (first + i) // positions, mask=inside, other=0.0).to(tl.float32)
        normal = (tl.load(x_ptr + first + i, mask=inside, other=0.0).to(tl.float32) - mean) * rstd
        grad_x = (scaled - normal * normal_share - mean_share) * rstd
        tl.store(grad_x_ptr + first + i, grad_x.to(grad_x_ptr.dtype.element_ty), mask=inside, cache_modifier=CACHE)


@triton.jit
def group_norm_backward_channels(grad_out_ptr, x_ptr, mean_ptr, rstd_ptr, partial_weight_ptr, partial_bias_ptr, group_channels, positions,
                                 BLOCK: tl.constexpr):
    """partial_weight and partial_bias [batch, channels]: a sample's share of the gradients of weight and bias, whose rows are summed by
    reduce_columns. One program a channel of a sample."""
    program = tl.program_id(0).to(tl.int64)
    group = program // group_channels  # a whole number of them for each sample
    x_ptr += program * positions
    grad_out_ptr += program * positions
    mean = tl.load(mean_ptr + group)
    rstd = tl.load(rstd_ptr + group)
    i = tl.arange(0, BLOCK)
    grad_weight = tl.zeros((BLOCK, ), tl.float32)
    grad_bias = tl.zeros((BLOCK, ), tl.float32)
    for first in range(0, positions, BLOCK):
        inside = first + i < positions
        grad_out = tl.load(grad_out_ptr + first + i, mask=inside, other=0.0).to(tl.float32)
        grad_weight += grad_out * ((tl.load(x_ptr + first + i, mask=inside, other=0.0).to(tl.float32) - mean) * rstd)
        grad_bias += grad_out
    tl.store(partial_weight_ptr + program, tl.sum(grad_weight, axis=0))
    tl.store(partial_bias_ptr + program, tl.sum(grad_bias, axis=0))
