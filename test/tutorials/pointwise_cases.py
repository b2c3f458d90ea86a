"""Tutorials 01, 02, 04, 05 and 07: vector add, softmax, dropout, layer norm, libdevice."""
import numpy as np

from cases import case, cdiv, expect_close, expect_equal


@case(1, {"n": 98432 // 8 + 3}, {"n": 1}, {"n": 1024})
def vector_add(tutorial, n):
    random = np.random.default_rng(n)
    x, y = random.standard_normal((2, n)).astype(np.float32)
    out = np.full(n, np.nan, np.float32)
    tutorial.launch("add_kernel", (cdiv(n, 1024),), x, y, out, n, BLOCK_SIZE=1024)
    expect_equal(out, x + y)


@case(2, {"rows": 23, "columns": 781, "programs": 23}, {"rows": 23, "columns": 781, "programs": 5}, {"rows": 1, "columns": 1, "programs": 1})
def softmax(tutorial, rows, columns, programs):
    random = np.random.default_rng(rows)
    wide = (random.standard_normal((rows, columns + 3)) * 4).astype(np.float32)
    x = wide[:, :columns]  # a row stride that is not the width
    out = np.full((rows, columns), np.nan, np.float32)
    block = 1 << (columns - 1).bit_length()
    tutorial.launch("softmax_kernel", (programs,), out, x, columns + 3, columns, rows, columns, BLOCK_SIZE=block, num_stages=2)
    top = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    expect_close(out, top / top.sum(axis=1, keepdims=True), 1e-7, 2e-6)


@case(4, {"n": 1003, "p": 0.5}, {"n": 10, "p": 0.25})
def low_memory_dropout(tutorial, n, p):
    random = np.random.default_rng(n)
    x = random.standard_normal(n).astype(np.float32)
    keep = (random.random(n) > p).astype(np.int32)
    out = np.full(n, np.nan, np.float32)
    tutorial.launch("_dropout", (cdiv(n, 256),), x, keep, out, n, p, BLOCK_SIZE=256)
    expect_close(out, np.where(keep, x.astype(np.float64) / (1 - p), 0), 0, 2e-7)


def philox_uniform(seed, count):
    """Philox 4x32 with ten rounds, counter (i, 0, 0, 0), as Salmon et al. define it; its first word as a number in [0, 1)."""
    word = np.uint64(0xFFFFFFFF)
    counter = [np.arange(count, dtype=np.uint64)] + [np.zeros(count, np.uint64)] * 3
    key = [np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32 & 0xFFFFFFFF)]
    for _ in range(10):
        first, second = counter[0] * np.uint64(0xD2511F53), counter[2] * np.uint64(0xCD9E8D57)
        counter = [second >> np.uint64(32) ^ counter[1] ^ key[0], second & word, first >> np.uint64(32) ^ counter[3] ^ key[1], first & word]
        key = [(key[0] + np.uint64(0x9E3779B9)) & word, (key[1] + np.uint64(0xBB67AE85)) & word]
    bits = counter[0].astype(np.uint32).view(np.int32)
    return np.where(bits < 0, -(bits + 1), bits).astype(np.float32) * np.float32(4.6566127342e-10)


@case(4, {"n": 1003, "seed": 123}, {"n": 2500, "seed": 2**40 + 5})
def seeded_dropout(tutorial, n, seed):
    p = 0.4
    x = np.random.default_rng(n).standard_normal(n).astype(np.float32)
    out, again = np.full((2, n), np.nan, np.float32)
    tutorial.launch("_seeded_dropout", (cdiv(n, 512),), x, out, n, p, seed, BLOCK_SIZE=512)
    tutorial.launch("_seeded_dropout", (cdiv(n, 256),), x, again, n, p, seed, BLOCK_SIZE=256)
    keep = philox_uniform(seed, n) > np.float32(p)
    expect_close(out, np.where(keep, x.astype(np.float64) / (1 - p), 0), 0, 4e-7)
    expect_equal(again, out, "the result with another block size")


def layer_norm_data(rows, columns, dtype):
    random = np.random.default_rng(columns)
    x = (-2.3 + 0.5 * random.standard_normal((rows, columns))).astype(dtype)
    weight, bias = random.random((2, columns)).astype(dtype)
    gradient = (0.1 * random.standard_normal((rows, columns))).astype(dtype)
    return x, weight, bias, gradient


@case(5, {"dtype": "float32", "columns": 1151}, {"dtype": "float16", "columns": 515})
def layer_norm_forward(tutorial, dtype, columns, rows=13, epsilon=1e-5):
    x, weight, bias, _ = layer_norm_data(rows, columns, dtype)
    out = np.full_like(x, np.nan)
    mean, scale = np.full((2, rows), np.nan, np.float32)
    tutorial.launch("_layer_norm_fwd_fused", (rows,), x, out, weight, bias, mean, scale, columns, columns, epsilon, BLOCK_SIZE=256)
    exact = x.astype(np.float64)
    want_mean, want_scale = exact.mean(axis=1), 1 / np.sqrt(exact.var(axis=1) + epsilon)
    want = (exact - want_mean[:, None]) * want_scale[:, None] * weight.astype(np.float64) + bias.astype(np.float64)
    expect_close(mean, want_mean, 1e-6, what="mean")
    expect_close(scale, want_scale, 0, 1e-5, what="reciprocal deviation")
    expect_close(out, want, 1e-5 if dtype == "float32" else 4e-3)


@case(5, {"dtype": "float32", "columns": 117, "group": 4}, {"dtype": "float16", "columns": 250, "group": 3})
def layer_norm_backward(tutorial, dtype, columns, group, rows=11, epsilon=1e-5):
    x, weight, _, gradient = layer_norm_data(rows, columns, dtype)
    exact, exact_weight, exact_gradient = x.astype(np.float64), weight.astype(np.float64), gradient.astype(np.float64)
    mean, scale = exact.mean(axis=1).astype(np.float32), (1 / np.sqrt(exact.var(axis=1) + epsilon)).astype(np.float32)
    dx = np.full_like(x, np.nan)
    partial_dw, partial_db = np.zeros((2, group, columns), dtype)
    locks = np.zeros(2 * group, np.int32)
    block = 1 << (columns - 1).bit_length()
    tutorial.launch("_layer_norm_bwd_dx_fused", (rows,), dx, gradient, partial_dw, partial_db, x, weight, mean, scale, locks,
                    columns, columns, BLOCK_SIZE_N=block, GROUP_SIZE_M=group, num_warps=4)
    dw, db = np.full((2, columns), np.nan, dtype)
    tutorial.launch("_layer_norm_bwd_dwdb", (cdiv(columns, 128),), partial_dw, partial_db, dw, db, min(group, rows), columns,
                    BLOCK_SIZE_M=32, BLOCK_SIZE_N=128)
    normal = (exact - mean[:, None].astype(np.float64)) * scale[:, None].astype(np.float64)
    weighted = exact_weight * exact_gradient
    want_dx = (weighted - normal * (normal * weighted).mean(axis=1, keepdims=True) - weighted.mean(axis=1, keepdims=True)) * scale[:, None]
    tolerance = 2e-6 if dtype == "float32" else 2e-3
    expect_close(dx, want_dx, tolerance, what="dx")
    expect_close(dw, (exact_gradient * normal).sum(axis=0), tolerance, what="dw")
    expect_close(db, exact_gradient.sum(axis=0), tolerance, what="db")
    expect_equal(locks, np.repeat([0, 1], group) if rows >= group else locks, "locks and counts")


@case(7, {"dtype": "float32", "n": 9843}, {"dtype": "float64", "n": 301})
def libdevice_asin(tutorial, dtype, n):
    x = (2 * np.random.default_rng(n).random(n) - 1).astype(dtype)
    x[:3] = 0, 1, -1
    out = np.full_like(x, np.nan)
    tutorial.launch("asin_kernel", (cdiv(n, 1024),), x, out, n, BLOCK_SIZE=1024)
    expect_close(out, np.arcsin(x.astype(np.float64)), 0, 4e-7 if dtype == "float32" else 1e-15)
