"""A short convolution along the length of [batch, channels, length], each channel by itself, which sees no later element: out[b, c, t] = activation(bias[c] +
sum of weight[c, w] * x[b, c, t - (WIDTH - 1) + w] over w), forward, backward and one step of decoding, in fp32 inside. What lies before the first element is 0, or
the last WIDTH - 1 columns of a state. The activation is silu, or none. Any strides of x and out; weight [channels, WIDTH] is contiguous."""
import triton
import triton.language as tl


@triton.jit
def load_at(x_ptr, state_ptr, channels, t, n_channels, length, stride_c, stride_t, state_stride_c, WIDTH: tl.constexpr):
    """x of some channels at some times; from the state where a time is negative, 0 without one and outside."""
    inside = (channels < n_channels)[:, None] & (t >= 0)[None, :] & (t < length)[None, :]
    x = tl.load(x_ptr + channels.to(tl.int64)[:, None] * stride_c + t.to(tl.int64)[None, :] * stride_t, mask=inside, other=0.0).to(tl.float32)
    if state_ptr is not None:
        before = (channels < n_channels)[:, None] & (t < 0)[None, :] & (t >= 1 - WIDTH)[None, :]
        x += tl.load(state_ptr + channels.to(tl.int64)[:, None] * state_stride_c + (t + (WIDTH - 1))[None, :], mask=before, other=0.0).to(tl.float32)
    return x


@triton.jit
def load_weight(weight_ptr, channels, n_channels, w, WIDTH: tl.constexpr):
    return tl.load(weight_ptr + channels * WIDTH + w, mask=channels < n_channels, other=0.0).to(tl.float32)[:, None]


@triton.jit
def eighths(x):
    """Every eighth column of a tile, from the first, the second, … the eighth one on."""
    x = tl.reshape(x, (x.shape[0], x.shape[1] // 8, 2, 2, 2))
    even, odd = tl.split(x)
    a, c = tl.split(even)
    b, d = tl.split(odd)
    a0, a4 = tl.split(a)
    b1, b5 = tl.split(b)
    c2, c6 = tl.split(c)
    d3, d7 = tl.split(d)
    return a0, b1, c2, d3, a4, b5, c6, d7


@triton.jit
def of_eighths(x0, x1, x2, x3, x4, x5, x6, x7):
    """The tile that `eighths` takes apart."""
    even = tl.join(tl.join(x0, x4), tl.join(x2, x6))
    odd = tl.join(tl.join(x1, x5), tl.join(x3, x7))
    return tl.reshape(tl.join(even, odd), (x0.shape[0], x0.shape[1] * 8))


@triton.jit
def convolve(x_ptr, state_ptr, weight_ptr, bias_ptr, channels, t, n_channels, length, stride_c, stride_t, state_stride_c, WIDTH: tl.constexpr, BY_EIGHT: tl.constexpr = False):
    """The sums before the activation. BY_EIGHT (of up to four weights, without a state): x is loaded in whole runs of eight, and what is earlier comes from them and the run before."""
    total = tl.zeros((channels.shape[0], t.shape[0]), tl.float32)
    if bias_ptr is not None:
        total += tl.load(bias_ptr + channels, mask=channels < n_channels, other=0.0).to(tl.float32)[:, None]
    if BY_EIGHT:
        x = load_at(x_ptr, None, channels, t, n_channels, length, stride_c, stride_t, 0, WIDTH)
        _, _, _, _, _, before3, before2, before1 = eighths(load_at(x_ptr, None, channels, t - 8, n_channels, length, stride_c, stride_t, 0, WIDTH))
        x0, x1, x2, x3, x4, x5, x6, x7 = eighths(x)
        total += load_weight(weight_ptr, channels, n_channels, WIDTH - 1, WIDTH) * x
        if WIDTH >= 2:
            total += load_weight(weight_ptr, channels, n_channels, WIDTH - 2, WIDTH) * of_eighths(before1, x0, x1, x2, x3, x4, x5, x6)
        if WIDTH >= 3:
            total += load_weight(weight_ptr, channels, n_channels, WIDTH - 3, WIDTH) * of_eighths(before2, before1, x0, x1, x2, x3, x4, x5)
        if WIDTH >= 4:
            total += load_weight(weight_ptr, channels, n_channels, WIDTH - 4, WIDTH) * of_eighths(before3, before2, before1, x0, x1, x2, x3, x4)
    else:
        for w in tl.static_range(WIDTH):
            x = load_at(x_ptr, state_ptr, channels, t - (WIDTH - 1) + w, n_channels, length, stride_c, stride_t, state_stride_c, WIDTH)
            total += load_weight(weight_ptr, channels, n_channels, w, WIDTH) * x
    return total


@triton.jit
def causal_conv1d_forward(x_ptr, weight_ptr, bias_ptr, state_ptr, out_ptr, x_stride_b, x_stride_c, x_stride_t, out_stride_b, out_stride_c, out_stride_t,
                          n_channels, length, WIDTH: tl.constexpr, SILU: tl.constexpr, BLOCK_C: tl.constexpr, BLOCK_T: tl.constexpr, BY_EIGHT: tl.constexpr = False):
    """state is contiguous [batch, channels, WIDTH - 1], or None; bias may be None. Grid: (blocks of times, blocks of channels, batch)."""
    batch = tl.program_id(2).to(tl.int64)
    channels = tl.program_id(1) * BLOCK_C + tl.arange(0, BLOCK_C)
    t = tl.program_id(0) * BLOCK_T + tl.arange(0, BLOCK_T)
    if state_ptr is not None:
        state_ptr += batch * n_channels * (WIDTH - 1)
    result = convolve(x_ptr + batch * x_stride_b, state_ptr, weight_ptr, bias_ptr, channels, t, n_channels, length, x_stride_c, x_stride_t, WIDTH - 1, WIDTH, BY_EIGHT)
    if SILU:
        result = result * tl.sigmoid(result)
    inside = (channels < n_channels)[:, None] & (t < length)[None, :]
    out = out_ptr + batch * out_stride_b + channels.to(tl.int64)[:, None] * out_stride_c + t.to(tl.int64)[None, :] * out_stride_t
    tl.store(out, result.to(out_ptr.dtype.element_ty), mask=inside)


@triton.jit
def slope_at(grad_out_ptr, x_ptr, state_ptr, weight_ptr, bias_ptr, channels, t, n_channels, length, grad_stride_c, grad_stride_t, x_stride_c, x_stride_t,
             WIDTH: tl.constexpr, SILU: tl.constexpr, BY_EIGHT: tl.constexpr = False):
    """The gradient before the activation at some times; 0 outside."""
    grad = load_at(grad_out_ptr, None, channels, t, n_channels, length, grad_stride_c, grad_stride_t, 0, WIDTH)
    if SILU:
        y = convolve(x_ptr, state_ptr, weight_ptr, bias_ptr, channels, t, n_channels, length, x_stride_c, x_stride_t, WIDTH - 1, WIDTH, BY_EIGHT)
        s = tl.sigmoid(y)
        grad *= s * (1 + y * (1 - s))
    return grad


@triton.jit
def causal_conv1d_backward(grad_out_ptr, x_ptr, weight_ptr, bias_ptr, state_ptr, grad_x_ptr, partial_ptr, grad_stride_b, grad_stride_c, grad_stride_t,
                           x_stride_b, x_stride_c, x_stride_t, grad_x_stride_b, grad_x_stride_c, grad_x_stride_t, n_channels, length,
                           WIDTH: tl.constexpr, SILU: tl.constexpr, BLOCK_C: tl.constexpr, BLOCK_T: tl.constexpr, BY_EIGHT: tl.constexpr = False):
    """The gradient of x, and a share of those of weight and bias: partial is fp32 [batch * blocks of times, WIDTH + 1, channels], the bias last, whose first
    axis reduce_columns adds up. The grid of the forward pass."""
    batch = tl.program_id(2).to(tl.int64)
    channels = tl.program_id(1) * BLOCK_C + tl.arange(0, BLOCK_C)
    t = tl.program_id(0) * BLOCK_T + tl.arange(0, BLOCK_T)
    x_ptr += batch * x_stride_b
    grad_out_ptr += batch * grad_stride_b
    if state_ptr is not None:
        state_ptr += batch * n_channels * (WIDTH - 1)
    partial_ptr += (batch * tl.num_programs(0) + tl.program_id(0)) * (WIDTH + 1) * n_channels
    channel_inside = channels < n_channels
    if BY_EIGHT:
        own = slope_at(grad_out_ptr, x_ptr, None, weight_ptr, bias_ptr, channels, t, n_channels, length, grad_stride_c, grad_stride_t, x_stride_c, x_stride_t, WIDTH, SILU, True)
        after = slope_at(grad_out_ptr, x_ptr, None, weight_ptr, bias_ptr, channels, t + 8, n_channels, length, grad_stride_c, grad_stride_t, x_stride_c, x_stride_t, WIDTH, SILU, True)
        x = load_at(x_ptr, None, channels, t, n_channels, length, x_stride_c, x_stride_t, 0, WIDTH)
        _, _, _, _, _, before3, before2, before1 = eighths(load_at(x_ptr, None, channels, t - 8, n_channels, length, x_stride_c, x_stride_t, 0, WIDTH))
        x0, x1, x2, x3, x4, x5, x6, x7 = eighths(x)
        s0, s1, s2, s3, s4, s5, s6, s7 = eighths(own)
        a0, a1, a2, _, _, _, _, _ = eighths(after)
        grad_x = load_weight(weight_ptr, channels, n_channels, WIDTH - 1, WIDTH) * own
        tl.store(partial_ptr + (WIDTH - 1) * n_channels + channels, tl.sum(own * x, axis=1), mask=channel_inside)
        if WIDTH >= 2:
            grad_x += load_weight(weight_ptr, channels, n_channels, WIDTH - 2, WIDTH) * of_eighths(s1, s2, s3, s4, s5, s6, s7, a0)
            tl.store(partial_ptr + (WIDTH - 2) * n_channels + channels, tl.sum(own * of_eighths(before1, x0, x1, x2, x3, x4, x5, x6), axis=1), mask=channel_inside)
        if WIDTH >= 3:
            grad_x += load_weight(weight_ptr, channels, n_channels, WIDTH - 3, WIDTH) * of_eighths(s2, s3, s4, s5, s6, s7, a0, a1)
            tl.store(partial_ptr + (WIDTH - 3) * n_channels + channels, tl.sum(own * of_eighths(before2, before1, x0, x1, x2, x3, x4, x5), axis=1), mask=channel_inside)
        if WIDTH >= 4:
            grad_x += load_weight(weight_ptr, channels, n_channels, WIDTH - 4, WIDTH) * of_eighths(s3, s4, s5, s6, s7, a0, a1, a2)
            tl.store(partial_ptr + (WIDTH - 4) * n_channels + channels, tl.sum(own * of_eighths(before3, before2, before1, x0, x1, x2, x3, x4), axis=1), mask=channel_inside)
    else:
        grad_x = tl.zeros((BLOCK_C, BLOCK_T), tl.float32)
        for w in tl.static_range(WIDTH):
            later = slope_at(grad_out_ptr, x_ptr, state_ptr, weight_ptr, bias_ptr, channels, t + (WIDTH - 1) - w, n_channels, length, grad_stride_c,
                             grad_stride_t, x_stride_c, x_stride_t, WIDTH, SILU)
            grad_x += load_weight(weight_ptr, channels, n_channels, w, WIDTH) * later
        own = slope_at(grad_out_ptr, x_ptr, state_ptr, weight_ptr, bias_ptr, channels, t, n_channels, length, grad_stride_c, grad_stride_t, x_stride_c,
                       x_stride_t, WIDTH, SILU)
        for w in tl.static_range(WIDTH):
            x = load_at(x_ptr, state_ptr, channels, t - (WIDTH - 1) + w, n_channels, length, x_stride_c, x_stride_t, WIDTH - 1, WIDTH)
            tl.store(partial_ptr + w * n_channels + channels, tl.sum(own * x, axis=1), mask=channel_inside)
    tl.store(partial_ptr + WIDTH * n_channels + channels, tl.sum(own, axis=1), mask=channel_inside)
    place = grad_x_ptr + batch * grad_x_stride_b + channels.to(tl.int64)[:, None] * grad_x_stride_c + t.to(tl.int64)[None, :] * grad_x_stride_t
    tl.store(place, grad_x.to(grad_x_ptr.dtype.element_ty), mask=channel_inside[:, None] & (t < length)[None, :])


@triton.jit
def causal_conv1d_update(x_ptr, weight_ptr, bias_ptr, state_ptr, out_ptr, x_stride_b, out_stride_b, n_channels, WIDTH: tl.constexpr, SILU: tl.constexpr,
                         BLOCK: tl.constexpr):
    """One new element for each channel, x [batch, channels]: out is its convolution, and the state [batch, channels, WIDTH - 1], contiguous, moves on by one.
    Grid: (blocks of channels, batch)."""
    batch = tl.program_id(1).to(tl.int64)
    channels = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = channels < n_channels
    state_ptr += (batch * n_channels + channels) * (WIDTH - 1)
    x = tl.load(x_ptr + batch * x_stride_b + channels, mask=inside, other=0.0)
    result = load_weight(weight_ptr, channels, n_channels, WIDTH - 1, WIDTH).reshape(BLOCK) * x.to(tl.float32)
    if bias_ptr is not None:
        result += tl.load(bias_ptr + channels, mask=inside, other=0.0).to(tl.float32)
    for w in tl.static_range(WIDTH - 1):
        old = tl.load(state_ptr + w, mask=inside, other=0.0)
        result += load_weight(weight_ptr, channels, n_channels, w, WIDTH).reshape(BLOCK) * old.to(tl.float32)
        if w > 0:
            tl.store(state_ptr + w - 1, old, mask=inside)
    if WIDTH > 1:
        tl.store(state_ptr + WIDTH - 2, x.to(state_ptr.dtype.element_ty), mask=inside)
    if SILU:
        result = result * tl.sigmoid(result)
    tl.store(out_ptr + batch * out_stride_b + channels, result.to(out_ptr.dtype.element_ty), mask=inside)
