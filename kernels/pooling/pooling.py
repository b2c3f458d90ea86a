"""Pooling of pictures, [planes, height, width] in memory: the largest element or the mean of each window, with strides, padding and (for the largest) dilation, forward and backward. A program has a block of planes, rows and columns. The backward pass collects: each place of a picture
looks at all windows that have it, so that no two programs add to one place."""
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
def max_pool2d(x_ptr, out_ptr, index_ptr, planes, height, width, out_height, out_width, step_h, step_w, pad_h, pad_w, dilation_h, dilation_w, KERNEL_H: tl.constexpr, KERNEL_W: tl.constexpr,
               BLOCK_P: tl.constexpr, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    """out: the largest element of each window, NaN where it has one; index (int32 or int64, or None): its place in the plane, the first of equal ones. Padding is below every number. Grid: blocks of the result."""
    plane, out_y, out_x = places_of(out_height, out_width, BLOCK_P, BLOCK_H, BLOCK_W)
    own = (plane < planes) & (out_y < out_height) & (out_x < out_width)
    y = out_y * step_h - pad_h
    x = out_x * step_w - pad_w
    x_ptr += plane * (height * width)
    best = tl.full((BLOCK_P, BLOCK_H, BLOCK_W), float("-inf"), tl.float32)
    place = tl.full((BLOCK_P, BLOCK_H, BLOCK_W), -1, tl.int32)
    for kh in tl.static_range(KERNEL_H):
        row = y + kh * dilation_h
        for kw in tl.static_range(KERNEL_W):
            column = x + kw * dilation_w
            inside = own & ((row >= 0) & (row < height)) & ((column >= 0) & (column < width))
            value = tl.load(x_ptr + (row * width + column), mask=inside, other=0.0).to(tl.float32)
            better = inside & ((value > best) | (value != value) | (place < 0))
            best = tl.where(better, value, best)
            place = tl.where(better, row * width + column, place)
    at = (plane * out_height + out_y) * out_width + out_x
    tl.store(out_ptr + at, best.to(out_ptr.dtype.element_ty), mask=own)
    if index_ptr is not None:
        tl.store(index_ptr + at, place.to(index_ptr.dtype.element_ty), mask=own)


@triton.jit
def max_pool2d_backward(grad_ptr, index_ptr, out_ptr, planes, height, width, grad_height, grad_width, step_h, step_w, pad_h, pad_w, dilation_h, dilation_w, KERNEL_H: tl.constexpr, KERNEL_W: tl.constexpr,
                        BLOCK_P: tl.constexpr, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    """The gradient of x: each place gets the gradients of the windows that chose it. Grid: blocks of x."""
    plane, y, x = places_of(height, width, BLOCK_P, BLOCK_H, BLOCK_W)
    own = (plane < planes) & (y < height) & (x < width)
    total = tl.zeros((BLOCK_P, BLOCK_H, BLOCK_W), tl.float32)
    for kh in range(0, KERNEL_H):
        row = y + pad_h - kh * dilation_h
        row_inside = (row >= 0) & (row % step_h == 0) & (row // step_h < grad_height)
        for kw in range(0, KERNEL_W):
            column = x + pad_w - kw * dilation_w
            inside = own & row_inside & ((column >= 0) & (column % step_w == 0) & (column // step_w < grad_width))
            at = plane * (grad_height * grad_width) + (row // step_h * grad_width + column // step_w)
            chosen = inside & (tl.load(index_ptr + at, mask=inside, other=-1) == y * width + x)
            total += tl.load(grad_ptr + at, mask=chosen, other=0.0).to(tl.float32)
    tl.store(out_ptr + plane * (height * width) + (y * width + x), total.to(out_ptr.dtype.element_ty), mask=own)


@triton.jit
def window_size(start, kernel, size, pad, WITH_PADDING: tl.constexpr):
    """How many places of a window count along an axis: those inside, and with padding those before its end too."""
    end = tl.minimum(start + kernel, size + pad)
    if WITH_PADDING:
        return end - start
    else:
        return tl.minimum(end, size) - tl.maximum(start, 0)


@triton.jit
def avg_pool2d(x_ptr, out_ptr, planes, height, width, out_height, out_width, step_h, step_w, pad_h, pad_w, divisor, WITH_PADDING: tl.constexpr, KERNEL_H: tl.constexpr, KERNEL_W: tl.constexpr,
               BLOCK_P: tl.constexpr, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    """out: the mean of each window; WITH_PADDING: padding counts as zeros. A divisor above 0 divides every sum. Grid: blocks of the result."""
    plane, out_y, out_x = places_of(out_height, out_width, BLOCK_P, BLOCK_H, BLOCK_W)
    own = (plane < planes) & (out_y < out_height) & (out_x < out_width)
    y = out_y * step_h - pad_h
    x = out_x * step_w - pad_w
    x_ptr += plane * (height * width)
    total = tl.zeros((BLOCK_P, BLOCK_H, BLOCK_W), tl.float32)
    for kh in tl.static_range(KERNEL_H):
        row = y + kh
        for kw in tl.static_range(KERNEL_W):
            column = x + kw
            inside = own & ((row >= 0) & (row < height)) & ((column >= 0) & (column < width))
            total += tl.load(x_ptr + (row * width + column), mask=inside, other=0.0).to(tl.float32)
    counted = window_size(y, KERNEL_H, height, pad_h, WITH_PADDING) * window_size(x, KERNEL_W, width, pad_w, WITH_PADDING)
    counted = tl.where(divisor > 0, divisor, counted)
    tl.store(out_ptr + (plane * out_height + out_y) * out_width + out_x, (total / counted).to(out_ptr.dtype.element_ty), mask=own)


@triton.jit
def avg_pool2d_backward(grad_ptr, out_ptr, planes, height, width, grad_height, grad_width, step_h, step_w, pad_h, pad_w, divisor, WITH_PADDING: tl.constexpr, KERNEL_H: tl.constexpr, KERNEL_W: tl.constexpr,
                        BLOCK_P: tl.constexpr, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    """The gradient of x: each place gets its share of the windows that have it. Grid: blocks of x."""
    plane, y, x = places_of(height, width, BLOCK_P, BLOCK_H, BLOCK_W)
    own = (plane < planes) & (y < height) & (x < width)
    total = tl.zeros((BLOCK_P, BLOCK_H, BLOCK_W), tl.float32)
    for kh in range(0, KERNEL_H):
        row = y + pad_h - kh
        row_inside = (row >= 0) & (row % step_h == 0) & (row // step_h < grad_height)
        rows = window_size(row - pad_h, KERNEL_H, height, pad_h, WITH_PADDING)
        for kw in range(0, KERNEL_W):
            column = x + pad_w - kw
            inside = own & row_inside & ((column >= 0) & (column % step_w == 0) & (column // step_w < grad_width))
            counted = rows * window_size(column - pad_w, KERNEL_W, width, pad_w, WITH_PADDING)
            counted = tl.where(inside, tl.where(divisor > 0, divisor, counted), 1)
            at = plane * (grad_height * grad_width) + (row // step_h * grad_width + column // step_w)
            total += tl.load(grad_ptr + at, mask=inside, other=0.0).to(tl.float32) / counted
    tl.store(out_ptr + plane * (height * width) + (y * width + x), total.to(out_ptr.dtype.element_ty), mask=own)
