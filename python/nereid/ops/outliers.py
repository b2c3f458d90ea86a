"""Products with weights by tables, and of int8, where a few numbers need more room."""
from __future__ import annotations

from ._arrays import contiguous, dtype_name, empty, on_gpu, require, require_ascending, require_floats, require_product, require_shape, require_within, strides, unit_rows
from ._configurations import configuration, launch_options
from ._declare import op
from ._library import cache_modifier, cdiv, launch, multiprocessors, power_of_two, product_block
from .indexing import packed_places
from .product import is_better_dense, multiply_into, store_shares


def _lookup_bits(qweight, lookup_table):
    require(dtype_name(qweight) == "int32" and dtype_name(lookup_table) == "float32",
            f"`qweight` and `lookup_table` have types {dtype_name(qweight)} and {dtype_name(lookup_table)}, but int32 and float32 are expected")
    require(len(qweight.shape) == 2 and len(lookup_table.shape) == 2, "`qweight` and `lookup_table` are matrices")
    bits = next((bits for bits in (2, 3, 4) if lookup_table.shape[1] == 2**bits), None)
    require(bits is not None, f"a table has {lookup_table.shape[1]} values, but 4, 8 or 16 are expected")
    require_shape("lookup_table", lookup_table, (qweight.shape[1], 2**bits))
    require(qweight.shape[0] % bits == 0, f"`qweight` has {qweight.shape[0]} rows, which is no multiple of {bits} bits")
    return bits


@op("out")
def squeezellm_dequantize(qweight: Array, lookup_table: Array, dtype: str = "float32"):
    """[K, N] from SqueezeLLM's codes: qweight int32 [K / 32 * bits, N], lookup_table float32 [N, 2^bits], for 2, 3 or 4 bits."""
    bits = _lookup_bits(qweight, lookup_table)
    depth, columns = qweight.shape[0] // bits * 32, qweight.shape[1]
    out = empty(qweight, (depth, columns), dtype)
    yield out
    launch("lookup_matmul", "lookup_dequantize", (cdiv(columns, 128), cdiv(depth, 32)), contiguous(qweight), contiguous(lookup_table), out, depth, columns, bits, 32, 128, cache_modifier(out))


@op("out")
def squeezellm_matmul(a: Array, qweight: Array, lookup_table: Array, rows: Array | None = None, cols: Array | None = None, vals: Array | None = None):
    """a [M, K] times the weights of `squeezellm_dequantize`, and of the sparse weights beside them: rows int32 [N + 1], cols int32 and vals float32, a row for each output channel."""
    require_floats(a=a)
    bits = _lookup_bits(qweight, lookup_table)
    depth, columns = qweight.shape[0] // bits * 32, qweight.shape[1]
    require(len(a.shape) == 2, f"`a` has shape {tuple(a.shape)}, but (rows, {depth}) is expected")
    require_shape("a", a, (a.shape[0], depth))
    require((rows is None) == (cols is None) == (vals is None), "`rows`, `cols` and `vals` come together")
    if rows is not None:
        require_shape("rows", rows, (columns + 1, ))
        require(len(cols.shape) == 1, f"`cols` has shape {tuple(cols.shape)}, but one axis is expected")
        require_shape("vals", vals, cols.shape)
        for name, x, expected in (("rows", rows, "int32"), ("cols", cols, "int32"), ("vals", vals, "float32")):
            require(dtype_name(x) == expected, f"`{name}` has type {dtype_name(x)}, but {expected} is expected")
    out = empty(a, (a.shape[0], columns))
    yield out
    if rows is not None:
        require_ascending("rows", rows, cols.shape[0])
        require_within("cols", cols, 0, depth - 1)
    a, m, beside = unit_rows(a), a.shape[0], None
    if rows is not None:
        beside, block_m = empty(a, out.shape, "float32"), min(32, power_of_two(m))
        launch("lookup_matmul", "sparse_part", (columns, cdiv(m, block_m)), a, contiguous(rows), contiguous(cols), contiguous(vals), beside, m, columns, strides(a)[0], block_m, 32)
    if is_better_dense(a) and beside is None:
        return multiply_into(out, a, squeezellm_dequantize.operation.run(qweight, lookup_table, dtype_name(a)))
    qweight, lookup_table, block_m, block_k = contiguous(qweight), contiguous(lookup_table), min(max(power_of_two(m), 16), 64), 64 if on_gpu(a) and bits == 4 else 32
    store_shares(out, cdiv(m, block_m) * cdiv(columns, 64), cdiv(depth, block_k), lambda c, grid: launch(
        "lookup_matmul", "lookup_matmul", grid, a, qweight, lookup_table, beside, c, m, columns, depth, strides(a)[0], columns, bits, block_m, 64, block_k, "ieee"))  # yapf: disable


@op("out")
def int8_mixed_matmul(a: Array, w: Array, w_scale: Array, threshold: float = 6.0):
    """a @ (w * w_scale) for w int8 [K, N] and w_scale float32 [N], as LLM.int8() does it: columns of a with an element of threshold or more are multiplied as floats, the others as int8 with a scale for each row. 0: all as
    int8. Fastest with w = weight.T of a contiguous [N, K]: tensor cores read int8 along K."""
    require_floats(a=a)
    require(dtype_name(w) == "int8" and dtype_name(w_scale) == "float32", f"`w` and `w_scale` have types {dtype_name(w)} and {dtype_name(w_scale)}, but int8 and float32 are expected")
    require_product(a, w)
    require_shape("w_scale", w_scale, w.shape[1:])
    require(threshold >= 0, f"`threshold` is {threshold}, which is negative")
    (m, k), n = a.shape, w.shape[1]
    out = empty(a, (m, n))
    yield out
    a = unit_rows(a)
    flags, q, scale = empty(a, (k, ), "int8"), empty(a, (m, k), "int8"), empty(a, (m, ), "float32")
    launch("outlier_matmul", "outlier_columns", (cdiv(k, 32), ), a, flags, m, k, strides(a)[0], threshold, min(256, power_of_two(m)), 32)
    places, number = packed_places(flags)
    launch("outlier_matmul", "quantize_others", (m, ), a, flags, q, scale, k, strides(a)[0], min(4096, power_of_two(k)))
    step_k, step_n = strides(w)
    whole = on_gpu(a) and step_k == 1 and step_n % 16 == 0 and k % 16 == 0 and w.data_ptr() % 16 == 0
    plan = configuration("outlier_matmul", a, bytes=2 if dtype_name(a) != "float32" else 4, whole=whole, large=cdiv(m, 128) * cdiv(n, 256) * 4 >= 3 * multiprocessors(a))
    block_m, block_n = product_block(m, plan["BLOCK_M"]), product_block(n, plan["BLOCK_N"])
    launch("outlier_matmul", "outlier_matmul", (cdiv(m, block_m) * cdiv(n, block_n), ), q, w, scale, contiguous(w_scale), a, places, number, out, m, n, k, strides(a)[0], step_k, step_n, n, block_m, block_n,
           plan["BLOCK_K"], plan["BLOCK_O"], 8, "ieee", whole, **launch_options(plan))
