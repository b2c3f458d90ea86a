"""Convolutions of pictures and along sequences."""
from __future__ import annotations

import math

from ._arrays import contiguous, dtype_name, empty, on_gpu, pair, require, require_floats, require_places, require_shape, strides
from ._configurations import configuration, launch_options
from ._declare import op
from ._library import cache_modifier, cdiv, launch, multiprocessors, power_of_two


def _blocks(x, rows, columns, inner):
    """(blocks of rows, columns and depth, launch options); `inner` numbers follow each other along the depth."""
    is_wide = on_gpu(x) and dtype_name(x) != "float32"  # tiles for tensor cores
    block_m, block_n = (min(max(power_of_two(n), 16), 128 if is_wide else 64) for n in (rows, columns))
    if is_wide and columns % 256 == 0 and cdiv(rows, 128) * (columns // 256) >= multiprocessors(x):
        block_n = configuration("conv2d_of_blocks", x, bytes=2, large=True).get("BLOCK_N", block_n)  # elsewhere registers do not hold as much
    return block_m, block_n, 64 if is_wide and inner % 64 == 0 else 32, {"num_warps": 8 if block_m * block_n >= 128 * 128 else 4}


def _channels_lie_last(x):
    return x.shape[1] > 1 and strides(x)[1] == 1


def _pictures(like, shape, last):
    """[batch, channels, height, width], in memory so or with the channels last."""
    batch, channels, *sizes = shape
    if not last:
        return empty(like, shape)
    return empty(like, (batch, *sizes, channels)).swapaxes(1, 3).swapaxes(2, 3)


def _is_whole(x):
    """Whether TMA can bring blocks: channels last, and whole pieces of 16 bytes as far as the compiler is told."""
    return _channels_lie_last(x) and x.shape[1] % 16 == 0 and all(step % 16 == 0 for axis, step in enumerate(strides(x)) if axis != 1) and x.data_ptr() % 16 == 0


def _lies_in_planes(x):
    """Whether each channel of a picture is one piece of memory, one behind the other."""
    return tuple(strides(x)) == tuple(math.prod(x.shape[axis + 1:]) for axis in range(4)) and x.shape[0] < 65536


def _transpose(x, out, batch, rows, columns):
    """A batch of contiguous matrices into another one, whose rows are their columns."""
    launch("transpose", "transpose", (cdiv(columns, 64), cdiv(rows, 64), batch), x, out, rows, columns, rows * columns, columns, rows * columns, rows, 64, 64, cache_modifier(out))


def _brought_last(x):
    """`x`, or a copy with its channels last, that TMA can bring; None where there is none."""
    if _is_whole(x):
        return x
    batch, channels, height, width = x.shape
    if channels % 16:
        return None
    if not _lies_in_planes(x):
        return contiguous(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
    last = empty(x, (batch, height, width, channels))
    _transpose(x, last, batch, channels, height * width)
    return last.permute(0, 3, 1, 2)


def _copy_from_last(out, last):
    """`out`, in whatever order of memory, becomes pictures with their channels last."""
    batch, channels, height, width = out.shape
    if _lies_in_planes(out):
        _transpose(last, out, batch, height * width, channels)
    else:
        out[...] = last


def _places(rows, batch, height, width):
    """So many places as a block of pictures, rows and columns that covers all with the fewest."""
    sizes = [1 << i for i in range(rows.bit_length())]
    return min(((rows // (h * w), h, w) for w in sizes for h in sizes if h * w <= rows),
               key=lambda block: (cdiv(batch, block[0]) * cdiv(height, block[1]) * cdiv(width, block[2]), -block[2], -block[1]))


def _plan(x, columns, places):
    """How a convolution by blocks runs where `x` lies: no numbers where it does not."""
    if not on_gpu(x) or dtype_name(x) == "float32":
        return {}
    numbers = configuration("conv2d_of_blocks", x, bytes=2, large=places * columns >= 128 * 256 * multiprocessors(x))
    return {**numbers, "BLOCK_N": min(numbers["BLOCK_N"], max(power_of_two(columns), 64))} if numbers else {}


def _by_blocks(x, weight, bias, out, padding, dilation, backward):
    """conv2d, or the gradient of x, by blocks; whether that was done."""
    batch, channels, height, width = x.shape
    _, columns, *sizes = out.shape
    plan = _plan(x, columns, batch * sizes[0] * sizes[1])
    if not plan or 0 in (*x.shape, *out.shape) or columns % 16 or (x := _brought_last(x)) is None:
        return False
    given, out = out, out if _is_whole(out) else _pictures(out, out.shape, True)
    weight = contiguous(weight.permute(0, 2, 3, 1))
    places = _places(plan["BLOCK_M"], batch, *sizes)
    tiles = cdiv(batch, places[0]) * cdiv(sizes[0], places[1]) * cdiv(sizes[1], places[2]) * cdiv(columns, plan["BLOCK_N"])
    x_steps, out_steps = strides(x), strides(out)
    launch("conv2d", "conv2d_of_blocks", (min(tiles, multiprocessors(x)), ), x, weight, bias, out, x_steps[0], *x_steps[2:], out_steps[0], *out_steps[2:], batch, height, width, *sizes, channels, columns, *padding,
           *dilation, *weight.shape[1:3], backward, *places, plan["BLOCK_N"], min(plan["BLOCK_K"], max(power_of_two(channels), 16)), **launch_options(plan))
    if given is not out:
        _copy_from_last(given, out)
    return True


def _weight_by_blocks(grad_out, x, grad, padding, dilation):
    """The gradient of the weight by blocks; whether that was done."""
    batch, channels, height, width = x.shape
    _, columns, *sizes = grad_out.shape
    kernel_h, kernel_w = grad.shape[2:]
    plan = _plan(x, channels, multiprocessors(x) * 128)
    if not plan or 0 in (*x.shape, *grad_out.shape, kernel_h, kernel_w) or (x := _brought_last(x)) is None or (grad_out := _brought_last(grad_out)) is None:
        return False
    given, grad = grad, grad if _channels_lie_last(grad) else _pictures(grad, grad.shape, True)
    places, block_m = _places(plan["BLOCK_K"], batch, *sizes), min(plan["BLOCK_M"], max(power_of_two(columns), 64))
    tiles, processors = cdiv(columns, block_m) * cdiv(channels, plan["BLOCK_N"]) * kernel_h * kernel_w, multiprocessors(x)
    blocks = cdiv(batch, places[0]) * cdiv(sizes[0], places[1]) * cdiv(sizes[1], places[2])

    def cost(shares):
        """The operations of all multiprocessors while the longest works, and in their place the bytes of the shares: one takes about as long as 250 of them."""
        steps = cdiv(tiles * shares, processors) * cdiv(blocks, shares)
        return 2 * block_m * plan["BLOCK_N"] * plan["BLOCK_K"] * steps * processors + (250 * 8 * math.prod(grad.shape) * shares if shares > 1 else 0)

    shares = min(range(1, max(4 * processors // tiles, 4) + 1), key=cost)
    partial = empty(x, (shares, columns, kernel_h, kernel_w, channels), "float32") if shares > 1 else grad
    grad_steps, x_steps = strides(grad_out), strides(x)
    launch("conv2d", "conv2d_weight_gradient_of_blocks", (min(tiles * shares, processors), ), grad_out, x, partial, grad_steps[0], *grad_steps[2:], x_steps[0], *x_steps[2:], batch, height, width, *sizes, channels,
           columns, *padding, *dilation, shares, kernel_h, kernel_w, *places, block_m, plan["BLOCK_N"], **launch_options(plan))
    if shares > 1:
        count = partial[0].numel()
        launch("reduce", "reduce_columns", (cdiv(count, 1024), ), partial, grad, count, shares, count, "sum", 1, 1024, num_warps=4)
    if given is not grad:
        given[...] = grad
    return True


@op("out")
def convolution(x: Array, weight: Array, bias: Array | None, stride_h: int, stride_w: int, padding_h: int, padding_w: int, dilation_h: int, dilation_w: int, groups: int):
    """See `conv2d`."""
    require_floats(input=x, weight=weight, bias=bias)
    require(len(x.shape) == 4 and len(weight.shape) == 4, f"`input` has shape {tuple(x.shape)} and `weight` {tuple(weight.shape)}, but four axes are expected")
    require(x.dtype == weight.dtype, f"`input` and `weight` have types {dtype_name(x)} and {dtype_name(weight)}, but one is expected")
    require(min(stride_h, stride_w, dilation_h, dilation_w, groups) >= 1 and min(padding_h, padding_w) >= 0, "stride, dilation and groups are at least 1, and padding is not negative")
    batch, channels, height, width = x.shape
    out_channels, _, kernel_h, kernel_w = weight.shape
    require(channels % groups == 0 and out_channels % groups == 0, f"{channels} and {out_channels} channels are no multiples of {groups} groups")
    require_shape("weight", weight, (out_channels, channels // groups, kernel_h, kernel_w))
    if bias is not None:
        require_shape("bias", bias, (out_channels, ))
    sizes = [(size + 2 * padding - dilation * (kernel - 1) - 1 + stride) // stride
             for size, kernel, stride, padding, dilation in ((height, kernel_h, stride_h, padding_h, dilation_h), (width, kernel_w, stride_w, padding_w, dilation_w))]
    require(min(sizes) >= 1, f"pictures of {height} x {width} with a padding of {padding_h} and {padding_w} are smaller than kernels of {kernel_h} x {kernel_w} with a dilation of {dilation_h} and {dilation_w}")
    require_places("a channel of the result", batch * sizes[0] * sizes[1])
    out = _pictures(x, (batch, out_channels, *sizes), _channels_lie_last(x))
    yield out
    bias = None if bias is None else contiguous(bias)
    if (stride_h, stride_w, groups) == (1, 1, 1) and _by_blocks(x, weight, bias, out, (padding_h, padding_w), (dilation_h, dilation_w), False):
        return
    places, per_group, inner = batch * sizes[0] * sizes[1], out_channels // groups, channels // groups
    block_m, block_n, block_k, options = _blocks(x, places, per_group, inner)
    launch("conv2d", "conv2d", (cdiv(places, block_m), cdiv(per_group, block_n), groups), x, weight, bias, out, *strides(x), *strides(weight), *strides(out),
           batch, height, width, *sizes, inner, per_group, stride_h, stride_w, padding_h, padding_w, dilation_h, dilation_w, kernel_h, kernel_w, block_m, block_n, block_k, "ieee", inner > 0 and inner % block_k == 0,
           **options)


@op("grad")
def convolution_input_gradient(grad_out: Array, weight: Array, height: int, width: int, stride_h: int, stride_w: int, padding_h: int, padding_w: int, dilation_h: int, dilation_w: int, groups: int):
    """The gradient of a convolution's input of that size."""
    batch, out_channels, *sizes = grad_out.shape
    _, per_group_in, kernel_h, kernel_w = weight.shape
    require_places("a channel of the input", batch * height * width)
    grad = _pictures(weight, (batch, per_group_in * groups, height, width), _channels_lie_last(grad_out))
    yield grad
    if (stride_h, stride_w, groups) == (1, 1, 1) and _by_blocks(grad_out, weight, None, grad, (padding_h, padding_w), (dilation_h, dilation_w), True):
        return
    places, inner = batch * height * width, out_channels // groups
    block_m, block_n, block_k, options = _blocks(weight, places, per_group_in, inner)
    launch("conv2d", "conv2d_input_gradient", (cdiv(places, block_m), cdiv(per_group_in, block_n), groups), grad_out, weight, grad, *strides(grad_out), *strides(weight), *strides(grad), batch, height, width,
           *sizes, per_group_in, inner, stride_h, stride_w, padding_h, padding_w, dilation_h, dilation_w, kernel_h, kernel_w, block_m, block_n, block_k, "ieee", inner > 0 and inner % block_k == 0, **options)


@op("grad")
def convolution_weight_gradient(grad_out: Array, x: Array, kernel_h: int, kernel_w: int, stride_h: int, stride_w: int, padding_h: int, padding_w: int, dilation_h: int, dilation_w: int, groups: int):
    """The gradient of a convolution's weight of that size."""
    batch, channels, height, width = x.shape
    _, out_channels, *sizes = grad_out.shape
    inner, outer = channels // groups, out_channels // groups
    lies_last = _channels_lie_last(x)
    grad = _pictures(x, (out_channels, inner, kernel_h, kernel_w), lies_last)
    yield grad
    if (stride_h, stride_w, groups) == (1, 1, 1) and _weight_by_blocks(grad_out, x, grad, (padding_h, padding_w), (dilation_h, dilation_w)):
        return
    places, depth = batch * sizes[0] * sizes[1], inner * kernel_h * kernel_w
    block_m, block_n, block_k, options = _blocks(x, outer, depth, 64)
    blocks = cdiv(outer, block_m) * cdiv(depth, block_n) * groups
    shares = max(1, min(cdiv(places, 1024), 4 * multiprocessors(x) // max(blocks, 1)))  # a few blocks alone keep no GPU busy
    chunk = cdiv(cdiv(places, shares), block_k) * block_k
    partial = empty(x, (shares, *grad.shape), "float32") if shares > 1 else grad
    launch("conv2d", "conv2d_weight_gradient", (cdiv(outer, block_m), cdiv(depth, block_n), shares * groups), grad_out, x, partial, *strides(grad_out), *strides(x), batch, height, width, *sizes, inner,
           outer, stride_h, stride_w, padding_h, padding_w, dilation_h, dilation_w, groups, chunk, kernel_h, kernel_w, block_m, block_n, block_k, "ieee", inner > 0 and inner % block_n == 0, lies_last, **options)
    if shares > 1:
        count = out_channels * depth
        launch("reduce", "reduce_columns", (cdiv(count, 32), ), partial, grad, count, shares, count, "sum", 32, 32, num_warps=4)


@op("grad")
def convolution_bias_gradient(grad_out: Array):
    """The sum of each channel."""
    batch, channels, height, width = grad_out.shape
    grad = empty(grad_out, (channels, ))
    yield grad
    launch("conv2d", "conv2d_bias_gradient", (channels, ), grad_out, grad, *strides(grad_out), batch, height, width, 1024)


@convolution.gradient
def _(grad_out, x, weight, bias, stride_h, stride_w, padding_h, padding_w, dilation_h, dilation_w, groups):
    settings = (stride_h, stride_w, padding_h, padding_w, dilation_h, dilation_w, groups)
    return (convolution_input_gradient(grad_out, weight, *x.shape[2:], *settings), convolution_weight_gradient(grad_out, x, *weight.shape[2:], *settings),
            None if bias is None else convolution_bias_gradient(grad_out))


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """torch's convolution of [batch, channels, height, width] with weight [channels of the result, channels / groups, height, width]. padding: numbers, or "valid" (none) or "same" (results as large as the pictures)."""
    stride, dilation = pair("stride", stride), pair("dilation", dilation)
    if not isinstance(padding, str):
        return convolution(input, weight, bias, *stride, *pair("padding", padding), *dilation, groups)
    require(padding in ("same", "valid"), f"`padding` is {padding!r}, but numbers, 'same' or 'valid' are expected")
    require(padding == "valid" or stride == (1, 1), "`padding` is 'same', for which strides of 1 are expected")
    beyond = [apart * (size - 1) if padding == "same" else 0 for apart, size in zip(dilation, weight.shape[2:])]
    # What is odd is padded once more behind the picture: with as much on both sides there is one result too many in front.
    out = convolution(input, weight, bias, *stride, *((each + 1) // 2 for each in beyond), *dilation, groups)
    return out[:, :, beyond[0] % 2:, beyond[1] % 2:] if any(each % 2 for each in beyond) else out


def conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """torch's transposed convolution of [batch, channels, height, width] with weight [channels, channels of the result / groups, height, width]: what `conv2d` does to a gradient on its way back."""
    require_floats(input=input, weight=weight, bias=bias)
    require(len(input.shape) == 4 and len(weight.shape) == 4, f"`input` has shape {tuple(input.shape)} and `weight` {tuple(weight.shape)}, but four axes are expected")
    require(input.dtype == weight.dtype, f"`input` and `weight` have types {dtype_name(input)} and {dtype_name(weight)}, but one is expected")
    require(input.shape[1] == weight.shape[0] and input.shape[1] % groups == 0, f"`input` has {input.shape[1]} channels and `weight` {weight.shape[0]}, but one multiple of {groups} groups is expected")
    stride, padding, output_padding, dilation = (pair(name, value) for name, value in (("stride", stride), ("padding", padding), ("output_padding", output_padding), ("dilation", dilation)))
    require(min(*stride, *dilation, groups) >= 1 and min(*padding, *output_padding) >= 0, "stride, dilation and groups are at least 1, and padding is not negative")
    require(all(more < max(step, apart) for more, step, apart in zip(output_padding, stride, dilation)), "`output_padding` must be smaller than stride or dilation")
    sizes = [(size - 1) * step - 2 * pad + apart * (kernel - 1) + more + 1
             for size, kernel, step, pad, apart, more in zip(input.shape[2:], weight.shape[2:], stride, padding, dilation, output_padding)]
    require(min(sizes) > 0, f"the result would have the size {tuple(sizes)}")
    out = convolution_input_gradient(input, weight, *sizes, *stride, *padding, *dilation, groups)
    return out if bias is None else out + bias[:, None, None]


@convolution_input_gradient.gradient
def _(grad, grad_out, weight, stride_h, stride_w, padding_h, padding_w, dilation_h, dilation_w, groups):
    settings = (stride_h, stride_w, padding_h, padding_w, dilation_h, dilation_w, groups)
    back = convolution(grad, weight, None, *settings)[:, :, :grad_out.shape[2], :grad_out.shape[3]]
    return back, convolution_weight_gradient(grad_out, grad, *weight.shape[2:], *settings)


def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """torch's convolution of [batch, channels, length] with weight [channels of the result, channels / groups, length]."""
    stride, padding, dilation = (value[0] if isinstance(value, (tuple, list)) else value for value in (stride, padding, dilation))
    return conv2d(input[:, :, None], weight[:, :, None], bias, (1, stride), padding if isinstance(padding, str) else (0, padding), (1, dilation), groups)[:, :, 0]
