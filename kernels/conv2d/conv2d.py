"""Convolution of pictures as a product of matrices that are never made (implicit GEMM): rows are the places of the result, columns its channels, and the depth runs over the channels and places of the
weight. Strides, padding, dilation and groups; a convolution along one axis has height 1. The gradients are such products too."""
import triton
import triton.language as tl


@triton.jit
def depth_at(k, first, channels, KERNEL_W: tl.constexpr, BLOCK_K: tl.constexpr, WHOLE: tl.constexpr):
    """(channel, row, column) of the weight at the depths k. Where a block lies in one place of the weight, that is one division for all of them, and its channels are neighbours for sure."""
    if WHOLE:
        c = first % channels + tl.arange(0, BLOCK_K)
        place = tl.zeros((BLOCK_K, ), tl.int32) + first // channels
    else:
        c = k % channels
        place = k // channels
    return c, place // KERNEL_W, place % KERNEL_W


@triton.jit
def conv2d(x_ptr, weight_ptr, bias_ptr, out_ptr, x_stride_n, x_stride_c, x_stride_h, x_stride_w, weight_stride_o, weight_stride_c, weight_stride_h, weight_stride_w,  #
           out_stride_n, out_stride_c, out_stride_h, out_stride_w, batch, height, width, out_height, out_width, per_group_in, per_group_out,  #
           step_h, step_w, pad_h, pad_w, dilation_h, dilation_w, KERNEL_H: tl.constexpr, KERNEL_W: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
           BLOCK_K: tl.constexpr, PRECISION: tl.constexpr = None, WHOLE: tl.constexpr = False):
    """x [batch, groups * per_group_in, height, width], weight [groups * per_group_out, per_group_in, KERNEL_H, KERNEL_W], out [batch, groups * per_group_out, out_height, out_width], any strides; bias [channels of
    out] or None. WHOLE says that BLOCK_K divides per_group_in. Grid: (blocks of batch * out_height * out_width, blocks of per_group_out, groups)."""
    place = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    channel = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    group = tl.program_id(2)
    n = place // (out_height * out_width)
    y = place // out_width % out_height * step_h - pad_h
    x = place % out_width * step_w - pad_w
    place_inside = n < batch
    channel_inside = channel < per_group_out
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    x_ptr += (group * per_group_in).to(tl.int64) * x_stride_c
    out_channel = (group * per_group_out + channel).to(tl.int64)
    for first in range(0, per_group_in * (KERNEL_H * KERNEL_W), BLOCK_K):
        k = first + tl.arange(0, BLOCK_K)
        # The channel runs fastest: neighbours of the depth are neighbours in a picture whose channels lie last, and share a place in one whose channels come first.
        c, kh, kw = depth_at(k, first, per_group_in, KERNEL_W, BLOCK_K, WHOLE)
        depth_inside = kh < KERNEL_H
        row = y[:, None] + (kh * dilation_h)[None, :]
        column = x[:, None] + (kw * dilation_w)[None, :]
        inside = place_inside[:, None] & depth_inside[None, :] & (row >= 0) & (row < height) & (column >= 0) & (column < width)
        at = n.to(tl.int64)[:, None] * x_stride_n + c.to(tl.int64)[None, :] * x_stride_c + row.to(tl.int64) * x_stride_h + column.to(tl.int64) * x_stride_w
        a = tl.load(x_ptr + at, mask=inside, other=0.0)
        at_weight = (c.to(tl.int64) * weight_stride_c + kh.to(tl.int64) * weight_stride_h + kw.to(tl.int64) * weight_stride_w)[:, None] + out_channel[None, :] * weight_stride_o
        b = tl.load(weight_ptr + at_weight, mask=depth_inside[:, None] & channel_inside[None, :], other=0.0)
        total = tl.dot(a, b, total, input_precision=PRECISION)
    if bias_ptr is not None:
        total += tl.load(bias_ptr + out_channel, mask=channel_inside, other=0.0).to(tl.float32)[None, :]
    at_out = n.to(tl.int64) * out_stride_n + (place // out_width % out_height).to(tl.int64) * out_stride_h + (place % out_width).to(tl.int64) * out_stride_w
    tl.store(out_ptr + at_out[:, None] + out_channel[None, :] * out_stride_c, total.to(out_ptr.dtype.element_ty), mask=place_inside[:, None] & channel_inside[None, :])


@triton.jit
def conv2d_input_gradient(grad_ptr, weight_ptr, out_ptr, grad_stride_n, grad_stride_c, grad_stride_h, grad_stride_w, weight_stride_o, weight_stride_c, weight_stride_h, weight_stride_w,  #
                          out_stride_n, out_stride_c, out_stride_h, out_stride_w, batch, height, width, grad_height, grad_width, per_group_in, per_group_out,  #
                          step_h, step_w, pad_h, pad_w, dilation_h, dilation_w, KERNEL_H: tl.constexpr, KERNEL_W: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                          BLOCK_K: tl.constexpr, PRECISION: tl.constexpr = None, WHOLE: tl.constexpr = False):
    """The gradient of x, [batch, groups * per_group_in, height, width], from that of the result, [batch, groups * per_group_out, grad_height, grad_width], any strides: a place (y, x) gets what each place of the weight took
    from it. It is also the convolution that torch calls transposed. WHOLE says that BLOCK_K divides per_group_out. Grid: (blocks of batch * height * width, blocks of per_group_in, groups)."""
    place = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    channel = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    group = tl.program_id(2)
    n = place // (height * width)
    y = place // width % height
    x = place % width
    place_inside = n < batch
    channel_inside = channel < per_group_in
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    grad_ptr += (group * per_group_out).to(tl.int64) * grad_stride_c
    weight_ptr += (group * per_group_out).to(tl.int64) * weight_stride_o
    for first in range(0, per_group_out * (KERNEL_H * KERNEL_W), BLOCK_K):
        k = first + tl.arange(0, BLOCK_K)
        o, kh, kw = depth_at(k, first, per_group_out, KERNEL_W, BLOCK_K, WHOLE)
        depth_inside = kh < KERNEL_H
        # Behind the padding and the weight's place; with steps only every step_h-th row was taken.
        row = y[:, None] + pad_h - (kh * dilation_h)[None, :]
        column = x[:, None] + pad_w - (kw * dilation_w)[None, :]
        inside = place_inside[:, None] & depth_inside[None, :] & (row >= 0) & (column >= 0) & (row % step_h == 0) & (column % step_w == 0)
        inside = inside & (row // step_h < grad_height) & (column // step_w < grad_width)
        at = n.to(tl.int64)[:, None] * grad_stride_n + o.to(tl.int64)[None, :] * grad_stride_c + (row // step_h).to(tl.int64) * grad_stride_h + (column // step_w).to(tl.int64) * grad_stride_w
        a = tl.load(grad_ptr + at, mask=inside, other=0.0)
        at_weight = (o.to(tl.int64) * weight_stride_o + kh.to(tl.int64) * weight_stride_h + kw.to(tl.int64) * weight_stride_w)[:, None] + channel.to(tl.int64)[None, :] * weight_stride_c
        b = tl.load(weight_ptr + at_weight, mask=depth_inside[:, None] & channel_inside[None, :], other=0.0)
        total = tl.dot(a, b, total, input_precision=PRECISION)
    at_out = n.to(tl.int64) * out_stride_n + y.to(tl.int64) * out_stride_h + x.to(tl.int64) * out_stride_w
    channels = (group * per_group_in + channel).to(tl.int64)
    tl.store(out_ptr + at_out[:, None] + channels[None, :] * out_stride_c, total.to(out_ptr.dtype.element_ty), mask=place_inside[:, None] & channel_inside[None, :])


@triton.jit
def conv2d_weight_gradient(grad_ptr, x_ptr, out_ptr, grad_stride_n, grad_stride_c, grad_stride_h, grad_stride_w, x_stride_n, x_stride_c, x_stride_h, x_stride_w,  #
                           batch, height, width, grad_height, grad_width, per_group_in, per_group_out, step_h, step_w, pad_h, pad_w, dilation_h, dilation_w, groups, chunk,  #
                           KERNEL_H: tl.constexpr, KERNEL_W: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, PRECISION: tl.constexpr = None,
                           WHOLE: tl.constexpr = False, CHANNELS_LAST: tl.constexpr = False):
    """The gradient of the weight from that of the result and x: rows are channels of the result, columns channels and places of the weight, and the depth runs over the places of the result. A chunk of them, a multiple of
    BLOCK_K, is one share: out is contiguous [shares, groups * per_group_out, per_group_in, KERNEL_H, KERNEL_W], or with
    per_group_in behind the other two if CHANNELS_LAST. WHOLE says that BLOCK_N divides per_group_in. Grid: (blocks of per_group_out, blocks of per_group_in * KERNEL_H * KERNEL_W, shares * groups)."""
    channel = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    column = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    group = tl.program_id(2) % groups
    share = tl.program_id(2) // groups
    c, kh, kw = depth_at(column, tl.program_id(1) * BLOCK_N, per_group_in, KERNEL_W, BLOCK_N, WHOLE)
    channel_inside = channel < per_group_out
    column_inside = kh < KERNEL_H
    grad_ptr += (group * per_group_out).to(tl.int64) * grad_stride_c
    x_ptr += (group * per_group_in).to(tl.int64) * x_stride_c
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    places = batch * grad_height * grad_width
    for first in range(share * chunk, tl.minimum((share + 1) * chunk, places), BLOCK_K):
        place = first + tl.arange(0, BLOCK_K)
        n = place // (grad_height * grad_width)
        y = place // grad_width % grad_height
        x = place % grad_width
        place_inside = place < places
        at_grad = n.to(tl.int64) * grad_stride_n + y.to(tl.int64) * grad_stride_h + x.to(tl.int64) * grad_stride_w
        a = tl.load(grad_ptr + channel.to(tl.int64)[:, None] * grad_stride_c + at_grad[None, :], mask=channel_inside[:, None] & place_inside[None, :], other=0.0)
        row = (y * step_h - pad_h)[:, None] + (kh * dilation_h)[None, :]
        across = (x * step_w - pad_w)[:, None] + (kw * dilation_w)[None, :]
        inside = place_inside[:, None] & column_inside[None, :] & (row >= 0) & (row < height) & (across >= 0) & (across < width)
        at = n.to(tl.int64)[:, None] * x_stride_n + c.to(tl.int64)[None, :] * x_stride_c + row.to(tl.int64) * x_stride_h + across.to(tl.int64) * x_stride_w
        b = tl.load(x_ptr + at, mask=inside, other=0.0)
        total = tl.dot(a, b, total, input_precision=PRECISION)
    rows = (share * groups + group).to(tl.int64) * per_group_out + channel
    within = column if CHANNELS_LAST else c * (KERNEL_H * KERNEL_W) + kh * KERNEL_W + kw
    at_out = rows[:, None] * (per_group_in * (KERNEL_H * KERNEL_W)) + within[None, :]
    tl.store(out_ptr + at_out, total.to(out_ptr.dtype.element_ty), mask=channel_inside[:, None] & column_inside[None, :])


@triton.jit
def conv2d_bias_gradient(grad_ptr, out_ptr, grad_stride_n, grad_stride_c, grad_stride_h, grad_stride_w, batch, grad_height, grad_width, BLOCK: tl.constexpr):
    """The sum of a channel's gradient over all places. One program a channel."""
    channel = tl.program_id(0)
    grad_ptr += channel.to(tl.int64) * grad_stride_c
    total = tl.zeros((BLOCK, ), tl.float32)
    places = batch * grad_height * grad_width
    for first in range(0, places, BLOCK):
        place = first + tl.arange(0, BLOCK)
        at = (place // (grad_height * grad_width)).to(tl.int64) * grad_stride_n + (place // grad_width % grad_height).to(tl.int64) * grad_stride_h + (place % grad_width).to(tl.int64) * grad_stride_w
        total += tl.load(grad_ptr + at, mask=place < places, other=0.0).to(tl.float32)
    tl.store(out_ptr + channel, tl.sum(total, axis=0).to(out_ptr.dtype.element_ty))


@triton.jit
def block_of_places(index, tiles_h, tiles_w, BLOCK_P: tl.constexpr, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    """Where a block of places begins: the picture, the row and the column."""
    return index // (tiles_h * tiles_w) * BLOCK_P, index // tiles_w % tiles_h * BLOCK_H, index % tiles_w * BLOCK_W


@triton.jit
def conv2d_of_blocks(x_ptr, weight_ptr, bias_ptr, out_ptr, x_stride_n, x_stride_h, x_stride_w, out_stride_n, out_stride_h, out_stride_w, batch, height, width, out_height, out_width,  #
                     channels_in, channels_out, pad_h, pad_w, dilation_h, dilation_w, KERNEL_H: tl.constexpr, KERNEL_W: tl.constexpr, BACKWARD: tl.constexpr, BLOCK_P: tl.constexpr,
                     BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, PRECISION: tl.constexpr = None):
    """conv2d with steps of 1 and one group, where channels lie last (x, out) and weight is contiguous [channels of the result, KERNEL_H, KERNEL_W, channels]: a block of places, BLOCK_P pictures by BLOCK_H rows by BLOCK_W
    columns, is a block of x for each place of the weight, and what lies outside of the picture reads as zero, so that TMA brings it as it is. BACKWARD: x is the gradient of the result and out that of x; the weight is the
    same. channels_in and channels_out are those of x and out. Grid: any number of programs."""
    ROWS: tl.constexpr = BLOCK_P * BLOCK_H * BLOCK_W
    PLACES: tl.constexpr = KERNEL_H * KERNEL_W
    x = tl.make_tensor_descriptor(x_ptr, shape=[batch, height, width, channels_in], strides=[x_stride_n, x_stride_h, x_stride_w, 1], block_shape=[BLOCK_P, BLOCK_H, BLOCK_W, BLOCK_K])
    out = tl.make_tensor_descriptor(out_ptr, shape=[batch, out_height, out_width, channels_out], strides=[out_stride_n, out_stride_h, out_stride_w, 1], block_shape=[BLOCK_P, BLOCK_H, BLOCK_W, BLOCK_N])
    if BACKWARD:
        weight = tl.make_tensor_descriptor(weight_ptr, shape=[channels_in, PLACES, channels_out], strides=[channels_out * PLACES, channels_out, 1], block_shape=[BLOCK_K, 1, BLOCK_N])
    else:
        weight = tl.make_tensor_descriptor(weight_ptr, shape=[channels_out, PLACES, channels_in], strides=[channels_in * PLACES, channels_in, 1], block_shape=[BLOCK_N, 1, BLOCK_K])
    tiles_n = tl.cdiv(channels_out, BLOCK_N)
    tiles_w = tl.cdiv(out_width, BLOCK_W)
    tiles_h = tl.cdiv(out_height, BLOCK_H)
    steps = tl.cdiv(channels_in, BLOCK_K)
    for tile in tl.range(tl.program_id(0), tl.cdiv(batch, BLOCK_P) * tiles_h * tiles_w * tiles_n, tl.num_programs(0)):
        channel = tile % tiles_n * BLOCK_N
        n, y, across = block_of_places(tile // tiles_n, tiles_h, tiles_w, BLOCK_P, BLOCK_H, BLOCK_W)
        total = tl.zeros((ROWS, BLOCK_N), tl.float32)
        for step in range(0, steps * PLACES):
            place = step // steps
            k = step % steps * BLOCK_K
            down = place // KERNEL_W * dilation_h - pad_h
            right = place % KERNEL_W * dilation_w - pad_w
            if BACKWARD:
                a = x.load([n, y - down, across - right, k]).reshape(ROWS, BLOCK_K)
                b = weight.load([k, place, channel]).reshape(BLOCK_K, BLOCK_N)
            else:
                a = x.load([n, y + down, across + right, k]).reshape(ROWS, BLOCK_K)
                b = weight.load([channel, place, k]).reshape(BLOCK_N, BLOCK_K).T
            total = tl.dot(a, b, total, input_precision=PRECISION)
        if bias_ptr is not None:
            channels = channel + tl.arange(0, BLOCK_N)
            total += tl.load(bias_ptr + channels, mask=channels < channels_out, other=0.0).to(tl.float32)[None, :]
        out.store([n, y, across, channel], total.to(out_ptr.dtype.element_ty).reshape(BLOCK_P, BLOCK_H, BLOCK_W, BLOCK_N))


@triton.jit
def conv2d_weight_gradient_of_blocks(grad_ptr, x_ptr, out_ptr, grad_stride_n, grad_stride_h, grad_stride_w, x_stride_n, x_stride_h, x_stride_w, batch, height, width, grad_height, grad_width,  #
                                     channels_in, channels_out, pad_h, pad_w, dilation_h, dilation_w, shares, KERNEL_H: tl.constexpr, KERNEL_W: tl.constexpr, BLOCK_P: tl.constexpr,
                                     BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, PRECISION: tl.constexpr = None):
    """The gradient of such a convolution's weight, contiguous [shares, channels_out, KERNEL_H, KERNEL_W, channels_in], from that of the result and x: the depth runs over blocks of places, of which each share has a part.
    Grid: any number of programs."""
    ROWS: tl.constexpr = BLOCK_P * BLOCK_H * BLOCK_W
    PLACES: tl.constexpr = KERNEL_H * KERNEL_W
    grad = tl.make_tensor_descriptor(grad_ptr, shape=[batch, grad_height, grad_width, channels_out], strides=[grad_stride_n, grad_stride_h, grad_stride_w, 1],
                                     block_shape=[BLOCK_P, BLOCK_H, BLOCK_W, BLOCK_M])
    x = tl.make_tensor_descriptor(x_ptr, shape=[batch, height, width, channels_in], strides=[x_stride_n, x_stride_h, x_stride_w, 1], block_shape=[BLOCK_P, BLOCK_H, BLOCK_W, BLOCK_N])
    out = tl.make_tensor_descriptor(out_ptr, shape=[shares, channels_out, PLACES, channels_in], strides=[channels_out * PLACES * channels_in, PLACES * channels_in, channels_in, 1],
                                    block_shape=[1, BLOCK_M, 1, BLOCK_N])
    tiles_m = tl.cdiv(channels_out, BLOCK_M)
    tiles = tiles_m * tl.cdiv(channels_in, BLOCK_N)
    tiles_w = tl.cdiv(grad_width, BLOCK_W)
    tiles_h = tl.cdiv(grad_height, BLOCK_H)
    blocks = tl.cdiv(batch, BLOCK_P) * tiles_h * tiles_w
    for tile in tl.range(tl.program_id(0), tiles * PLACES * shares, tl.num_programs(0)):
        o = tile % tiles_m * BLOCK_M
        c = tile % tiles // tiles_m * BLOCK_N
        place = tile // tiles % PLACES
        share = tile // (tiles * PLACES)
        down = place // KERNEL_W * dilation_h - pad_h
        right = place % KERNEL_W * dilation_w - pad_w
        total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        # As many blocks for each share but the last.
        for block in range(tl.cdiv(blocks, shares) * share, tl.minimum(tl.cdiv(blocks, shares) * (share + 1), blocks)):
            n, y, across = block_of_places(block, tiles_h, tiles_w, BLOCK_P, BLOCK_H, BLOCK_W)
            a = grad.load([n, y, across, o]).reshape(ROWS, BLOCK_M)
            b = x.load([n, y + down, across + right, c]).reshape(ROWS, BLOCK_N)
            total = tl.dot(a.T, b, total, input_precision=PRECISION)
        out.store([share, o, place, c], total.to(out_ptr.dtype.element_ty).reshape(1, BLOCK_M, 1, BLOCK_N))
