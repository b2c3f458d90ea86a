# Names of triton.language.standard that are no builtins: swizzle2d, and private parts that kernels of other people use.
import triton
import triton.language as tl


@triton.constexpr_function
def _log2(i):
    exponent = 0
    while i >> (exponent + 1) > 0:
        exponent += 1
    return exponent


@triton.constexpr_function
def _is_power_of_two(i):
    return i > 0 and i & (i - 1) == 0


@triton.constexpr_function
def _get_int_dtype(bitwidth, signed):
    return tl.core.get_int_dtype(bitwidth, signed)


@triton.constexpr_function
def _pick_sum_dtype(in_dtype, dtype):
    if dtype is not None:
        return dtype
    if in_dtype.is_int_signed() and in_dtype.int_bitwidth < 32:
        return tl.int32
    if in_dtype.is_int_unsigned() and in_dtype.int_bitwidth < 32:
        return tl.uint32
    return None


@triton.constexpr_function
def _get_flip_dim(dim, shape):
    if dim is None:
        return len(shape) - 1
    return dim + len(shape) if dim < 0 else dim


# Row-major indices (i, j) of a size_i x size_j grid to column-major ones inside each group of size_g rows, so that
# neighbouring programs share rows and columns of their operands.
@triton.jit
def swizzle2d(i, j, size_i, size_j, size_g):
    """The place (i, j) in a grid of `size_i` by `size_j` in an order that goes through groups of `size_g` rows."""
    linear = i * size_j + j
    per_group = size_g * size_j
    first_row = (linear // per_group) * size_g
    rows = tl.minimum(size_i - first_row, size_g)  # the last group may be lower
    inside = linear % per_group
    return first_row + inside % rows, inside // rows


@triton.jit
def _sum_combine(a, b):
    return a + b


@triton.jit
def _prod_combine(a, b):
    return a * b


@triton.jit
def _xor_combine(a, b):
    return a ^ b


@triton.jit
def _or_combine(x, y):
    return x | y


@triton.jit
def _elementwise_max(a, b):
    return tl.maximum(a, b)


@triton.jit
def _elementwise_min(a, b):
    return tl.minimum(a, b)


@triton.jit
def _argmax_combine(value1, index1, value2, index2, tie_break_left):
    takes_first = value1 > value2
    if tie_break_left:
        takes_first = takes_first | ((value1 == value2) & (index1 < index2))
    return tl.where(takes_first, value1, value2), tl.where(takes_first, index1, index2)


@triton.jit
def _argmax_combine_tie_break_left(value1, index1, value2, index2):
    return _argmax_combine(value1, index1, value2, index2, True)


@triton.jit
def _argmax_combine_tie_break_fast(value1, index1, value2, index2):
    return _argmax_combine(value1, index1, value2, index2, False)


@triton.jit
def _argmin_combine(value1, index1, value2, index2, tie_break_left):
    takes_first = value1 < value2
    if tie_break_left:
        takes_first = takes_first | ((value1 == value2) & (index1 < index2))
    return tl.where(takes_first, value1, value2), tl.where(takes_first, index1, index2)


@triton.jit
def _argmin_combine_tie_break_left(value1, index1, value2, index2):
    return _argmin_combine(value1, index1, value2, index2, True)


@triton.jit
def _argmin_combine_tie_break_fast(value1, index1, value2, index2):
    return _argmin_combine(value1, index1, value2, index2, False)


# 0 and 1 along dimension j (counted from the end) of a hypercube of n_dims dimensions.
@triton.jit
def _indicator(n_dims: tl.constexpr, j: tl.constexpr):
    return tl.reshape(tl.arange(0, 2), [1] * (n_dims - j - 1) + [2] + [1] * j)


# Puts each pair of neighbours along one dimension in order; `flip` (0 or 1, also per element) reverses it. Since Triton 3.5
# `x` is a hypercube and `i` counts its dimensions from the end; before, `n_dims` was given, `x` had any shape, and `i`
# counted the bits of the last dimension from the front.
@triton.jit
def _compare_and_swap(x, flip, i: tl.constexpr, n_dims: tl.constexpr = None):
    if n_dims is None:
        rank: tl.constexpr = len(x.shape)
        pairs = x
        axis: tl.constexpr = rank - 1 - i
        is_right = _indicator(rank, i)
    else:
        outer: tl.constexpr = x.numel >> n_dims
        pairs = tl.reshape(x, [outer * 2**i, 2, 2**(n_dims - i - 1)])
        axis: tl.constexpr = 1
        is_right = tl.arange(0, 2)[None, :, None]
        if isinstance(flip, tl.tensor):
            flip = tl.reshape(tl.broadcast_to(flip, x.shape), pairs.shape)
    integer: tl.constexpr = _get_int_dtype(x.dtype.primitive_bitwidth, True)
    bits = pairs.to(integer, bitcast=True)
    partner = (bits ^ tl.xor_sum(bits, axis, True)).to(x.dtype, bitcast=True)
    swaps = (pairs > partner) != ((flip ^ is_right) != 0)
    return tl.reshape(tl.where(swaps, partner, pairs), x.shape)


# `stage` rounds of compare-and-swap. order 0: ascending, 1: descending, 2: alternating, as the next stage needs it.
@triton.jit
def _bitonic_merge_hypercube(x, stage: tl.constexpr, order: tl.constexpr):
    if order == 2:
        flip = _indicator(len(x.shape), stage)
    else:
        flip = order
    for i in tl.static_range(stage):
        x = _compare_and_swap(x, flip, stage - 1 - i)
    return x


@triton.jit
def _bitonic_merge(x, stage: tl.constexpr, order: tl.constexpr, n_dims: tl.constexpr):
    cube = tl.reshape(x, [2] * _log2(x.numel))
    return tl.reshape(_bitonic_merge_hypercube(cube, stage, order), x.shape)


@triton.jit
def sort_impl(x, k: tl.constexpr = None, dim: tl.constexpr = None, descending: tl.constexpr = 0):
    """What `sort` and `topk` share: all elements in order, or the first `k`."""
    if k is None:
        return tl.sort(x, dim, descending)
    else:
        return tl.topk(x, k, dim, descending)
