"""Pictures of another size, [planes, height, width] in memory: nearest places or linear interpolation along both axes, forward and backward, as torch has them. The backward pass collects: each place of the picture looks at all places of
the result that may have read it, so that no two programs add to one place."""
import triton
import triton.language as tl


@triton.jit
def source_of(i, scale, size, KIND: tl.constexpr, ALIGN: tl.constexpr):
    """(the two places that place i of the result lies between, the share of the second one), along one axis of the given size; fp32 as torch computes it."""
    if KIND == "bilinear":
        if ALIGN:
            at = i.to(tl.float32) * scale
        else:
            at = tl.maximum((i.to(tl.float32) + 0.5) * scale - 0.5, 0.0)
        first = tl.minimum(at.to(tl.int32), size - 1)
        second = tl.minimum(first + 1, size - 1)
        share = at - first.to(tl.float32)
    else:
        if KIND == "nearest-exact":
            at = (i.to(tl.float32) + 0.5) * scale
        else:
            at = i.to(tl.float32) * scale
        first = tl.minimum(at.to(tl.int32), size - 1)
        second = first
        share = at * 0.0
    return first, second, share


@triton.jit
def interpolate(x_ptr, out_ptr, n, height, width, out_height, out_width, scale_h, scale_w, KIND: tl.constexpr, ALIGN: tl.constexpr, BLOCK: tl.constexpr):
    """KIND: "nearest", "nearest-exact" or "bilinear"; scale: how far two neighbours of the result lie apart in x. n places of the result, BLOCK a program."""
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    x_ptr += i // (out_height * out_width) * (height * width)
    top, bottom, down = source_of(i // out_width % out_height, scale_h, height, KIND, ALIGN)
    left, right, across = source_of(i % out_width, scale_w, width, KIND, ALIGN)
    value = tl.load(x_ptr + top * width + left, mask=inside, other=0.0).to(tl.float32)
    if KIND == "bilinear":
        upper = value * (1 - across) + tl.load(x_ptr + top * width + right, mask=inside, other=0.0).to(tl.float32) * across
        lower = tl.load(x_ptr + bottom * width + left, mask=inside, other=0.0).to(tl.float32) * (1 - across)
        lower += tl.load(x_ptr + bottom * width + right, mask=inside, other=0.0).to(tl.float32) * across
        value = upper * (1 - down) + lower * down
    tl.store(out_ptr + i, value.to(out_ptr.dtype.element_ty), mask=inside)


@triton.jit
def first_reader(y, scale):
    """The first place of a result that may read place y; the last one comes less than 2.5 / scale + 4 behind."""
    return tl.where(scale > 0.0, tl.floor((y.to(tl.float32) - 1.0) / tl.where(scale > 0.0, scale, 1.0) - 0.5) - 2, 0.0).to(tl.int32)


@triton.jit
def weight_of(reader, y, scale, size, out_size, KIND: tl.constexpr, ALIGN: tl.constexpr):
    """How much of place y a place of the result has, and 0 where there is none."""
    first, second, share = source_of(reader, scale, size, KIND, ALIGN)
    weight = tl.where(first == y, 1 - share, 0.0) + tl.where(second == y, share, 0.0)
    return tl.where((reader >= 0) & (reader < out_size), weight, 0.0)


@triton.jit
def interpolate_backward(grad_ptr, out_ptr, n, height, width, grad_height, grad_width, scale_h, scale_w, readers_h, readers_w, KIND: tl.constexpr, ALIGN: tl.constexpr, BLOCK: tl.constexpr):
    """The gradient of x. readers: how many places of the result to look at along each axis. n places of x, BLOCK a program."""
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    grad_ptr += i // (height * width) * (grad_height * grad_width)
    y = (i // width % height).to(tl.int32)
    x = (i % width).to(tl.int32)
    top = first_reader(y, scale_h)
    left = first_reader(x, scale_w)
    total = tl.zeros((BLOCK, ), tl.float32)
    for down in range(0, readers_h):
        weight_h = weight_of(top + down, y, scale_h, height, grad_height, KIND, ALIGN)
        for across in range(0, readers_w):
            weight = weight_h * weight_of(left + across, x, scale_w, width, grad_width, KIND, ALIGN)
            total += weight * tl.load(grad_ptr + (top + down) * grad_width + left + across, mask=(i < n) & (weight != 0.0), other=0.0).to(tl.float32)
    tl.store(out_ptr + i, total.to(out_ptr.dtype.element_ty), mask=i < n)
