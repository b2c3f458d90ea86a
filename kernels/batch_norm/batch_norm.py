"""Norm of each channel over all pictures of a batch, forward and backward, in training (by the batch's own mean and variance) and in use (by given ones). x is contiguous [batch, channels, places]."""
import triton
import triton.language as tl


@triton.jit
def places_of(first, channel, n_channels, n_places, total, BLOCK: tl.constexpr):
    """Where elements first … of a channel lie, and which there are."""
    i = first + tl.arange(0, BLOCK)
    at = (i // n_places).to(tl.int64) * n_channels * n_places + tl.cast(channel, tl.int64) * n_places + i % n_places
    return at, i < total


@triton.jit
def weight_of(pointer, channel, default: tl.constexpr):
    if pointer is None:
        return default
    else:
        return tl.load(pointer + channel).to(tl.float32)


@triton.jit
def batch_norm_forward(x_ptr, weight_ptr, bias_ptr, out_ptr, mean_ptr, rstd_ptr, batch, n_channels, n_places, eps, TRAINING: tl.constexpr, BLOCK: tl.constexpr):
    """out = (x - mean) * rstd * weight + bias; weight and bias may be None. mean and rstd, fp32 [channels], are written with TRAINING, else read. One program a channel."""
    channel = tl.program_id(0)
    total = batch * n_places
    if TRAINING:
        sums = tl.zeros((BLOCK, ), tl.float32)
        for first in range(0, total, BLOCK):
            at, inside = places_of(first, channel, n_channels, n_places, total, BLOCK)
            sums += tl.load(x_ptr + at, mask=inside, other=0.0).to(tl.float32)
        mean = tl.sum(sums, axis=0) / total
        squares = tl.zeros((BLOCK, ), tl.float32)
        for first in range(0, total, BLOCK):
            at, inside = places_of(first, channel, n_channels, n_places, total, BLOCK)
            apart = tl.where(inside, tl.load(x_ptr + at, mask=inside, other=0.0).to(tl.float32) - mean, 0.0)
            squares += apart * apart
        rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / total + eps)
        tl.store(mean_ptr + channel, mean)
        tl.store(rstd_ptr + channel, rstd)
    else:
        mean = tl.load(mean_ptr + channel)
        rstd = tl.load(rstd_ptr + channel)
    weight = weight_of(weight_ptr, channel, 1.0)
    bias = weight_of(bias_ptr, channel, 0.0)
    for first in range(0, total, BLOCK):
        at, inside = places_of(first, channel, n_channels, n_places, total, BLOCK)
        x = tl.load(x_ptr + at, mask=inside, other=0.0).to(tl.float32)
        tl.store(out_ptr + at, ((x - mean) * rstd * weight + bias).to(out_ptr.dtype.element_ty), mask=inside)


@triton.jit
def batch_norm_backward(grad_ptr, x_ptr, weight_ptr, mean_ptr, rstd_ptr, grad_x_ptr, grad_weight_ptr, grad_bias_ptr, batch, n_channels, n_places, TRAINING: tl.constexpr,
                        BLOCK: tl.constexpr):
    """Gradients of x, and of weight and bias in fp32. One program a channel."""
    channel = tl.program_id(0)
    total = batch * n_places
    mean = tl.load(mean_ptr + channel)
    rstd = tl.load(rstd_ptr + channel)
    weight = weight_of(weight_ptr, channel, 1.0)
    sums = tl.zeros((BLOCK, ), tl.float32)
    products = tl.zeros((BLOCK, ), tl.float32)
    for first in range(0, total, BLOCK):
        at, inside = places_of(first, channel, n_channels, n_places, total, BLOCK)
        grad = tl.load(grad_ptr + at, mask=inside, other=0.0).to(tl.float32)
        sums += grad
        products += grad * (tl.load(x_ptr + at, mask=inside, other=0.0).to(tl.float32) - mean) * rstd
    grad_bias = tl.sum(sums, axis=0)
    grad_weight = tl.sum(products, axis=0)
    tl.store(grad_bias_ptr + channel, grad_bias)
    tl.store(grad_weight_ptr + channel, grad_weight)
    for first in range(0, total, BLOCK):
        at, inside = places_of(first, channel, n_channels, n_places, total, BLOCK)
        grad = tl.load(grad_ptr + at, mask=inside, other=0.0).to(tl.float32)
        if TRAINING:
            normal = (tl.load(x_ptr + at, mask=inside, other=0.0).to(tl.float32) - mean) * rstd
            grad -= (grad_bias + normal * grad_weight) / total
        tl.store(grad_x_ptr + at, (grad * rstd * weight).to(grad_x_ptr.dtype.element_ty), mask=inside)
