"""Products with sparse weights: two of every four (2:4), and blocks."""
from __future__ import annotations

from ._arrays import contiguous, dtype_name, empty, on_gpu, require, require_ascending, require_floats, require_shape, require_within, strides, unit_rows
from ._configurations import configuration, launch_options
from ._declare import op
from ._library import cdiv, launch, multiprocessors, power_of_two, product_block
from .product import is_better_dense, multiply_into, store_shares


def _ordered_shape(n, k):
    return cdiv(n, 128) * 16, cdiv(k, 128) * 64


def _require_compressed(values, places, n, k):
    require_floats(values=values)
    require(k % 8 == 0, f"rows have {k} elements, but a multiple of 8 is expected")
    require_shape("values", values, (n, k // 2))
    if dtype_name(places) == "int16":
        require(n % 8 == 0 and k % 16 == 0, f"the weights are {n} x {k}, but ordered places are for rows of a multiple of 16 elements, and a multiple of 8 of them")
        return require_shape("places", places, _ordered_shape(n, k))
    require_shape("places", places, (n, k // 8))
    require(dtype_name(places) == "uint8", f"`places` has type {dtype_name(places)}, but uint8 is expected")


@op("values places")
def sparse24_compress(w: Array):
    """(values, places) of w [N, K]: the two largest magnitudes of each four along K, [N, K / 2], and where they stood, two bits each, uint8 [N, K / 8]; kernels/sparse24_matmul says how."""
    require_floats(w=w)
    require(len(w.shape) == 2 and w.shape[1] % 8 == 0, f"`w` has shape {tuple(w.shape)}, but rows of a multiple of 8 are expected")
    n, k = w.shape
    values, places = empty(w, (n, k // 2)), empty(w, (n, k // 8), "uint8")
    yield values, places
    w = unit_rows(w)
    launch("sparse24_matmul", "sparse24_compress", (cdiv(k, 512), cdiv(n, 4)), w, values, places, strides(w)[0], n, k, 4, 512)


@op("ordered")
def sparse24_order(places: Array):
    """places of `sparse24_compress` in the order of sparse tensor cores, for `sparse24_matmul`: int16 [N / 8, K / 2], with N and K filled up to multiples of 128."""
    require(len(places.shape) == 2 and dtype_name(places) == "uint8", f"`places` is {dtype_name(places)} {tuple(places.shape)}, but uint8 with two axes is expected")
    n, k = places.shape[0], 8 * places.shape[1]
    ordered = empty(places, _ordered_shape(n, k), "int16")
    yield ordered
    launch("sparse24_matmul", "sparse24_order", (cdiv(k, 128), cdiv(n, 128)), contiguous(places), ordered, n, k, 128, 128)


@op("w")
def sparse24_expand(values: Array, places: Array):
    """w from (values, places) of `sparse24_compress`, with zeros."""
    require(len(values.shape) == 2, f"`values` has shape {tuple(values.shape)}, but two axes are expected")
    n, k = values.shape[0], 2 * values.shape[1]
    require(dtype_name(places) == "uint8", f"`places` has type {dtype_name(places)}, but uint8 is expected")
    _require_compressed(values, places, n, k)
    w = empty(values, (n, k))
    yield w
    launch("sparse24_matmul", "sparse24_expand", (cdiv(k, 512), cdiv(n, 4)), contiguous(values), contiguous(places), w, k // 2, k // 8, k, n, k, 4, 512)


@op("c")
def sparse24_matmul(a: Array, values: Array, places: Array, bias: Array | None = None):
    """a @ w^T + bias with weights that `sparse24_compress` has made, which are read in that form. With places in the order of `sparse24_order` sparse tensor cores multiply, where the GPU has them."""
    require_floats(a=a, bias=bias)
    require(len(a.shape) == 2 and len(values.shape) == 2, f"`a` has shape {tuple(a.shape)} and `values` {tuple(values.shape)}, but two axes are expected")
    (m, k), n = a.shape, values.shape[0]
    _require_compressed(values, places, n, k)
    if bias is not None:
        require_shape("bias", bias, (n, ))
    c = empty(a, (m, n))
    yield c
    a, values, places = unit_rows(a), contiguous(values), contiguous(places)
    if dtype_name(places) == "int16":
        require(values.dtype == a.dtype, f"`values` has type {dtype_name(values)}, but `a` has {dtype_name(a)}")
        return _multiply_ordered(c, a, values, places, bias)
    if is_better_dense(a) and values.dtype == a.dtype:
        return multiply_into(c, a, sparse24_expand.operation.run(values, places).T, bias)
    narrow = dtype_name(a) != "float32"
    is_large = narrow and m > 64
    block_m, block_n, block_k = product_block(m, 128 if is_large else 64), product_block(n, 128 if is_large else 32 if on_gpu(a) and narrow else 64), 128 if narrow and not is_large else 64
    store_shares(c, cdiv(m, block_m) * cdiv(n, block_n), cdiv(k, block_k), lambda out, grid: launch(
        "sparse24_matmul", "sparse24_matmul", grid, a, values, places, None if bias is None else contiguous(bias), out, m, n, k, strides(a)[0], k // 2, k // 8, n, block_m, block_n, block_k,
        k % block_k == 0, "ieee", num_warps=8 if is_large else 4, num_stages=3))  # yapf: disable


def _multiply_ordered(c, a, values, ordered, bias):
    (m, k), n = a.shape, values.shape[0]
    is_large = cdiv(m, 128) * cdiv(n, 128) >= multiprocessors(a)
    numbers = configuration("sparse24_product", a, bytes=4 if dtype_name(a) == "float32" else 2, large=is_large, m=1 << m.bit_length() - 1 if m else 0, n=n, k=k)
    block_m, block_n, block_k = product_block(m, numbers["BLOCK_M"]), max(product_block(n, numbers["BLOCK_N"]), 64), max(product_block(k, numbers["BLOCK_K"]), 64)
    tiles = cdiv(m, block_m) * cdiv(n, block_n)
    launch("sparse24_matmul", "sparse24_product", (min(tiles, multiprocessors(a) if on_gpu(a) else tiles), ), a, values, ordered, None if bias is None else contiguous(bias), c, m, n, k, k // 2,
           *ordered.shape, strides(a)[0], n, block_m, block_n, block_k, 8, "ieee", **launch_options(numbers))


def _require_blocks(values, col):
    require_floats(values=values)
    require(len(values.shape) == 3, f"`values` has shape {tuple(values.shape)}, but three axes are expected")
    size = values.shape[1]
    require(16 <= size <= 128 and power_of_two(size) == size, f"blocks have {size} rows, but a power of two from 16 to 128 is expected")
    require_shape("values", values, (values.shape[0], size, size))
    require_shape("col_indices", col, values.shape[:1])
    require(dtype_name(col) == "int32", f"`col_indices` has type {dtype_name(col)}, but int32 is expected")
    return size


@op("c")
def block_sparse_matmul(a: Array, values: Array, crow_indices: Array, col_indices: Array, bias: Array | None = None):
    """a @ w^T + bias with w [N, K] as torch's BSR: values [blocks, size, size]; row block n has the blocks crow_indices[n] … crow_indices[n + 1] - 1, in the column blocks col_indices[…]; int32."""
    require_floats(a=a, bias=bias)
    size = _require_blocks(values, col_indices)
    require(len(a.shape) == 2 and a.shape[1] % size == 0, f"`a` has shape {tuple(a.shape)}, but a multiple of {size} columns is expected")
    require(len(crow_indices.shape) == 1 and crow_indices.shape[0] > 0 and dtype_name(crow_indices) == "int32", "`crow_indices` is no vector of int32")
    n = (crow_indices.shape[0] - 1) * size
    if bias is not None:
        require_shape("bias", bias, (n, ))
    c = empty(a, (a.shape[0], n))
    yield c
    require_ascending("crow_indices", crow_indices, values.shape[0])
    require_within("col_indices", col_indices, 0, a.shape[1] // size - 1)
    a = unit_rows(a)
    block_m = product_block(a.shape[0], 64 if dtype_name(a) == "float32" else 128)
    launch("block_sparse_matmul", "block_sparse_matmul", (cdiv(a.shape[0], block_m), n // size), a, contiguous(values), contiguous(crow_indices), contiguous(col_indices),
           None if bias is None else contiguous(bias), c, a.shape[0], strides(a)[0], strides(c)[0], size, block_m, "ieee", num_warps=8 if size >= 128 else 4, num_stages=3)


@op("grad_values")
def block_sparse_gradient(grad_c: Array, a: Array, rows: Array, col_indices: Array, size: int):
    """The gradient of the blocks of `block_sparse_matmul`, which stand in the row blocks `rows`."""
    grad_values = empty(a, (col_indices.shape[0], size, size))
    yield grad_values
    require_within("rows", rows, 0, grad_c.shape[1] // size - 1)
    require_within("col_indices", col_indices, 0, a.shape[1] // size - 1)
    grad_c, a = unit_rows(grad_c), unit_rows(a)
    launch("block_sparse_matmul", "block_sparse_gradient", (col_indices.shape[0], ), grad_c, a, contiguous(rows), contiguous(col_indices), grad_values, a.shape[0], strides(grad_c)[0], strides(a)[0],
           size, product_block(a.shape[0], 64), "ieee", num_warps=8 if size >= 128 else 4, num_stages=3)


@block_sparse_matmul.gradient
def _(grad_c, a, values, crow_indices, col_indices, bias):
    size, blocks = values.shape[1], col_indices.shape[0]
    counts = crow_indices[1:] - crow_indices[:-1]
    rows = counts.new_ones(counts.shape).cumsum(0).sub(1).to(crow_indices.dtype).repeat_interleave(counts, output_size=blocks)
    # w itself, by its columns, is what `a` meets on the way back.
    order = col_indices.argsort(stable=True)
    column_counts = col_indices.new_zeros(a.shape[1] // size + 1).index_add_(0, col_indices + 1, col_indices.new_ones(blocks))
    grad_a = block_sparse_matmul(grad_c, values.index_select(0, order).transpose(1, 2).contiguous(), column_counts.cumsum(0).to(crow_indices.dtype), rows.index_select(0, order))
    return grad_a, block_sparse_gradient(grad_c, a, rows, col_indices, size).to(values.dtype), None, None, None if bias is None else grad_c.sum(0).to(bias.dtype)
