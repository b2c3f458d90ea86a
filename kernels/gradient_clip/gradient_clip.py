"""The norm of all gradients, and their scaling to a largest norm. No atomics: partial sums are written and added up in one order, so that the norm is the
same on every run."""
import triton
import triton.language as tl


@triton.jit
def sum_of_squares(x_ptr, partial_ptr, n, BLOCK: tl.constexpr):
    """partial[p] = the sum of the squares of every num_programs-th block of a vector, in fp32."""
    i = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, ), tl.float32)
    for block in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
        at = block.to(tl.int64) * BLOCK + i
        x = tl.load(x_ptr + at, mask=at < n, other=0.0).to(tl.float32)
        total += x * x
    tl.store(partial_ptr + tl.program_id(0), tl.sum(total, axis=0))


@triton.jit
def clip_factor(partial_ptr, norm_ptr, factor_ptr, n, largest_norm, BLOCK: tl.constexpr):
    """norm[0] = sqrt(sum(partial)), factor[0] = min(1, largest_norm / (norm + 1e-6)), as torch has it. One program."""
    i = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, ), tl.float32)
    for first in range(0, n, BLOCK):
        total += tl.load(partial_ptr + first + i, mask=first + i < n, other=0.0)
    norm = tl.sqrt(tl.sum(total, axis=0))
    tl.store(norm_ptr, norm)
    factor = largest_norm / (norm + 1e-6)
    tl.store(factor_ptr, tl.where(factor > 1.0, 1.0, factor))  # NaN stays NaN


@triton.jit
def loss_scale(partial_ptr, norm_ptr, factor_ptr, scale_ptr, good_ptr, n, largest_norm, growth, backoff, interval, BLOCK: tl.constexpr):
    """The gradients are those of a loss times scale[0]. norm[0] is their norm without it, factor[0] what takes it off and holds the norm at largest_norm. Where a gradient is not finite, the factor is 0, which an optimizer
    leaves out, and the scale shrinks by backoff; behind `interval` good steps in a row (good[0], int32, counts them) it grows by growth. One program."""
    i = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, ), tl.float32)
    for first in range(0, n, BLOCK):
        total += tl.load(partial_ptr + first + i, mask=first + i < n, other=0.0)
    squares = tl.sum(total, axis=0)
    is_good = squares < float("inf")  # which NaN is not either
    scale = tl.load(scale_ptr)
    norm = tl.sqrt(squares) / scale
    tl.store(norm_ptr, norm)
    tl.store(factor_ptr, tl.where(is_good, tl.minimum(1.0, largest_norm / (norm + 1e-6)) / scale, 0.0))
    good = tl.where(is_good, tl.load(good_ptr) + 1, 0)
    grows = good >= interval
    tl.store(scale_ptr, scale * tl.where(is_good, tl.where(grows, growth, 1.0), backoff))
    tl.store(good_ptr, tl.where(grows, 0, good))


@triton.jit
def scale_by(x_ptr, factor_ptr, n, BLOCK: tl.constexpr):
    """x *= factor[0] in place; nothing is read or written where that is 1."""
    factor = tl.load(factor_ptr)
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = (at < n) & (factor != 1.0)
    x = tl.load(x_ptr + at, mask=inside, other=0.0).to(tl.float32)
    tl.store(x_ptr + at, (x * factor).to(x_ptr.dtype.element_ty), mask=inside)
