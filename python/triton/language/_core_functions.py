"""The functions of `triton.language.core`, one a line: what they take, what they give."""

TABLE = """
atomic_add(pointer, val, mask=None, sem=None, scope=None) | Add to memory; the value from before.
atomic_max(pointer, val, mask=None, sem=None, scope=None) | The larger value into memory; the value from before.
atomic_min(pointer, val, mask=None, sem=None, scope=None) | The smaller value into memory; the value from before.
atomic_and(pointer, val, mask=None, sem=None, scope=None) | Bitwise and into memory; the value from before.
atomic_or(pointer, val, mask=None, sem=None, scope=None) | Bitwise or into memory; the value from before.
atomic_xor(pointer, val, mask=None, sem=None, scope=None) | Bitwise exclusive or into memory; the value from before.
atomic_xchg(pointer, val, mask=None, sem=None, scope=None) | A value into memory; the value from before.
atomic_cas(pointer, cmp, val, sem=None, scope=None) | `val` into memory where it equals `cmp`; the value from before.
atomic_load(pointer, mask=None, sem=None, scope=None) | Read memory that others write meanwhile; what they did before is seen after it.
atomic_store(pointer, val, mask=None, sem=None, scope=None) | Write memory that others read meanwhile; what was done before it is seen by them.
atomic_poll(pointer, expected_value, sem=None, scope=None, timeout_ns=None) | Wait until memory equals a value; whether it did.
make_tensor_descriptor(base, shape, strides, block_shape, padding_option="zero") | A descriptor of a strided tensor in memory.
load_tensor_descriptor(desc, offsets) | Read the block at the offsets.
store_tensor_descriptor(desc, offsets, value) | Write the block at the offsets.
dot(input, other, acc=None, input_precision=None, allow_tf32=None, max_num_imprecise_acc=None, out_dtype=None, trans_a=False, trans_b=False) | Matrix product, added to `acc`.
dot_scaled(lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, acc=None, fast_math=False, lhs_k_pack=True, rhs_k_pack=True, out_dtype=float32) | Matrix product of microscaled operands.
dot_sparse(values, places, other, acc=None, input_precision=None) | Matrix product of an operand of which two in every four elements are kept, added to `acc`.
program_id(axis) | Index of this program along an axis of the grid.
num_programs(axis) | Number of programs along an axis of the grid.
load(pointer, mask=None, other=None, boundary_check=(), padding_option="", cache_modifier="", eviction_policy="", volatile=False) | Read from memory; where the mask is false, `other`.
store(pointer, value, mask=None, boundary_check=(), cache_modifier="", eviction_policy="") | Write to memory where the mask is true.
make_block_ptr(base, shape, strides, offsets, block_shape, order) | A pointer to a block of a strided tensor.
advance(base, offsets) | The block pointer moved by a number of elements in each dimension.
arange(start, end) | start, start + 1 … end - 1 as int32.
full(shape, value, dtype) | A tensor of one value.
broadcast(input, other) | Both tensors in their common shape.
broadcast_to(input, *shape) | The tensor repeated to a shape.
expand_dims(input, axis) | Insert dimensions of extent 1.
reshape(input, *shape, can_reorder=False) | The same elements in another shape.
view(input, *shape) | The same elements in another shape, in any order.
item(input) | The only element of a tensor.
squeeze(x, dim) | Drop a dimension of extent 1.
unsqueeze(x, dim) | Insert a dimension of extent 1.
trans(input, *dims) | Permute the dimensions; swap the last two when none are given.
permute(input, *dims) | Permute the dimensions.
join(a, b) | Two tensors side by side in a new last dimension.
split(a) | The two halves of a last dimension of extent 2.
cat(input, other, can_reorder=False, dim=0) | One tensor after the other.
gather(src, index, axis) | Pick elements of `src` along `axis`.
cast(input, dtype, fp_downcast_rounding=None, bitcast=False) | Convert to another type, by value or by bits.
to_tensor(x) | A number as a scalar tensor.
where(condition, x, y) | `x` where the condition holds, else `y`; both are computed.
add(x, y, sanitize_overflow=True) | `x + y`.
sub(x, y, sanitize_overflow=True) | `x - y`.
mul(x, y, sanitize_overflow=True) | `x * y`.
minimum(x, y, propagate_nan=0) | The smaller of two values; a NaN is ignored unless `propagate_nan` is ALL.
maximum(x, y, propagate_nan=0) | The larger of two values; a NaN is ignored unless `propagate_nan` is ALL.
clamp(x, min, max, propagate_nan=0) | `x` kept between `min` and `max`.
reduce(input, axis, combine_fn, keep_dims=False) | Combine the elements along `axis` with a jit function.
associative_scan(input, axis, combine_fn, reverse=False) | Running combination along `axis` with a jit function.
histogram(input, num_bins, mask=None) | How often each of 0 … num_bins-1 occurs in a one-dimensional block.
map_elementwise(scalar_fn, *args, pack=1) | Run a jit function of scalars on every element.
multiple_of(input, values) | States that the values are multiples of `values`.
max_contiguous(input, values) | States that groups of `values` elements count up by one.
max_constancy(input, values) | States that groups of `values` elements are equal.
assume(cond) | States that a scalar condition holds.
debug_barrier() | Memory accesses before it are done before those after it.
static_print(*values, sep=" ", end="\\n", file=None, flush=False) | Print at compile time.
static_assert(cond, msg="") | Stop the compilation when the condition is false.
device_print(prefix, *args, hex=False) | Print values at run time, one line for each element.
device_assert(cond, msg="", mask=None) | Fail the launch where the condition is false; in debug builds.
expect_zero(x, mask) | States that `x` is zero where the mask is true.
inline_asm_elementwise(asm, constraints, args, dtype, is_pure, pack) | Run assembly of the target on groups of `pack` elements.
extern_elementwise(lib_name, lib_path, args, arg_type_symbol_dict, is_pure) | Call a device function, chosen by the argument types, on each element.
_promote_bfloat16_to_float32(t) | bf16 as fp32, anything else as it is.
_reduce_with_indices(input, axis, combine_fn, keep_dims=False) | Combine pairs of an element and its index along `axis`.
builtin_max(*args, propagate_nan=0) | The largest of constants or tensors: what `max` means in a kernel.
builtin_min(*args, propagate_nan=0) | The smallest of constants or tensors: what `min` means in a kernel.
"""
