"""Pooling of pictures, [planes, height, width] in memory: the largest element or the mean of each window, with strides, padding and (for the largest) dilation, forward and backward. The backward pass collects: each place of a picture
looks at all windows that have it, so that no two programs add to one place."""
import triton
import triton.language as tl


@triton.jit
def max_pool2d(x_ptr, out_ptr, index_ptr, n, height, width, out_height, out_width, step_h, step_w, pad_h, pad_w, dilation_h, dilation_w, KERNEL_H: tl.constexpr, KERNEL_W: tl.constexpr, BLOCK: tl.constexpr):
    """out: the largest element of each window, NaN where it has one; index (int32 or int64, or None): its place in the plane, the first of equal ones. Padding is below every number. n places of the result, BLOCK a program."""
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    plane = i // (out_height * out_width)
    y = (i // out_width % out_height * step_h - pad_h).to(tl.int32)
    x = (i % out_width * step_w - pad_w).to(tl.int32)
    x_ptr += plane * (height * width)
    best = tl.full((BLOCK, ), float("-inf"), tl.float32)
    place = tl.full((BLOCK, ), -1, tl.int32)
    for kh in range(0, KERNEL_H):
        for kw in range(0, KERNEL_W):
            row = y + kh * dilation_h
            column = x + kw * dilation_w
            inside = (i < n) & (row >= 0) & (row < height) & (column >= 0) & (column < width)
            value = tl.load(x_ptr + row * width + column, mask=inside, other=0.0).to(tl.float32)
            better = inside & ((value > best) | (value != value) | (place < 0))
            best = tl.where(better, value, best)
            place = tl.where(better, row * width + column, place)
    tl.store(out_ptr + i, best.to(out_ptr.dtype.element_ty), mask=i < n)
    if index_ptr is not None:
        tl.store(index_ptr + i, place.to(index_ptr.dtype.element_ty), mask=i < n)


@triton.jit
def max_pool2d_backward(grad_ptr, index_ptr, out_ptr, n, height, width, grad_height, grad_width, step_h, step_w, pad_h, pad_w, dilation_h, dilation_w, KERNEL_H: tl.constexpr, KERNEL_W: tl.constexpr,
                        BLOCK: tl.constexpr):
    """The gradient of x: each place gets the gradients of the windows that chose it. n places of x, BLOCK a program."""
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    plane = i // (height * width)
    y = (i // width % height + pad_h).to(tl.int32)
    x = (i % width + pad_w).to(tl.int32)
    own = (i % (height * width)).to(tl.int32)
    total = tl.zeros((BLOCK, ), tl.float32)
    for kh in range(0, KERNEL_H):
        for kw in range(0, KERNEL_W):
            row = y - kh * dilation_h
            column = x - kw * dilation_w
            inside = (i < n) & (row >= 0) & (row % step_h == 0) & (row // step_h < grad_height) & (column >= 0) & (column % step_w == 0) & (column // step_w < grad_width)
            at = plane * (grad_height * grad_width) + row // step_h * grad_width + column // step_w
            chosen = inside & (tl.load(index_ptr + at, mask=inside, other=-1) == own)
            total += tl.load(grad_ptr + at, mask=chosen, other=0.0).to(tl.float32)
    tl.store(out_ptr + i, total.to(out_ptr.dtype.element_ty), mask=i < n)


@triton.jit
def window_size(start, kernel, size, pad, WITH_PADDING: tl.constexpr):
    """How many places of a window count along an axis: those inside, and with padding those before its end too."""
    end = tl.minimum(start + kernel, size + pad)
    if WITH_PADDING:
        return end - start
    else:
        return tl.minimum(end, size) - tl.maximum(start, 0)


@triton.jit
def avg_pool2d(x_ptr, out_ptr, n, height, width, out_height, out_width, step_h, step_w, pad_h, pad_w, divisor, WITH_PADDING: tl.constexpr, KERNEL_H: tl.constexpr, KERNEL_W: tl.constexpr, BLOCK: tl.constexpr):
    """out: the mean of each window; WITH_PADDING: padding counts as zeros. A divisor above 0 divides every sum. n places of the result, BLOCK a program."""
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    plane = i // (out_height * out_width)
    y = (i // out_width % out_height * step_h - pad_h).to(tl.int32)
    x = (i % out_width * step_w - pad_w).to(tl.int32)
    x_ptr += plane * (height * width)
    total = tl.zeros((BLOCK, ), tl.float32)
    for kh in range(0, KERNEL_H):
        for kw in range(0, KERNEL_W):
            row = y + kh
            column = x + kw
            inside = (i < n) & (row >= 0) & (row < height) & (column >= 0) & (column < width)
            total += tl.load(x_ptr + row * width + column, mask=inside, other=0.0).to(tl.float32)
    counted = window_size(y, KERNEL_H, height, pad_h, WITH_PADDING) * window_size(x, KERNEL_W, width, pad_w, WITH_PADDING)
    counted = tl.where(divisor > 0, divisor, counted)
    tl.store(out_ptr + i, (total / counted).to(out_ptr.dtype.element_ty), mask=i < n)


@triton.jit
def avg_pool2d_backward(grad_ptr, out_ptr, n, height, width, grad_height, grad_width, step_h, step_w, pad_h, pad_w, divisor, WITH_PADDING: tl.constexpr, KERNEL_H: tl.constexpr, KERNEL_W: tl.constexpr,
                        BLOCK: tl.constexpr):
    """The gradient of x: each place gets its share of the windows that have it. n places of x, BLOCK a program."""
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    plane = i // (height * width)
    y = (i // width % height + pad_h).to(tl.int32)
    x = (i % width + pad_w).to(tl.int32)
    total = tl.zeros((BLOCK, ), tl.float32)
    for kh in range(0, KERNEL_H):
        for kw in range(0, KERNEL_W):
            row = y - kh
            column = x - kw
            inside = (i < n) & (row >= 0) & (row % step_h == 0) & (row // step_h < grad_height) & (column >= 0) & (column % step_w == 0) & (column // step_w < grad_width)
            at = plane * (grad_height * grad_width) + row // step_h * grad_width + column // step_w
            counted = window_size(row - pad_h, KERNEL_H, height, pad_h, WITH_PADDING) * window_size(column - pad_w, KERNEL_W, width, pad_w, WITH_PADDING)
            counted = tl.where(inside, tl.where(divisor > 0, divisor, counted), 1)
            total += tl.load(grad_ptr + at, mask=inside, other=0.0).to(tl.float32) / counted
    tl.store(out_ptr + i, total.to(out_ptr.dtype.element_ty), mask=i < n)
