"""Products of fp8 matrices with scales of blocks, and of runs of rows with weights of four bits, one for each expert."""
from __future__ import annotations

from ._arrays import contiguous, dtype_name, empty, on_gpu, require, require_ascending, require_floats, require_shape, strides, unit_rows
from ._declare import op
from ._library import cdiv, launch, multiprocessors, power_of_two, product_block
from .product import store_shares

_FP8 = ("float8_e4m3fn", "float8_e5m2", "uint8")


@op("c")
def fp8_block_matmul(a: Array, b: Array, a_scale: Array, b_scale: Array, rows_a: int = 1, rows_b: int = 128, depth: int = 128, dtype: str = "float32"):
    """a @ b^T of fp8 matrices [M, K] and [N, K] (or uint8 with the bits of E4M3); scales, fp32, belong to rows_a rows of a, or rows_b of b, and `depth` of K: a_scale [M / rows_a, K / depth], b_scale [N / rows_b, K / depth],
    rounded up. dtype is that of the result."""
    require(len(a.shape) == 2 and len(b.shape) == 2 and a.shape[1] == b.shape[1], f"shapes {tuple(a.shape)} and {tuple(b.shape)} have no product of rows")
    require(dtype_name(a) in _FP8 and a.dtype == b.dtype, f"`a` and `b` have types {dtype_name(a)} and {dtype_name(b)}, but one of fp8, or uint8, is expected")
    for name, n in (("rows_a", rows_a), ("rows_b", rows_b), ("depth", depth)):
        require(n >= 1 and power_of_two(n) == n, f"`{name}` is {n}, but a power of two is expected")
    require(32 <= depth <= 256, f"`depth` is {depth}, but 32 to 256 is expected")
    m, k = a.shape
    n = b.shape[0]
    require_shape("a_scale", a_scale, (cdiv(m, rows_a), cdiv(k, depth)))
    require_shape("b_scale", b_scale, (cdiv(n, rows_b), cdiv(k, depth)))
    for name, x in (("a_scale", a_scale), ("b_scale", b_scale)):
        require(dtype_name(x) == "float32", f"`{name}` has type {dtype_name(x)}, but float32 is expected")
    c = empty(a, (m, n), dtype)
    yield c
    a, b = unit_rows(a), unit_rows(b)
    # Large tiles share what they read from the cache; two halves of rows leave registers for the product of one beside the sums of both. Few rows are limited by the bytes of b: many blocks of it are on their way.
    is_large = on_gpu(a) and m > 128 and cdiv(m, 256) * cdiv(n, 128) >= multiprocessors(a) // 2
    is_high = on_gpu(a) and (is_large or m > 64)
    block_m, block_n, halves = product_block(m, 128 if is_high else 64), product_block(n, 128 if is_large or not on_gpu(a) else 64), 2 if is_large else 1
    by_descriptor = on_gpu(a) and all(strides(x)[0] % 16 == 0 and strides(x)[0] > 0 and x.data_ptr() % 16 == 0 for x in (a, b))
    tiles = cdiv(m, block_m * halves) * cdiv(n, block_n)
    programs = min(tiles, multiprocessors(a)) if by_descriptor and is_large else tiles
    # TMA brings scales that lie beside each other, as quantizers for this product store them.
    scales_by_descriptor = by_descriptor and is_large and rows_a == 1 and strides(a_scale)[0] == 1 and strides(a_scale)[1] % 4 == 0 and strides(a_scale)[1] > 0 and a_scale.data_ptr() % 16 == 0
    stores_blocks = by_descriptor and is_large and n * c.dtype.itemsize % 16 == 0
    store_shares(c, programs, 0 if is_large else cdiv(k, depth), lambda out, grid: launch(
        "fp8_matmul", "fp8_matmul", grid, a, b, a_scale, b_scale, out, m, n, k, strides(a)[0], strides(b)[0], n, *strides(a_scale), *strides(b_scale), cdiv(k, depth), rows_a, rows_b, depth, block_m, block_n, 4, halves, by_descriptor, stores_blocks,
        scales_by_descriptor, num_warps=8 if is_high else 4, num_stages=3 if is_large else 6), programs=1)  # yapf: disable


def w8a8_block_fp8_matmul(A, B, As, Bs, block_size=(128, 128), output_dtype="float32"):
    """vLLM's product of activations with scales of 1 x 128 and weights [N, K] with scales of 128 x 128, both fp8. output_dtype: a type, or its name."""
    return fp8_block_matmul(A, B, As, Bs, 1, block_size[0], block_size[1], output_dtype if isinstance(output_dtype, str) else str(output_dtype).rpartition(".")[2])


def _ragged(a, n, experts, ends, widest=128):
    """(grid, blocks of M, N and experts, launch options) of products of runs of rows: tiles as high as an expert has rows on the average."""
    rows, narrow = a.shape[0], dtype_name(a) != "float32"
    each = cdiv(rows, experts) if experts else 0
    block_m, block_n = product_block(each, 128 if narrow else 64), product_block(n, widest if narrow and each > 64 else 64)
    tiles = (cdiv(rows, block_m) + experts) * cdiv(n, block_n)
    programs = min(tiles, 4 * multiprocessors(a) if on_gpu(a) else 64) if rows and experts else 0
    return (programs, ), (block_m, block_n), power_of_two(experts), {"num_warps": 8 if block_m >= 128 else 4, "num_stages": 3}


def _require_experts(a, q, ends):
    require_floats(a=a)
    require(len(a.shape) == 2 and len(q.shape) == 3, f"`a` has shape {tuple(a.shape)} and `q` {tuple(q.shape)}, but two and three axes are expected")
    require(dtype_name(q) == "uint8", f"`q` has type {dtype_name(q)}, but uint8 is expected")
    require_shape("ends", ends, q.shape[:1])
    require(dtype_name(ends) == "int32", f"`ends` has type {dtype_name(ends)}, but int32 is expected")


@op("c")
def moe_int4_matmul(a: Array, q: Array, scale: Array, ends: Array, zero: Array | None = None):
    """Rows ends[g - 1] … ends[g] - 1 of `a` [rows, K] times (q[g] - zero[g]) * scale[g]: tokens sorted by expert, as `moe_permute` has them. q: uint8 [experts, K / 2, N] as `int4_weight_matmul` has it, scale and zero (float32, 8 if
    missing) [experts, K / group, N], groups of 32 to 256. ends: int32."""
    _require_experts(a, q, ends)
    require_floats(scale=scale, zero=zero)
    k, (experts, _, n) = a.shape[1], q.shape
    groups = scale.shape[1]
    group = k // groups if groups else 0
    require(32 <= group <= 256 and power_of_two(group) == group and group * groups == k, f"a group has {group} rows, but a power of two from 32 to 256 that divides {k} is expected")
    require_shape("q", q, (experts, k // 2, n))
    require_shape("scale", scale, (experts, groups, n))
    if zero is not None:
        require_shape("zero", zero, scale.shape)
    c = empty(a, (a.shape[0], n))
    yield c
    require_ascending("ends", ends, a.shape[0])
    grid, blocks, block_e, options = _ragged(a, n, experts, ends, 256 if on_gpu(a) else 128)
    launch("quantized_grouped_gemm", "ragged_int4_gemm", grid, contiguous(a), contiguous(q), contiguous(scale), None if zero is None else contiguous(zero), c, contiguous(ends), experts, n, k, group,
           *blocks, block_e, "ieee", **options)


@op("c")
def moe_mxfp4_matmul(a: Array, q: Array, scale: Array, ends: Array, bias: Array | None = None):
    """The same with weights in MXFP4, as gpt-oss stores them and `mx_quantize` makes them: q uint8 [experts, N, K / 2], scale uint8 [experts, N, K / 32], bias [experts, N]."""
    _require_experts(a, q, ends)
    require_floats(bias=bias)
    k, (experts, n, _) = a.shape[1], q.shape
    require(k % 32 == 0, f"`a` has {k} columns, but a multiple of 32 is expected")
    require_shape("q", q, (experts, n, k // 2))
    require_shape("scale", scale, (experts, n, k // 32))
    require(dtype_name(scale) == "uint8", f"`scale` has type {dtype_name(scale)}, but uint8 is expected")
    if bias is not None:
        require_shape("bias", bias, (experts, n))
    c = empty(a, (a.shape[0], n))
    yield c
    require_ascending("ends", ends, a.shape[0])
    grid, blocks, block_e, options = _ragged(a, n, experts, ends)
    # Two programs on a multiprocessor: one decodes while the other one multiplies.
    in_pairs = on_gpu(a) and dtype_name(a) == "bfloat16" and blocks[0] == 128
    block_k = min(max(power_of_two(k), 32), 64 if dtype_name(a) == "float32" or in_pairs else 128)
    if in_pairs:
        options["maxnreg"] = 128
    launch("quantized_grouped_gemm", "ragged_mxfp4_gemm", grid, contiguous(a), contiguous(q), contiguous(scale), None if bias is None else contiguous(bias), c, contiguous(ends), experts, n, k, *blocks,
           block_k, block_e, k % block_k == 0, "ieee", **options)
