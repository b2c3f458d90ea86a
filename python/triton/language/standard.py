"""Functions of the language that Triton writes in the language itself."""
from ..runtime.jit import constexpr_function
from . import core
from ._builtin import LibraryFunction, define_functions

_TABLE = """
cdiv(x, div) | Quotient of integers, rounded up.
sigmoid(x) | 1 / (1 + exp(-x)).
softmax(x, dim=None, keep_dims=False, ieee_rounding=False) | exp(x) over its sum along `dim`, shifted to avoid overflow.
ravel(x, can_reorder=False) | The same elements in one dimension.
zeros(shape, dtype) | A tensor of zeros.
zeros_like(input) | A tensor of zeros with the shape and type of another.
max(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False) | Largest element along `axis`, or of all, with its index on demand.
argmax(input, axis, tie_break_left=True, keep_dims=False) | Index of the largest element along `axis`.
min(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False) | Smallest element along `axis`, or of all, with its index on demand.
argmin(input, axis, tie_break_left=True, keep_dims=False) | Index of the smallest element along `axis`.
sum(input, axis=None, keep_dims=False, dtype=None) | Sum along `axis`, or of all elements.
xor_sum(input, axis=None, keep_dims=False) | Exclusive or of the elements along `axis`.
reduce_or(input, axis=None, keep_dims=False) | Bitwise or of the elements along `axis`.
cumsum(input, axis=0, reverse=False, dtype=None) | Running sum along `axis`.
cumprod(input, axis=0, reverse=False, dtype=None) | Running product along `axis`.
sort(x, dim=None, descending=0) | The elements of the last dimension in order.
topk(x, k, dim=None, descending=True) | The `k` largest elements of the last dimension, largest first.
bitonic_merge(x, dim=None, descending=0) | The elements of the last dimension, given as a bitonic sequence, in order.
flip(x, dim=None) | Reverse the order along a dimension, the last by default.
interleave(a, b) | Elements of two tensors in turn along the last dimension.
sort_impl(x, k=None, dim=None, descending=0) | Sort, or pick the `k` first in order.
swizzle2d(i, j, size_i, size_j, size_g) | Row-major indices of a grid to column-major ones inside groups of `size_g` rows.
_argmax_combine(value1, index1, value2, index2, tie_break_left) | The pair with the larger value.
_argmax_combine_tie_break_left(value1, index1, value2, index2) | The pair with the larger value, the earlier where they are equal.
_argmax_combine_tie_break_fast(value1, index1, value2, index2) | The pair with the larger value, either where they are equal.
_argmin_combine(value1, index1, value2, index2, tie_break_left) | The pair with the smaller value.
_argmin_combine_tie_break_left(value1, index1, value2, index2) | The pair with the smaller value, the earlier where they are equal.
_argmin_combine_tie_break_fast(value1, index1, value2, index2) | The pair with the smaller value, either where they are equal.
_elementwise_max(a, b) | The larger value.
_elementwise_min(a, b) | The smaller value.
_sum_combine(a, b) | The sum.
_prod_combine(a, b) | The product.
_xor_combine(a, b) | The exclusive or.
_or_combine(x, y) | The bitwise or.
_indicator(n_dims, j) | 0 and 1 along dimension `j` of a hypercube.
_compare_and_swap(x, flip, i) | One step of a sorting network.
_bitonic_merge_hypercube(x, stage, order) | Merge along the last `stage` dimensions of a hypercube.
_bitonic_merge(x, stage, order, n_dims) | Merge the last dimension.
"""
define_functions(globals(), _TABLE, LibraryFunction, home="triton.language")
squeeze, unsqueeze = core.squeeze, core.unsqueeze


@constexpr_function
def _log2(i):
    return i.bit_length() - 1


@constexpr_function
def _is_power_of_two(i):
    return i > 0 and i & (i - 1) == 0


@constexpr_function
def _pick_sum_dtype(in_dtype, dtype):
    if dtype is not None:
        return dtype
    if in_dtype.is_int() and in_dtype.int_bitwidth < 32:
        return core.int32 if in_dtype.is_int_signed() else core.uint32
    return None


@constexpr_function
def _get_flip_dim(dim, shape):
    if dim is None:
        return len(shape) - 1
    return dim + len(shape) if dim < 0 else dim


_get_int_dtype = constexpr_function(core.get_int_dtype)
for _name in ("_log2", "_is_power_of_two", "_pick_sum_dtype", "_get_flip_dim", "_get_int_dtype"):
    globals()[_name].__nereid_path__ = f"triton.language.standard.{_name}"
