"""The kernels of the engine against float64: odd sizes, tails, rows that nobody has, equal logits, numbers that are none."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "..", "..", "kernels"))
from oracle import DTYPES, TOLERANCE, Checks, cdiv, empty_array, kernel_file, launch, launch_once, np, power_of_two, random_array  # noqa: E402
from nereid_test import Typed, fp8_from_float, fp8_to_float  # noqa: E402

FILE = kernel_file("decode", os.path.dirname(HERE))
checks = Checks()
rng = np.random.default_rng(19)


def silu(x):
    return x / (1 + np.exp(-x))


def close(out, expected, dtype, what):
    checks.close(out.values, expected, what, rtol=2 * TOLERANCE[dtype], atol=2 * TOLERANCE[dtype] * max(1.0, np.abs(expected).max()))


def weights_of(n, k, dtype):
    """(argument, scales or None, the values they stand for)"""
    if dtype != "fp8":
        w = random_array(rng, (n, k), dtype, k**-0.5)
        return w.argument, None, w.values
    codes, scale = fp8_from_float(rng.standard_normal((n, k)).astype(np.float32) * 20, "fp8e4nv"), rng.uniform(0.01, 0.02, n).astype(np.float32)
    return Typed(codes, "fp8e4nv"), scale, fp8_to_float(codes, "fp8e4nv").astype(np.float64) * scale[:, None].astype(np.float64)


def test_row(n, k, dtype, weight_type, normed, added, swiglu):
    what = f"linear_row {n}x{k} {dtype} weights {weight_type} norm={normed} residual={added} swiglu={swiglu}"
    x, gain, residual = random_array(rng, (k, ), dtype), random_array(rng, (k, ), dtype), random_array(rng, (n, ), dtype)
    w, scale, values = weights_of(2 * n if swiglu else n, k, weight_type)
    out, eps = empty_array((n, ), dtype), 1e-5
    launch(FILE, "linear_row", {"x_ptr": x.argument, "gain_ptr": gain.argument if normed else None, "w_ptr": w, "scale_ptr": scale,
                                "residual_ptr": residual.argument if added else None, "out_ptr": out.argument, "N": n, "eps": eps, "K": k, "SWIGLU": swiglu,
                                "BLOCK_N": 8, "BLOCK_K": 64}, grid=(cdiv(n, 8), ))  # yapf: disable
    h = x.values / np.sqrt((x.values**2).mean() + eps) * gain.values if normed else x.values
    expected = values @ h
    if swiglu:
        expected = silu(expected[:n]) * expected[n:]
    close(out, expected + residual.values if added else expected, dtype, what)


def test_rows(m, n, k, dtype, weight_type, swiglu):
    what = f"linear_rows {m}x{n}x{k} {dtype} weights {weight_type} swiglu={swiglu}"
    x, out = random_array(rng, (m, k + 2), dtype), empty_array((m, n), dtype)
    w, scale, values = weights_of(2 * n if swiglu else n, k, weight_type)
    launch(FILE, "linear_rows", {"x_ptr": x.argument, "w_ptr": w, "scale_ptr": scale, "out_ptr": out.argument, "M": m, "N": n, "x_stride": k + 2,
                                 "out_stride": n, "K": k, "SWIGLU": swiglu, "BLOCK_M": 16, "BLOCK_N": 16, "BLOCK_K": 32, "PRECISION": "ieee"},
           grid=(cdiv(n, 16), cdiv(m, 16)))  # yapf: disable
    expected = x.values[:, :k] @ values.T
    close(out, silu(expected[:, :n]) * expected[:, n:] if swiglu else expected, dtype, what)


def test_rope(rows, heads, heads_k, half, dtype):
    dim, slots_of_cache = 2 * half, 9
    qkv = random_array(rng, (rows, heads + 2 * heads_k, dim), dtype)
    before = qkv.values
    angle = np.arange(7)[:, None] * 100.0**(-np.arange(half) / half)
    cos, sin = np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)
    positions = rng.integers(0, 7, rows).astype(np.int32)
    slots = rng.permutation(slots_of_cache)[:rows].astype(np.int64)
    slots[rows // 2] = -1
    k_cache, v_cache = empty_array((slots_of_cache, heads_k, dim), dtype), empty_array((slots_of_cache, heads_k, dim), dtype)
    untouched = k_cache.values.copy()
    launch_once(FILE, "rope_into_cache", {"qkv_ptr": qkv.argument, "cos_ptr": cos, "sin_ptr": sin, "positions_ptr": positions, "slots_ptr": slots,
                                          "k_cache_ptr": k_cache.argument, "v_cache_ptr": v_cache.argument, "qkv_stride": (heads + 2 * heads_k) * dim,
                                          "heads": heads, "heads_k": heads_k, "HALF": half, "BLOCK": power_of_two(half)},
                grid=(rows, heads + 2 * heads_k))  # yapf: disable
    a, b = before[..., :half], before[..., half:]
    c, s = cos[positions][:, None].astype(np.float64), sin[positions][:, None].astype(np.float64)
    turned = np.concatenate([a * c - b * s, b * c + a * s], axis=2)
    what = f"rope_into_cache {rows} rows, {heads} and {heads_k} heads of {dim} {dtype}"
    close_to = dict(rtol=2 * TOLERANCE[dtype], atol=2 * TOLERANCE[dtype])
    checks.close(qkv.values[:, :heads], turned[:, :heads], what + ": queries", **close_to)
    checks.expect(np.array_equal(qkv.values[:, heads:], before[:, heads:]), what + ": keys and values stay where they are")
    keys, values = untouched.copy(), untouched.copy()
    for row in range(rows):
        if slots[row] >= 0:
            keys[slots[row]], values[slots[row]] = turned[row, heads:heads + heads_k], before[row, heads + heads_k:]
    checks.close(k_cache.values, keys, what + ": the cache of keys", **close_to)
    checks.close(v_cache.values, values, what + ": the cache of values", **close_to)


def largest(logits, parts, block):
    rows, columns = logits.shape
    values, places = np.zeros((rows, parts), np.float32), np.zeros((rows, parts), np.int32)
    launch(FILE, "largest_of_parts", {"logits_ptr": logits, "values_ptr": values, "places_ptr": places, "n_columns": columns, "part": cdiv(columns, parts),
                                      "BLOCK": block}, grid=(rows, parts))  # yapf: disable
    return values, places


def test_advance(rows, columns, parts, drawn, page=4):
    """Two steps; the third row is nobody's."""
    steps, width = 2, 4
    logits = rng.integers(0, 50, (rows, columns)).astype(np.float32)  # many are equal
    logits[0] = np.nan if not drawn else logits[0]
    values, places = largest(logits, parts, 16)
    expected = rng.integers(0, columns, rows) if drawn else np.nan_to_num(logits).argmax(axis=1)
    if not drawn:
        some = ~np.isnan(logits).any(axis=1)
        winner = np.array([places[row, values[row].argmax()] for row in range(rows)])
        checks.expect(np.array_equal(winner[some], expected[some]), f"largest_of_parts of {rows}x{columns} in {parts}")
    pages = rng.permutation(rows * width).reshape(rows, width).astype(np.int32)
    positions = rng.integers(0, page * (width - 1), rows).astype(np.int32)
    slots = (pages[np.arange(rows), positions // page] * page + positions % page).astype(np.int64)
    slots[2 % rows] = -1 if rows > 2 else slots[2 % rows]
    state = {"tokens_ptr": np.full(rows, 7, np.int64), "positions_ptr": positions.copy(), "lengths_ptr": positions + 1, "slots_ptr": slots.copy(),
             "seeds_ptr": np.arange(rows, dtype=np.int64), "counts_ptr": np.zeros(rows, np.int32), "history_ptr": np.full((steps, rows), -5, np.int64)}  # yapf: disable
    state["lengths_ptr"] = state["lengths_ptr"].astype(np.int32)
    for _ in range(steps):
        launch_once(FILE, "advance", {**state, "values_ptr": None if drawn else values, "places_ptr": None if drawn else places,
                                      "drawn_ptr": expected.astype(np.int64) if drawn else None, "pages_ptr": pages, "pages_stride": width, "parts": parts,
                                      "n_columns": columns, "seed_step": 1000003, "PAGE": page, "BLOCK": power_of_two(parts)}, grid=(rows, ))  # yapf: disable
    what, lives = f"advance of {rows} rows, {columns} columns in {parts}, drawn={drawn}", slots >= 0
    after = positions + steps
    right = {"tokens_ptr": np.where(lives, expected, 7), "positions_ptr": np.where(lives, after, positions), "lengths_ptr": np.where(lives, after, positions) + 1,
             "slots_ptr": np.where(lives, pages[np.arange(rows), np.minimum(after // page, width - 1)] * page + after % page, -1),
             "seeds_ptr": np.arange(rows) + np.where(lives, steps * 1000003, 0), "counts_ptr": np.where(lives, steps, 0),
             "history_ptr": np.where(lives, expected, -5)[None].repeat(steps, axis=0)}  # yapf: disable
    for name, values in right.items():
        checks.expect(np.array_equal(state[name], values), f"{what}: {name}\n{state[name]}\n{values}")


for dtype in DTYPES:
    for n, k in ((40, 128), (13, 100), (1, 16)):
        for normed, added, swiglu in ((False, False, False), (True, False, False), (False, True, False), (True, False, True)):
            checks.run("linear_row", test_row, n, k, dtype, dtype, normed, added, swiglu)
    for m, n, k in ((3, 40, 64), (17, 33, 50), (1, 16, 32)):
        for swiglu in (False, True):
            checks.run("linear_rows", test_rows, m, n, k, dtype, dtype, swiglu)
    checks.run("rope_into_cache", test_rope, 5, 3, 1, 8, dtype)
    checks.run("rope_into_cache", test_rope, 2, 4, 2, 5, dtype)
for dtype in ("bf16", "fp32"):
    for swiglu in (False, True):
        checks.run("linear_row fp8", test_row, 24, 96, dtype, "fp8", True, False, swiglu)
        checks.run("linear_rows fp8", test_rows, 5, 24, 96, dtype, "fp8", swiglu)
for rows, columns, parts in ((5, 100, 7), (1, 16, 1), (4, 33, 2)):
    for drawn in (False, True):
        checks.run("advance", test_advance, rows, columns, parts, drawn)
checks.exit()
