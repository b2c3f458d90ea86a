"""Convolution of pictures as a product of matrices that are never made (implicit GEMM): rows are the places of the result, columns its channels, and the depth runs over the channels and places of the
weight. Strides, padding, dilation and groups; a convolution along one axis has height 1."""
import triton
import triton.language as tl


@triton.jit
def conv2d(x_ptr, weight_ptr, bias_ptr, out_ptr, x_stride_n, x_stride_c, x_stride_h, x_stride_w, weight_stride_o, weight_stride_c, weight_stride_h, weight_stride_w,  #
           out_stride_n, out_stride_c, out_stride_h, out_stride_w, batch, height, width, out_height, out_width, per_group_in, per_group_out,  #
           step_h, step_w, pad_h, pad_w, dilation_h, dilation_w, KERNEL_H: tl.constexpr, KERNEL_W: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
           BLOCK_K: tl.constexpr, PRECISION: tl.constexpr = None):
    """x [batch, groups * per_group_in, height, width], weight [groups * per_group_out, per_group_in, KERNEL_H, KERNEL_W], out [batch, groups * per_group_out, out_height, out_width], any strides; bias [channels of
    out] or None. Grid: (blocks of batch * out_height * out_width, blocks of per_group_out, groups)."""
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
        c = k % per_group_in
        kw = k // per_group_in % KERNEL_W
        kh = k // per_group_in // KERNEL_W
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
