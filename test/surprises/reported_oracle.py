#!/usr/bin/python3
"""What others reported of compilers of Triton, as small programs of our own: the kernels of Inputs/reported_*.py, run against numpy. The number of a
case is that of the report: of triton-lang/triton where nothing else is said, fla of flash-linear-attention, flagtree of FlagTree.

    reported_oracle.py [--only PATTERN]
"""
import argparse
import glob
import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), "python")]

from cases import case, cdiv, expect_close, expect_equal, run_cases  # noqa: E402

random = np.random.default_rng(11148)
BRANCHES, PRODUCTS, SCANS, MEMORY = "branches", "products", "scans", "memory"
WARPS = ({"num_warps": 1}, {"num_warps": 4})


def normal(*shape, dtype=np.float32, scale=1.0):
    return (random.standard_normal(shape) * scale).astype(dtype)


def half(*shape, scale=0.5):
    return normal(*shape, dtype=np.float16, scale=scale)


def wide(*arrays):
    return [array.astype(np.float64) for array in arrays]


def flags():
    return np.array([0, 1], np.int32)


# ---- Branches that LLVM threads past the place where lanes meet (11148, 11153, LLVM #213868), and other compilers' (FlagTree).


@case(BRANCHES, *({"n": n, "block": block, **warps} for n, block in ((4, 4), (200, 256)) for warps in WARPS))
def report_11153(file, n, block, num_warps):
    a, x, y = normal(5, n), normal(n), np.zeros(5, np.float32)
    file.launch("opaque_matvec", (5,), a, x, y, flags(), np.zeros(2, np.int32), n, B=block, num_warps=num_warps)
    expect_close(y, a.astype(np.float64) @ x, 1e-4)


@case(BRANCHES, *({"block": block, **warps} for block in (16, 64) for warps in WARPS))
def report_11148(file, block, num_warps):
    a, b, c, side = half(block, block), half(block, block), np.zeros((3, block), np.float32), np.zeros(6, np.int32)
    file.launch("opaque_dot", (3,), a, b, c, flags(), side, B=block, num_warps=num_warps)
    left, right = wide(a, b)
    expect_close(c, np.tile((left @ right @ right).sum(1), (3, 1)), 5e-2, 1e-2)
    expect_equal(side[[0, 5]], [1, 3])


@case(BRANCHES, *WARPS)
def flagtree_981(file, num_warps):
    x, y = normal(2, 64), np.full((2, 2), 9, np.float32)
    file.launch("opaque_topk", (2,), x, y, flags(), np.zeros(2, np.int32), 2, B=64, num_warps=num_warps)
    expect_equal(y, -np.sort(-x)[:, :2])


@case(BRANCHES)
def flagtree_1227(file):
    y = np.zeros(1, np.float32)
    file.launch("opaque_sum_atomic", (12,), np.ones(3072, np.float32), y, flags(), 3072, B=256)
    expect_equal(y, np.array([3072], np.float32))


@case(BRANCHES)
def flagtree_1009(file):
    x, y = normal(7, 7), np.zeros((5, 5), np.float32)
    file.launch("maxpool", (5, 5), x, y, flags(), np.zeros(2, np.int32), 7, 7, 5, K=3, B=16)
    expect_equal(y, np.lib.stride_tricks.sliding_window_view(x, (3, 3)).max((2, 3)))


@case(BRANCHES)
def report_11612(file):
    out = np.zeros(5, np.int32)
    file.launch("flattened", (1,), out, 5)
    expect_equal(out, [60, 62, 62, 64, 64])


@case(BRANCHES, *WARPS)
def report_11631(file, num_warps):
    x, out = normal(3, 16, 256), np.zeros(16, np.float32)
    file.launch("negated_sum", (1,), x, out, 3, M=16, K=256, num_warps=num_warps)
    expect_close(out, -x[2].astype(np.float64).sum(1), 1e-4)


@case(BRANCHES, *({"stages": stages} for stages in (1, 2, 3)))
def report_8139(file, stages):
    out = np.zeros(17, np.int32)
    file.launch("conditional_use", (1,), np.arange(17, dtype=np.int32), out, np.ones(1, np.int32), 17, S=stages)
    expect_equal(out, np.arange(17) + 1)


def returned(v, p):
    if v.max() < 0:
        return -1
    if p % 2 == 0:
        if v.sum() > 3:
            return v.sum()
        v = v * 2
    return np.cumsum(v).sum()


@case(BRANCHES, *WARPS)
def early_returns(file, num_warps):
    x, out = normal(9, 64), np.zeros(9, np.float32)
    x[1], x[4] = -abs(x[1]), abs(x[4])
    file.launch("early_returns", (9,), x, out, 8, B=64, num_warps=num_warps)
    expect_close(out[:8], np.array([returned(row.astype(np.float64), p) for p, row in enumerate(x[:8])]), 1e-3, 1e-4)
    expect_equal(out[8], np.float32(0))


@case(BRANCHES, *WARPS)
def nested_whiles(file, num_warps):
    x, out = normal(6, 64), np.zeros(64, np.float32)
    file.launch("nested_whiles", (1,), x, out, 6, B=64, num_warps=num_warps)
    acc, count, total = np.zeros(64), 0, np.zeros(64)
    for k in range(6):
        v = x[k]
        for j in range(k):
            if v.sum(dtype=np.float64) > 0:
                acc = acc + v * j
            else:
                v = -v + 1
        count, total = count + k, total + acc
    expect_close(out, total + count, 1e-3)


# ---- Products.


@case(PRODUCTS, *({"type": type, "rows": rows, "num_warps": warps} for type in (np.float16, np.float32) for rows, warps in ((16, 4), (64, 4), (128, 8))))
def report_10821(file, type, rows, num_warps):
    M, N, K = 130, 70, 100
    a, b = [normal(M, K, dtype=type, scale=0.3) for _ in range(2)], [normal(K, N, dtype=type, scale=0.3) for _ in range(2)]
    c = np.zeros((M, N), np.float32)
    file.launch("two_dots", (cdiv(M, rows), 2), *a, *b, c, M, N, K, BM=rows, BN=64, BK=32, num_warps=num_warps)
    expect_close(c, sum(left.astype(np.float64) @ right for left, right in zip(a, b)), 2e-2)


@case(PRODUCTS, *({"num_stages": stages, "first": first} for stages in (1, 2, 3) for first in (False, True)))
def report_6691(file, num_stages, first):
    N, D = 200, 64
    a, b, sums, products = half(N, D), half(N, D), np.zeros(D, np.float32), np.zeros((D, D), np.float32)
    file.launch("sum_and_dot", (1,), a, b, sums, products, N, D=D, B=64, FIRST=first, num_stages=num_stages)
    expect_close(sums, a.astype(np.float64).sum(0), 1e-2)
    expect_close(products, a.T.astype(np.float64) @ b, 1e-2)


def expected_gradients(k, v, dw, du, A, b):
    At, b = A.T, b[:, None]
    dvb, dkb = At @ du, At @ dw
    dA = np.tril(du @ (v * b).T + dw @ (k * b).T, -1)
    dA = -np.tril(At @ (dA @ At), -1)
    again = dA @ k
    return dkb * b + dA.T @ (k * b) + again * b, dvb * b, (dvb * v).sum(1) + (dkb * k).sum(1) + (again * k).sum(1)


@case(PRODUCTS, *({"num_warps": warps, "stages": stages} for warps in (2, 4, 8) for stages in (2, 3)))
def fla_984(file, num_warps, stages):
    P, BT, K = 2, 64, 64
    k, v, dw, du = (half(P, BT, K, scale=0.15) for _ in range(4))
    beta, A = random.random((P, BT)).astype(np.float16), np.tril(half(P, BT, BT, scale=0.05))
    dk, dv, db = np.zeros((P, BT, K), np.float32), np.zeros((P, BT, K), np.float32), np.zeros((P, BT), np.float32)
    file.launch("wy_backward", (P,), k, v, beta, A, dw, du, dk, dv, db, BT, BT=BT, K=K, BK=32, num_warps=num_warps, num_stages=stages)
    for p in range(P):
        for got, want in zip((dk[p], dv[p], db[p]), expected_gradients(*wide(k[p], v[p], dw[p], du[p], A[p], beta[p]))):
            expect_close(got, want, 2e-2)


@case(PRODUCTS, {"num_warps": 4}, {"num_warps": 8})
def report_11366(file, num_warps):
    BHN, C, D, DV = 2, 64, 64, 128
    do, v, h, dh = half(BHN, C, DV), half(BHN, C, DV), half(BHN, D, DV), half(BHN, D, DV)
    k, q, dq, dk = half(BHN, C, D), half(BHN, C, D), np.zeros((BHN, C, D), np.float32), np.zeros((BHN, C, D), np.float32)
    file.launch("h20_kernel", (BHN * D // 32,), do, v, h, dh, k, q, dq, dk, C=C, BD=32, D=D, DV=DV, BHN=BHN, num_warps=num_warps)
    for p in range(BHN):
        o, x, hh, dhh, kk, qq = wide(do[p], v[p], h[p], dh[p], k[p], q[p])
        dA = np.tril(o @ x.T)
        expect_close(dq[p], o @ hh.T + dA @ kk, 5e-2, 1e-2)
        expect_close(dk[p], x @ dhh.T + dA.T @ qq, 5e-2, 1e-2)


@case(PRODUCTS, *({"num_warps": warps} for warps in (1, 4, 8)))
def report_9871(file, num_warps):
    T, BK, BV, BT = 4, 64, 32, 64
    k, w, v, out = half(T * BT, BK, scale=0.1), half(T * BT, BK, scale=0.1), half(T * BT, BV), np.zeros((2, BK, BV), np.float32)
    file.launch("recurrence", (2,), k, v, w, out, T, BK=BK, BV=BV, BT=BT, num_warps=num_warps)
    acc = np.zeros((BK, BV))
    for rows in np.split(np.arange(T * BT), T):
        acc = acc + k[rows].T.astype(np.float64) @ (v[rows] - w[rows].astype(np.float64) @ acc)
    expect_close(out[0], acc, 5e-2)
    expect_equal(out[0], out[1])


@case(PRODUCTS, {"num_warps": 4}, {"num_warps": 8})
def report_5265(file, num_warps):
    q, k, v, out = half(64, 128), half(128, 64), half(64, 128), np.zeros((64, 128), np.float32)
    file.launch("two_layouts", (1,), q, k, v, out, num_warps=num_warps, num_stages=3)
    expect_close(out, q.astype(np.float64) @ k @ v, 1e-1)


@case(PRODUCTS, *WARPS)
def batched(file, num_warps):
    a, b, c = half(4, 32, 16), half(4, 16, 32), np.zeros((4, 32, 32), np.float32)
    file.launch("batched_dots", (1,), a, b, c, BB=4, M=32, N=32, K=16, num_warps=num_warps)
    product = a.astype(np.float64) @ b
    expect_close(c, product @ product.transpose(0, 2, 1), 1e-1)


@case(PRODUCTS, *({"m": m, "n": n, "k": k} for m, n, k in ((16, 16, 32), (64, 64, 64))))
def bytes_over_steps(file, m, n, k):
    a, b = random.integers(-128, 128, (m, 3 * k)).astype(np.int8), random.integers(-128, 128, (n, 3 * k)).astype(np.int8)
    c = np.zeros((m, n), np.int32)
    file.launch("int8_dot", (1,), a, b, c, m, n, k, 3)
    expect_equal(c, a.astype(np.int32) @ b.T.astype(np.int32))


# ---- Scans and reductions.


@case(SCANS, *WARPS)
def report_7817(file, num_warps):
    o, s = normal(16, 16, scale=0.1), normal(16, scale=0.1)
    scaled = np.cumsum(s.astype(np.float64))[:, None] * o
    file.launch("scan_times", (1,), o, s, B=16, num_warps=num_warps)
    expect_close(o, scaled @ scaled, 1e-3)


@case(SCANS, {"n": 8, "block": 8}, {"n": 700, "block": 256})
def report_2361(file, n, block):
    out = np.zeros(n, np.int64)
    file.launch("scan_in_loop", (1,), out, n, R=block)
    expect_equal(out, np.arange(n) % block + 1)


@case(SCANS, {"num_warps": 8})
def rocm_947(file, num_warps):
    x = normal(2, 3000)
    out, logarithms = np.zeros_like(x), np.zeros_like(x)
    file.launch("big_scan", (2,), x, out, logarithms, 3000, XB=1, RB=2048, num_warps=num_warps)
    expect_close(out, np.cumsum(x.astype(np.float64), 1), 1e-2)
    expect_close(logarithms, np.logaddexp.accumulate(x.astype(np.float64), 1), 1e-3)


@case(SCANS, *({"rows": rows, "columns": columns, "axis": axis, "reverse": reverse} for rows, columns, axis in ((4, 64, 1), (64, 4, 0), (1, 2048, 1))
               for reverse in (False, True)))
def report_4362(file, rows, columns, axis, reverse):
    gate, x = (random.random((rows, columns)) * 0.9).astype(np.float32), normal(rows, columns)
    out = np.zeros_like(x)
    file.launch("gated_scan", (1,), gate, x, out, R=rows, C=columns, REV=reverse, AX=axis)
    along = slice(None, None, -1 if reverse else 1)
    g, v, want = (np.moveaxis(array, axis, 0)[along] for array in (*wide(gate, x), np.zeros((rows, columns))))
    for i in range(len(v)):
        want[i] = (g[i] * want[i - 1] if i else 0) + v[i]
    expect_close(np.moveaxis(out, axis, 0)[along], want, 1e-3)


@case(SCANS, *WARPS)
def report_3052_ravel(file, num_warps):
    x, out = random.integers(-9, 9, (8, 64)).astype(np.int32), np.zeros(512, np.int32)
    file.launch("ravel_counts", (1,), x, out, A=8, B=64, num_warps=num_warps)
    expect_equal(out, np.cumsum(x.ravel()))


@case(SCANS, *WARPS)
def report_5745(file, num_warps):
    x = abs(normal(64, 32)) + 1
    out = np.zeros_like(x)
    file.launch("reduce_reshape", (1,), x, out, A=64, B=32, num_warps=num_warps)
    expect_close(out, x / x.sum(1, keepdims=True), 1e-5)


@case(SCANS, {"row": [np.nan, 6, 8, 1]}, {"row": [6, np.nan, 8, 1]}, {"row": [np.nan] * 4})
def report_10291(file, row):
    out = np.zeros(4, np.int32)
    file.launch("nan_winners", (1,), np.array(row, np.float32), out, B=4)
    expect_equal(out, [3, 3, 3, 3] if np.isnan(row[3]) else [2, 3, 2, 3])  # of what is no number, the last one


@case(SCANS)
def report_5439(file):
    x = np.append(np.arange(15), np.inf).astype(np.float32)
    want = x.reshape(8, 2)[:, ::-1].ravel().copy()
    file.launch("flip_inf", (1,), x, N=16)
    if not np.array_equal(x, want):
        raise AssertionError(f"{x}, expected {want}")


@case(SCANS, *WARPS)
def gathered(file, num_warps):
    R, C = 32, 64
    x, index, out = normal(R, C), random.integers(0, C, (R, C)).astype(np.int32), np.zeros((2, R, C), np.float32)
    file.launch("gathered", (1,), x, index, out, R=R, C=C, num_warps=num_warps)
    want = np.take_along_axis(x, index, 1)[::-1]
    expect_equal(out, np.stack([want.reshape(R, C // 2, 2)[..., ::-1].reshape(R, C), want]))


# ---- Memory.


@case(MEMORY)
def report_7402(file):
    index, out = np.array([1], np.int32), np.zeros((2, 8), np.int64)
    file.launch("atomic_place", (1,), index, out)
    expect_equal(out, [[0] * 8, [2] * 8])


@case(MEMORY, *WARPS)
def flagtree_1083(file, num_warps):
    count, places, half_of_them = np.zeros(2, np.int32), np.zeros(512, np.int32), np.full(512, -1, np.int32)
    file.launch("unique_tickets", (1,), count, places, half_of_them, N=512, num_warps=num_warps)
    expect_equal(np.sort(places), np.arange(512))
    expect_equal(np.sort(half_of_them[::2]), np.arange(256))
    expect_equal(count, [512, 256])


@case(MEMORY)
def report_11037(file):
    counter, out = np.zeros(1, np.int32), np.zeros(50, np.int32)
    file.launch("steal", (7,), counter, out, 50)
    expect_equal(out, np.arange(50) + 1)


@case(MEMORY)
def report_6376(file):
    limits = np.finfo(np.float32)
    x, out = np.array([[-0.0, limits.min], [-1, -4]], np.float32), np.array([[limits.min, limits.max]] * 2, np.float32)
    file.launch("atomic_max_zero", (1,), x, out, B=2)
    expect_equal(out, np.array([[0, limits.min], [-1, -4]], np.float32))


@case(MEMORY, *({"stages": stages} for stages in (1, 3, 4)))
def report_10474(file, stages):
    x, y = normal(1000), np.zeros(1000, np.float32)
    file.launch("desc_copy", (2,), x, y, 1000, 512, XB=64, S=stages)
    expect_equal(y, x)


@case(MEMORY, {"type": np.int8, "columns": 466}, {"type": np.int16, "columns": 470}, {"type": np.int32, "columns": 466})
def report_11583(file, type, columns):
    x, y = random.integers(-99, 99, (32, 512)).astype(type), np.full((32, 512), 7, type)
    file.launch("desc_slice", (1,), x, y, 32, columns, 512, BM=32, BN=128)
    expect_equal(y, np.where(np.arange(512) < columns, x, 7))


@case(MEMORY, *({"a": a, "b": b} for a, b in ((3, 7), (16, 64), (100000, 7))))
def report_3052(file, a, b):
    i, x, out = np.arange(64), np.arange(914300, dtype=np.int32), np.zeros((64, 64), np.int32)
    file.launch("div_index", (1,), x, out, a, b, N=64)
    expect_equal(out, (i * a // b)[None, :] + (i * a % b)[:, None] * 1000 + x[i * a // b][None, :])


@case(MEMORY, {"flag": 0}, {"flag": 1})
def pointers_that_are_chosen(file, flag):
    a, b, out, i = normal(64), normal(64), np.zeros(64, np.float32), np.arange(64)
    file.launch("where_pointers", (1,), a, b, out, np.array([flag], np.int32), B=64)
    expect_equal(out, np.where(i % 3 == 0, a, b) + (a if flag else b))


@case(MEMORY)
def flagtree_982(file):
    x, out, scale = np.array([-3, -3.01, 2.9, 1, 2, 3], np.float32), np.zeros(6, np.int8), np.zeros(1, np.float32)
    file.launch("quantized", (1,), x, out, scale, 6, B=8)
    expect_equal(out, np.rint(x / (np.float32(3.01) / np.float32(127))).astype(np.int8))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    paths = {os.path.basename(path)[len("reported_"):-len(".py")]: path for path in glob.glob(os.path.join(HERE, "Inputs", "reported_*.py"))}
    return run_cases(paths, parser.parse_args().only)


if __name__ == "__main__":
    sys.exit(main())
