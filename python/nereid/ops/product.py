"""Matrix products: plain, of runs of rows, and with quantized weights."""
from __future__ import annotations

import math

from ._arrays import contiguous, dtype_name, empty, host_numbers, on_gpu, require, require_ascending, require_floats, require_product, require_segments, require_shape, require_within, strides, unit_rows, zeros
from ._configurations import configuration, launch_options
from ._declare import op
from ._library import cdiv, kernel, launch, multiprocessors, power_of_two, product_block


def _plan(x, m, n, k, size):
    """Blocks of M, N and K and the launch options of a product of elements of `size` bytes, where `x` lies."""
    is_large = cdiv(m, 128) * cdiv(n, 128) >= multiprocessors(x)
    numbers = configuration("matmul", x, bytes=size, large=is_large, m=1 << m.bit_length() - 1 if m else 0, n=n, k=k)
    least = 32 if size == 1 else 16  # the depth of a product of bytes
    blocks = (product_block(extent, numbers.get(name, most)) for extent, name, most in ((m, "BLOCK_M", 64), (n, "BLOCK_N", 64), (max(k, least), "BLOCK_K", 32)))
    return tuple(blocks), launch_options(numbers)


def _shared_plan(a, m, n, k):
    """Blocks and launch options where programs share the depth of tiles: tiles are as large as they can be, however few there are."""
    is_fp32, gpu = dtype_name(a) == "float32", on_gpu(a)
    is_large = gpu and not is_fp32 and n > 128
    narrow = 64 if gpu and is_fp32 else 128
    blocks = product_block(m, narrow), product_block(n, 256 if is_large else narrow), product_block(k, 128 if not gpu else 32 if is_fp32 else 64)
    return blocks, {"num_warps": 8 if is_large else 4, "num_stages": 2 if is_fp32 else 3 if is_large else 4}


def _block_order(a, b):
    """How b lies in memory, where TMA can bring blocks of all matrices; else None."""

    def is_row_major(x, row):
        return strides(x)[1 - row] == 1 and strides(x)[row] % 16 == 0 and x.data_ptr() % 16 == 0

    if not on_gpu(a) or dtype_name(a) == "float32" or not is_row_major(a, 0) or b.shape[1] % 16:
        return None
    return "KN" if is_row_major(b, 0) else "NK" if is_row_major(b, 1) else None


def _matrix_order(x):
    """(how the last two axes of [batch, rows, columns] lie in memory, the step of the outer one), where TMA can bring blocks; else (None, 0)."""
    step, row, column = strides(x)
    if step % 16 or x.data_ptr() % 16:
        return None, 0
    return ("rows", row) if column == 1 and row % 16 == 0 else ("columns", column) if row == 1 and column % 16 == 0 else (None, 0)


def multiply_batches(c, a, b):
    """c = a @ b for each of a batch of matrices, by blocks; whether that was done."""
    (batch, m, k), n = a.shape, b.shape[2]
    if not on_gpu(a) or dtype_name(a) == "float32" or 0 in (batch, m, n, k) or _matrix_order(c)[0] != "rows":
        return False
    (a_order, a_step), (b_order, b_step) = _matrix_order(a), _matrix_order(b)
    if a_order is None or b_order is None:
        return False
    (block_m, block_n, block_k), options = _plan(a, batch * m, n, k, 2)
    block_m = min(block_m, product_block(m, 128))
    tiles = batch * cdiv(m, block_m) * cdiv(n, block_n)
    launch("matmul", "batched_matmul", (min(tiles, multiprocessors(a)), ), a, b, c, batch, m, n, k, strides(a)[0], a_step, strides(b)[0], b_step, *strides(c)[:2], block_m, block_n, block_k, 8, "ieee",
           "MK" if a_order == "rows" else "KM", "KN" if b_order == "rows" else "NK", **options)
    return True


@op("c")
def matmul(a: Array, b: Array, bias: Array | None = None, activation: str = "none"):
    """activation(a @ b + bias) of matrices of any strides; activation: none, relu, leaky_relu, silu, gelu."""
    require(activation in ("none", "relu", "leaky_relu", "silu", "gelu"), f"there is no activation {activation!r}")
    require_floats(a=a, b=b, bias=bias)
    require_product(a, b)
    require(a.dtype == b.dtype, f"`a` has type {dtype_name(a)}, but `b` has {dtype_name(b)}")
    if bias is not None:
        require_shape("bias", bias, b.shape[1:])
    c = empty(a, (a.shape[0], b.shape[1]))
    yield c
    multiply_into(c, a, b, bias, activation)


def multiply_into(c, a, b, bias=None, activation="none"):
    """`matmul`, into contiguous rows that are there."""
    m, n, k = a.shape[0], b.shape[1], a.shape[1]
    (block_m, block_n, block_k), options = _plan(a, m, n, k, 4 if dtype_name(a) == "float32" else 2)
    order = _block_order(a, b)
    tiles = cdiv(m, block_m) * cdiv(n, block_n)
    launch("matmul", "matmul", (tiles if order is None else min(tiles, multiprocessors(a)), ), a, b, None if bias is None else contiguous(bias), c,
           m, n, k, *strides(a), *strides(b), *strides(c), block_m, block_n, block_k, 8,
           None if activation == "none" else kernel("matmul", activation), "ieee", order, **options)


@matmul.gradient
def _(grad_c, a, b, bias, activation):
    if activation != "none":
        raise RuntimeError("`nereid.ops.matmul` has no gradient through an activation: apply it behind the product")
    grad_bias = None if bias is None else grad_c.sum(0).to(bias.dtype)
    return matmul(grad_c, b.transpose(0, 1)), matmul(a.transpose(0, 1), grad_c), grad_bias


@op("c")
def skinny_matmul(a: Array, b: Array, bias: Array | None = None, activation: str = "none"):
    """activation(a @ b + bias) where `a` has few rows, as in decoding; activation: none, relu, silu, gelu. The depth is split among programs, and the result is the same on every run."""
    require(activation in ("none", "relu", "silu", "gelu"), f"there is no activation {activation!r}")
    require_floats(a=a, b=b, bias=bias)
    require_product(a, b)
    require(a.dtype == b.dtype, f"`a` has type {dtype_name(a)}, but `b` has {dtype_name(b)}")
    if bias is not None:
        require_shape("bias", bias, b.shape[1:])
    c = empty(a, (a.shape[0], b.shape[1]))
    yield c
    m, n, k = a.shape[0], b.shape[1], a.shape[1]
    is_wide = dtype_name(a) == "float32"
    block_m, block_n, block_k = product_block(m, 64), product_block(n, 64), product_block(k, 64 if is_wide else 128)
    tiles_m, tiles_n = cdiv(m, block_m), cdiv(n, block_n)
    tiles = max(tiles_m * tiles_n, 1)
    most = max(min((2 * multiprocessors(a) if on_gpu(a) else 8) // tiles, k // (4 * block_k), 32), 1)
    splits = 1 << (most.bit_length() - 1)  # a power of two, so that few kernels are compiled
    partial = empty(a, (splits, tiles, block_m, block_n), "float32") if splits > 1 else None
    counter = zeros(a, (tiles, ), "int32") if splits > 1 else None
    launch("skinny_matmul", "skinny_matmul", (tiles_n, splits, tiles_m), a, b, None if bias is None else contiguous(bias), c, partial, counter, m, n, k, *strides(a), *strides(b), strides(c)[0],
           cdiv(cdiv(k, block_k), splits) * block_k, block_m, block_n, block_k, splits, None if activation == "none" else kernel("skinny_matmul", activation), "ieee", num_warps=4,
           num_stages=3 if is_wide else 4)


@op("c")
def stream_k_matmul(a: Array, b: Array):
    """a @ b of matrices of any strides, whose work is shared evenly among multiprocessors whatever the number of tiles; the same result on every run."""
    require_floats(a=a, b=b)
    require_product(a, b)
    require(a.dtype == b.dtype, f"`a` has type {dtype_name(a)}, but `b` has {dtype_name(b)}")
    c = empty(a, (a.shape[0], b.shape[1]))
    yield c
    m, n, k = a.shape[0], b.shape[1], a.shape[1]
    (block_m, block_n, block_k), options = _shared_plan(a, m, n, k)
    tiles, programs = cdiv(m, block_m) * cdiv(n, block_n), multiprocessors(a) if on_gpu(a) else 8
    if tiles == 0:
        return
    # Whole waves, whose programs read the same blocks at the same time; the tiles that are left are shared by steps of depth, in runs of 8 or more.
    waves, rest = divmod(tiles, programs)
    runs = min(max(rest * cdiv(k, block_k) // 8, 1), programs)
    partial = empty(a, (runs, 2, block_m, block_n), "float32")
    launch("stream_k_matmul", "stream_k_matmul", (programs, ), a, b, c, partial, m, n, k, *strides(a), *strides(b), strides(c)[0], waves, runs, runs * 2 * block_m, block_m, block_n, block_k, 8, "ieee", _block_order(a, b),
           **options)
    if rest:
        rows = min(block_m, 16)
        launch("stream_k_matmul", "stream_k_join", (runs, block_m // rows), c, partial, m, n, k, strides(c)[0], waves, programs, runs, block_m, block_n, block_k, 8, rows)


@op("c")
def split_k_matmul(a: Array, b: Array, splits: int = 0):
    """a @ b of matrices of any strides, for few tiles and a long depth: `splits` programs (0: chosen by the depth and the device, with larger tiles) share each tile, and their parts are added up in order."""
    require_floats(a=a, b=b)
    require_product(a, b)
    require(a.dtype == b.dtype, f"`a` has type {dtype_name(a)}, but `b` has {dtype_name(b)}")
    require(0 <= splits <= 65535, f"there are {splits} splits, but 0 to 65535 are expected")
    m, n, k = a.shape[0], b.shape[1], a.shape[1]
    c = empty(a, (m, n))
    yield c
    if m * n == 0:
        return
    order = None if splits else _block_order(a, b)
    (block_m, block_n, block_k), options = _plan(a, m, n, k, 4 if dtype_name(a) == "float32" else 2) if splits else _shared_plan(a, m, n, k)
    tiles = cdiv(m, block_m) * cdiv(n, block_n)
    splits = splits or max(min(multiprocessors(a) // tiles if on_gpu(a) else 64, k // (4 * block_k)), 1)
    partial = empty(a, (splits, m, n), "float32")
    launch("split_k_matmul", "split_k_matmul", (tiles, splits), a, b, partial, m, n, k, *strides(a), *strides(b), cdiv(cdiv(k, block_k), splits) * block_k, block_m, block_n, block_k, "ieee", order, **options)
    launch("reduce", "reduce_columns", (cdiv(m * n, 256), ), partial, c, m * n, splits, m * n, "sum", min(power_of_two(splits), 16), 256, num_warps=4)


@op("c")
def persistent_matmul(a: Array, b: Array):
    """a @ b^T of contiguous matrices [M, K] and [N, K] with rows of a multiple of 16 bytes, by as many programs as there are multiprocessors, which go from tile to tile."""
    require_floats(a=a, b=b)
    require(len(a.shape) == 2 and len(b.shape) == 2 and a.shape[1] == b.shape[1], f"shapes {tuple(a.shape)} and {tuple(b.shape)} have no product a @ b^T")
    require(a.dtype == b.dtype, f"`a` has type {dtype_name(a)}, but `b` has {dtype_name(b)}")
    m, n, k = a.shape[0], b.shape[0], a.shape[1]
    size = 4 if dtype_name(a) == "float32" else 2
    require(k * size % 16 == 0 and n * size % 16 == 0, f"rows have {k} and {n} elements, but multiples of 16 bytes are expected")
    c = empty(a, (m, n))
    yield c
    (block_m, block_n, block_k), options = _plan(a, m, n, k, size)
    programs = min(cdiv(m, block_m) * cdiv(n, block_n), multiprocessors(a) if on_gpu(a) else 64)
    launch("persistent_matmul", "persistent_matmul", (programs, ), contiguous(a), contiguous(b), c, m, n, k, block_m, block_n, block_k, 8, "ieee", **options)


def store_shares(c, tiles, steps, launch_tiles, programs=6, least=4):
    """Where few tiles keep no GPU busy, the depth of `steps` is shared out, to so many programs for a multiprocessor, with `least` steps for each: launch_tiles(out, grid) writes the sums of shares, which are added up."""
    shares = 1
    while on_gpu(c) and tiles * shares * 2 <= programs * multiprocessors(c) and steps >= shares * 2 * least:
        shares *= 2
    if shares == 1:
        return launch_tiles(c, (tiles, 1))
    sums, count = empty(c, (shares, *c.shape), "float32"), math.prod(c.shape)
    launch_tiles(sums, (tiles, shares))
    launch("reduce", "reduce_columns", (cdiv(count, 256), ), sums, c, count, shares, count, "sum", shares, 256, num_warps=4)


def is_better_dense(a):
    """Whether weights that are decoded once, into memory, cost less than in every tile of rows."""
    return on_gpu(a) and dtype_name(a) != "float32" and a.shape[0] >= 256


def add_transposed_product(c, a, b, add=True):
    """c += a^T @ b for matrices with contiguous rows, or c = that."""
    (m, n), k = c.shape, a.shape[0]
    (block_m, block_n, block_k), options = _plan(a, m, n, k, 4 if dtype_name(a) == "float32" else 2)
    if on_gpu(a) and dtype_name(a) != "float32" and all(strides(x)[0] % 8 == 0 and x.data_ptr() % 16 == 0 for x in (a, b)):
        tiles = cdiv(m, block_m) * cdiv(n, block_n)
        launch("linear_cross_entropy", "add_transposed_blocks", (min(tiles, multiprocessors(a)), ), a, b, c, m, n, k, strides(a)[0], strides(b)[0], strides(c)[0], add, block_m, block_n, block_k, 8, "ieee", **options)
        return
    if not add:
        c[...] = 0
    block_m, block_n = min(block_m, 128), min(block_n, 128)  # a tile of c is read and written besides
    launch("linear_cross_entropy", "add_transposed_product", (cdiv(m, block_m) * cdiv(n, block_n), ), a, b, c, m, n, k, strides(a)[0], strides(b)[0],
           strides(c)[0], block_m, block_n, block_k, 8, "ieee", **options)


def _takes_ragged_blocks(a, b):
    """Whether TMA can bring blocks of both, and most groups fill a tile."""
    groups, k, n = b.shape
    return (on_gpu(a) and dtype_name(a) != "float32" and a.dtype == b.dtype and k % 8 == 0 and n % 8 == 0 and 0 < groups <= 4096 and a.shape[0] >= 96 * groups and  #
            all(x.data_ptr() % 16 == 0 for x in (a, b)))


@op("c")
def grouped_matmul(a: Array, b: Array, ends: Array):
    """Rows ends[g - 1] … ends[g] - 1 of `a` [rows, K] times b[g] of [groups, K, N]: tokens sorted by expert. ends: int32. Rows behind the last of them are 0; on a GPU nobody writes them."""
    require_floats(a=a, b=b)
    require(len(a.shape) == 2 and len(b.shape) == 3 and a.shape[1] == b.shape[1], f"shapes {tuple(a.shape)} and {tuple(b.shape)} have no product")
    require_shape("ends", ends, b.shape[:1])
    require(dtype_name(ends) == "int32", f"`ends` has type {dtype_name(ends)}, but int32 is expected")
    require(a.dtype == b.dtype, f"`a` and `b` have types {dtype_name(a)} and {dtype_name(b)}, but one is expected")
    c = empty(a, (a.shape[0], b.shape[2]))
    yield c
    require_ascending("ends", ends, a.shape[0])
    rows, (groups, k, n) = a.shape[0], b.shape
    if (numbers := host_numbers(ends)) is not None:
        c[int(numbers[-1]) if groups else 0:] = 0
    a, b, ends = contiguous(a), contiguous(b), contiguous(ends)
    if _takes_ragged_blocks(a, b):
        block_m, block_n = 128, 256 if n >= 256 else 128
        most = cdiv(rows, block_m) + groups
        tiles = empty(a, (1 + most, 4), "int32")
        launch("grouped_gemm", "ragged_tiles", (groups, ), ends, tiles, groups, block_m, power_of_two(groups), num_warps=4)
        launch("grouped_gemm", "ragged_gemm_of_blocks", (min(most * cdiv(n, block_n), multiprocessors(a)), ), a, b, c, tiles, rows, groups, n, k, block_m, block_n, 64, "ieee", num_warps=8, num_stages=3)
        return
    (block_m, block_n, block_k), options = _plan(a, rows, n, k, 4 if dtype_name(a) == "float32" else 2)
    tiles = (cdiv(rows, block_m) + groups) * cdiv(n, block_n)
    launch("grouped_gemm", "ragged_gemm", (min(tiles, 4 * multiprocessors(a)) if on_gpu(a) else min(tiles, 64) if rows else 0, ), a, b, c, ends, groups, n, k, block_m, block_n, block_k, "ieee", **options)


@op("c")
def int8_matmul(a: Array, b: Array, a_scale: Array, b_scale: Array, dtype: str = "float32"):
    """a_scale[i] * b_scale[j] * sum(a[i, k] * b[k, j]) of int8 matrices, exact in int32 before the scales (fp32)."""
    for name, x in (("a", a), ("b", b)):
        require(dtype_name(x) == "int8", f"`{name}` has type {dtype_name(x)}, but int8 is expected")
    require_product(a, b)
    require_shape("a_scale", a_scale, a.shape[:1])
    require_shape("b_scale", b_scale, b.shape[1:])
    c = empty(a, (a.shape[0], b.shape[1]), dtype)
    yield c
    m, n, k = a.shape[0], b.shape[1], a.shape[1]
    (block_m, block_n, block_k), options = _plan(a, m, n, k, 1)
    launch("int8_matmul", "int8_matmul", (cdiv(m, block_m) * cdiv(n, block_n), ), a, b, contiguous(a_scale), contiguous(b_scale), c, m, n, k,
           *strides(a), *strides(b), *strides(c), block_m, block_n, block_k, **options)


def _require_groups(a, q, scale):
    """Every row of the weights has its row of scales."""
    k, n = a.shape[1], q.shape[1]
    require(len(scale.shape) == 2 and scale.shape[1] == n and scale.shape[0] > 0 and k % scale.shape[0] == 0,
            f"`scale` has shape {tuple(scale.shape)}, but (groups, {n}) is expected, of which {k} is a multiple")


@op("c")
def int8_weight_matmul(a: Array, q: Array, scale: Array):
    """a @ (q * scale): q int8 [K, N], scale [K / group, N]."""
    require_floats(a=a, scale=scale)
    require_product(a, q)
    _require_groups(a, q, scale)
    c = empty(a, (a.shape[0], q.shape[1]))
    yield c
    _launch_quantized("int8_weight_matmul", a, q, scale, (), c, q.shape[0] // scale.shape[0])


@op("c")
def int4_weight_matmul(a: Array, q: Array, scale: Array, zero: Array | None = None):
    """a @ ((q - zero) * scale): q two to a byte, uint8 [K / 2, N] as kernels/quantized_matmul says; scale and zero [K / group, N]."""
    require_floats(a=a, scale=scale, zero=zero)
    require(len(a.shape) == 2 and len(q.shape) == 2 and a.shape[1] == 2 * q.shape[0], f"shapes {tuple(a.shape)} and {tuple(q.shape)} have no product")
    _require_groups(a, q, scale)
    if zero is not None:
        require_shape("zero", zero, scale.shape)
    c = empty(a, (a.shape[0], q.shape[1]))
    yield c
    _launch_quantized("int4_weight_matmul", a, q, scale, (None if zero is None else contiguous(zero), ), c, a.shape[1] // scale.shape[0])


def _launch_quantized(name, a, q, scale, zero, c, group):
    a, q, scale = unit_rows(a), unit_rows(q), contiguous(scale)
    (m, k), n = a.shape, q.shape[1]
    require(group >= 16 and power_of_two(group) == group, f"a group has {group} rows, but a power of two from 16 on is expected")
    is_int8 = name == "int8_weight_matmul"
    if is_better_dense(a):
        weight, block = empty(a, (k, n)), min(group, 32)
        launch("quantized_matmul", name.replace("matmul", "dequantize"), (cdiv(n, 128), cdiv(k, block) if is_int8 else k // group), q, scale, *zero, weight, n, k, strides(q)[0], group, *([block] if is_int8 else []), 128)
        return multiply_into(c, a, weight)
    if on_gpu(a) and m == 1 and not is_int8:
        return store_shares(c, cdiv(n, 256), k // group, lambda out, grid: launch(
            "quantized_matmul", "int4_weight_vector", grid, a, q, scale, *zero, out, n, k, strides(q)[0], group, 8, 256, num_warps=4), 8, 2)  # yapf: disable
    if on_gpu(a) and dtype_name(a) != "float32":
        block_m, block_n, block_k, options = product_block(m, 64), 64, 64, {"num_warps": 4, "num_stages": 4}
    else:
        (block_m, block_n, block_k), options = _plan(a, m, n, k, 4)
    depth = min(block_k, group) if is_int8 else group
    store_shares(c, cdiv(m, block_m) * cdiv(n, block_n), cdiv(k, depth), lambda out, grid: launch(
        "quantized_matmul", name, grid, a, q, scale, *zero, out, m, n, k, strides(a)[0], strides(q)[0], n, group, block_m, block_n, **({"BLOCK_K": depth} if is_int8 else {}), PRECISION="ieee", **options))  # yapf: disable


@op("")
def add_lora_(out: Changed, x: Array, a: Array, b: Array, starts: Array, adapters: Array, longest: int, scale: float = 1.0):
    """out[rows] += scale * (x[rows] @ a[adapter]^T) @ b[adapter]^T, in place, for segments of rows: segment s has the rows starts[s] … starts[s + 1] - 1 (at most `longest`) and the adapter adapters[s], none if negative;
    both int32. a: [adapters, rank, depth], b: [adapters, columns, rank]."""
    require_floats(out=out, x=x, a=a, b=b)
    require(len(x.shape) == 2 and len(a.shape) == 3 and len(b.shape) == 3, "`x` has two axes, `a` and `b` have three")
    count, rank, depth = a.shape
    require_shape("x", x, (x.shape[0], depth))
    require_shape("b", b, (count, b.shape[1], rank))
    require_shape("out", out, (x.shape[0], b.shape[1]))
    require_shape("starts", starts, (adapters.shape[0] + 1, ))
    require(dtype_name(starts) == dtype_name(adapters) == "int32", f"`starts` and `adapters` have types {dtype_name(starts)} and {dtype_name(adapters)}, but int32 is expected")
    require(out.shape[1] <= 1 or strides(out)[1] == 1, "the rows of `out` must be contiguous: it is updated in place")
    yield
    require_segments("starts", starts, x.shape[0], "longest", longest)
    require_within("adapters", adapters, -1 << 31, count - 1)  # negative ones are left out
    x, a, b = map(unit_rows, (x, a, b))
    between, block_m = empty(x, (x.shape[0], rank)), min(max(power_of_two(longest), 16), 64)
    starts, adapters = contiguous(starts), contiguous(adapters)
    for source, weight, result, factor, add in ((x, a, between, 1.0, False), (between, b, out, scale, True)):
        columns, block_n = weight.shape[1], min(max(power_of_two(weight.shape[1]), 16), 64)
        launch("lora", "lora", (cdiv(columns, block_n), cdiv(longest, block_m), adapters.shape[0]), source, weight, starts, adapters, result, factor, strides(source)[0],
               *strides(weight)[:2], strides(result)[0], columns, weight.shape[2], add, block_m, block_n, 64, "ieee")
