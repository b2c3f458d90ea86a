"""Rows for products whose tiles are shared, sparse or quantized, and for attention in fp8."""
import numpy as np
from nereid import ops
from ops_case import Case
from ops_references import dequantized4, runs_of_rows, silu

rng = np.random.default_rng(6)


def arrays(*shapes):
    return tuple(rng.standard_normal(shape).astype(np.float32) for shape in shapes)


def integers(low, high, shape, dtype):
    return rng.integers(low, high, shape).astype(dtype)


def fp8_values(codes):
    """Of E4M3, without its NaNs."""
    exponent, mantissa = codes >> 3 & 15, codes & 7
    return np.where(codes & 128, -1, 1) * np.where(exponent, np.ldexp(8.0 + mantissa, exponent.astype(int) - 10), np.ldexp(1.0 * mantissa, -9))


def mxfp4_values(codes, scale):
    codes = np.stack([codes & 15, codes >> 4], axis=-1).reshape(*codes.shape[:-1], -1)
    values = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
    return np.where(codes & 8, -1, 1) * values[codes & 7] * np.ldexp(1.0, scale.astype(int) - 127).repeat(32, axis=-1)


def pruned24(w):
    """With zeros but for the two largest of each four."""
    groups = w.reshape(-1, 4)
    return np.where(abs(groups).argsort(axis=1).argsort(axis=1) >= 2, groups, 0).reshape(w.shape)


def in_order24(places):
    """The half word of each row and 16 elements, where `sparse24_order` puts it."""
    rows, halves = -(-places.shape[0] // 128) * 128, -(-places.shape[1] // 16) * 8
    whole = np.full((rows, 2 * halves), 0x44, np.uint8)
    whole[:places.shape[0], :places.shape[1]] = places
    ordered = np.zeros((rows // 8, 8 * halves), np.int16)
    row, half = np.indices((rows, halves))
    ordered[row // 16 * 2 + row % 8 // 4, half // 4 * 32 + row % 4 * 8 + half % 4 * 2 + row // 8 % 2] = whole.view(np.int16)
    return ordered


def with_blocks(values, crow, col, across):
    """A matrix from its blocks."""
    size = values.shape[1]
    result = np.zeros((len(crow) - 1, size, across, size))
    for row in range(len(crow) - 1):
        for index in range(crow[row], crow[row + 1]):
            result[row, :, col[index]] = values[index]
    return result.reshape(-1, across * size)


def shared_product_cases():
    yield Case("skinny_matmul", (*arrays((5, 600), (600, 50), (50, )), "silu"), lambda a, b, bias, _: silu(a @ b + bias), tolerance=2e-4)
    yield Case("skinny_matmul", (*arrays((1, 20)), arrays((9, 20))[0].T), np.matmul)
    yield Case("stream_k_matmul", arrays((200, 40), (40, 300)), np.matmul)
    yield Case("stream_k_matmul", (*arrays((5, 700)), arrays((9, 700))[0].T), np.matmul, tolerance=1e-4)
    yield Case("split_k_matmul", (*arrays((5, 700)), arrays((9, 700))[0].T), np.matmul, tolerance=1e-4)
    yield Case("split_k_matmul", (*arrays((40, 100), (100, 33)), 3), lambda a, b, _: a @ b)
    yield Case("persistent_matmul", arrays((70, 40), (36, 40)), lambda a, b: a @ b.T)
    a, b, a_scale, b_scale = integers(0, 120, (5, 150), np.uint8), integers(128, 240, (140, 150), np.uint8), *arrays((5, 2), (2, 2))
    blocks = lambda a, b, a_scale, b_scale, *_: (fp8_values(a) * a_scale.repeat(128, axis=1)[:, :150]) @ (fp8_values(b) * b_scale.repeat(128, axis=0)[:140].repeat(128, axis=1)[:, :150]).T  # noqa: E731
    yield Case("fp8_block_matmul", (a, b, a_scale, b_scale), blocks, tolerance=1e-3)
    yield Case("w8a8_block_fp8_matmul", (a, b, a_scale, b_scale), blocks, tolerance=1e-3)
    ends = np.array([4, 4, 11], np.int32)
    q, scale = integers(0, 256, (3, 32, 6), np.uint8), *arrays((3, 2, 6))
    yield Case("moe_int4_matmul", (*arrays((11, 64)), q, scale, ends), lambda a, q, scale, ends: runs_of_rows(a, np.stack([dequantized4(*each) for each in zip(q, scale)]), ends), tolerance=2e-4)
    codes, powers = integers(0, 256, (3, 6, 48), np.uint8), integers(124, 128, (3, 6, 3), np.uint8)
    yield Case("moe_mxfp4_matmul", (*arrays((11, 96)), codes, powers, ends, *arrays((3, 6))), lambda a, q, scale, ends, bias: runs_of_rows(a, mxfp4_values(q, scale).swapaxes(1, 2), ends) + bias.repeat(
        np.diff(ends, prepend=0), axis=0), tolerance=2e-4)
    w, x, bias = arrays((6, 48), (5, 48), (6, ))
    kept = pruned24(w)
    values, places = ops.sparse24_compress(w)
    yield Case("sparse24_compress", (w, ), lambda w, places=places: (kept[kept != 0].reshape(6, 24), places), tolerance=0)
    yield Case("sparse24_expand", (values, places), lambda *_: kept, tolerance=0)
    yield Case("sparse24_matmul", (x, values, places, bias), lambda x, values, places, bias: x @ kept.T + bias)
    w, x, bias = arrays((40, 144), (5, 144), (40, ))
    values, places = ops.sparse24_compress(w)
    yield Case("sparse24_order", (places, ), in_order24, tolerance=0)
    yield Case("sparse24_matmul", (x, values, ops.sparse24_order(places), bias), lambda x, values, ordered, bias, w=pruned24(w): x @ w.T + bias)
    crow, col, (x, values, bias) = np.array([0, 2, 2, 3], np.int32), np.array([1, 3, 0], np.int32), arrays((5, 64), (3, 16, 16), (48, ))
    yield Case("block_sparse_matmul", (x, values, crow, col, bias), lambda x, values, crow, col, bias: x @ with_blocks(values, crow, col, 4).T + bias, (0, 1, 4))


def fp8_attention_cases():
    """With one key each, or equal ones, whose weights fp8 holds exactly."""
    q, k, v = integers(0, 60, (2, 4, 5, 32), np.uint8), integers(0, 60, (2, 2, 1, 32), np.uint8), integers(0, 60, (2, 2, 8, 32), np.uint8)
    scores = lambda q, k: np.einsum("bhqd,bhkd->bhqk", fp8_values(q), fp8_values(k).repeat(2, axis=1)) * 32**-0.5  # noqa: E731
    yield Case("fp8_attention", (q, k, v[:, :, :1]), lambda q, k, v: (fp8_values(v).repeat(2, axis=1).repeat(5, axis=2), scores(q, k)[..., 0]), tolerance=1e-4)
    factor, = arrays((2, 2))
    turned = np.ascontiguousarray(v.swapaxes(2, 3)).swapaxes(2, 3)
    yield Case("fp8_attention", (q, k.repeat(8, axis=2), turned, None, None, factor), lambda q, k, v, a, b, factor: (
        (fp8_values(v).mean(axis=2, keepdims=True) * factor[:, :, None, None]).repeat(2, axis=1).repeat(5, axis=2), scores(q, k)[..., 0] + np.log(8)), tolerance=1e-3)
