"""Pictures of another size, [planes, height, width] in memory: nearest places or linear interpolation along both axes, forward and backward, as torch has them. The backward pass collects: each place of the picture looks at all places of
the result that may have read it, so that no two programs add to one place."""
import triton
import triton.language as tl


@triton.jit
def places_of(height, width, BLOCK_P: tl.constexpr, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    """(planes, rows, columns) of the program's block of [planes, height, width], as axes of a tile: what belongs to a row or a column is computed once for it. Blocks of columns come first, then of rows, then of planes."""
    tiles_w = tl.cdiv(width, BLOCK_W)
    tiles_h = tl.cdiv(height, BLOCK_H)
    index = tl.program_id(0)
    plane = index // (tiles_w * tiles_h) * BLOCK_P + tl.arange(0, BLOCK_P)
    y = index // tiles_w % tiles_h * BLOCK_H + tl.arange(0, BLOCK_H)
    x = index % tiles_w * BLOCK_W + tl.arange(0, BLOCK_W)
    return plane[:, None, None].to(tl.int64), y[None, :, None], x[None, None, :]


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
def interpolate(x_ptr, out_ptr, planes, height, width, out_height, out_width, scale_h, scale_w, KIND: tl.constexpr, ALIGN: tl.constexpr, BLOCK_P: tl.constexpr, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    """KIND: "nearest", "nearest-exact" or "bilinear"; scale: how far two neighbours of the result lie apart in x. Grid: blocks of the result."""
    plane, y, x = places_of(out_height, out_width, BLOCK_P, BLOCK_H, BLOCK_W)
    inside = (plane < planes) & (y < out_height) & (x < out_width)
    x_ptr += plane * (height * width)
    top, bottom, down = source_of(y, scale_h, height, KIND, ALIGN)
    left, right, across = source_of(x, scale_w, width, KIND, ALIGN)
    value = tl.load(x_ptr + (top * width + left), mask=inside, other=0.0).to(tl.float32)
    if KIND == "bilinear":
        upper = value * (1 - across) + tl.load(x_ptr + (top * width + right), mask=inside, other=0.0).to(tl.float32) * across
        lower = tl.load(x_ptr + (bottom * width + left), mask=inside, other=0.0).to(tl.float32) * (1 - across)
        lower += tl.load(x_ptr + (bottom * width + right), mask=inside, other=0.0).to(tl.float32) * across
        value = upper * (1 - down) + lower * down
    tl.store(out_ptr + (plane * out_height + y) * out_width + x, value.to(out_ptr.dtype.element_ty), mask=inside)


@triton.jit
def first_reader(y, scale, KIND: tl.constexpr, ALIGN: tl.constexpr):
    """The first place of a result that may read place y, with one to spare for rounding; the last one comes 2 / scale (of the nearest: 1 / scale) and one to spare behind."""
    start = y.to(tl.float32)
    if KIND == "bilinear":
        start -= 1.0 if ALIGN else 0.5
    step = tl.where(scale > 0.0, scale, 1.0)
    start = start / step
    if KIND == "nearest-exact" or (KIND == "bilinear" and not ALIGN):
        start -= 0.5
    return tl.where(scale > 0.0, tl.floor(start), 0.0).to(tl.int32)


@triton.jit
def weight_of(reader, y, scale, size, out_size, KIND: tl.constexpr, ALIGN: tl.constexpr):
    """How much of place y a place of the result has, and 0 where there is none."""
    first, second, share = source_of(reader, scale, size, KIND, ALIGN)
    weight = tl.where(first == y, 1 - share, 0.0) + tl.where(second == y, share, 0.0)
    return tl.where((reader >= 0) & (reader < out_size), weight, 0.0)


@triton.jit
def interpolate_backward(grad_ptr, out_ptr, planes, height, width, grad_height, grad_width, scale_h, scale_w, readers_h, readers_w, KIND: tl.constexpr, ALIGN: tl.constexpr,
                         BLOCK_P: tl.constexpr, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    """The gradient of x. readers: how many places of the result to look at along each axis. Grid: blocks of x."""
    plane, y, x = places_of(height, width, BLOCK_P, BLOCK_H, BLOCK_W)
    own = (plane < planes) & (y < height) & (x < width)
    grad_ptr += plane * (grad_height * grad_width)
    top = first_reader(y, scale_h, KIND, ALIGN)
    left = first_reader(x, scale_w, KIND, ALIGN)
    total = tl.zeros((BLOCK_P, BLOCK_H, BLOCK_W), tl.float32)
    for down in range(0, readers_h):
        weight_h = weight_of(top + down, y, scale_h, height, grad_height, KIND, ALIGN)
        for across in range(0, readers_w):
            weight = weight_h * weight_of(left + across, x, scale_w, width, grad_width, KIND, ALIGN)
            total += weight * tl.load(grad_ptr + ((top + down) * grad_width + (left + across)), mask=own & (weight != 0.0), other=0.0).to(tl.float32)
    tl.store(out_ptr + plane * (height * width) + (y * width + x), total.to(out_ptr.dtype.element_ty), mask=own)
