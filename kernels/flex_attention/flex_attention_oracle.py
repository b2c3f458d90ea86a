"""flex_attention forward and backward against float64: every rule with its block mask, heads of 80 and other numbers of elements, others for v, grouped heads, dropout, sinks, a bias with
its gradient, odd lengths, no queries and no keys."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, Checks, Expression, cdiv, empty_array, kernel_file, launch, np, power_of_two, random_array

checks = Checks()
rng = np.random.default_rng(41)
FILE = kernel_file("flex_attention")
TOLERANCE = {"fp32": 3e-5, "fp16": 6e-3, "bf16": 4e-2}
BATCH, HEADS = 2, 4  # the most that data is made for
slopes, table = rng.random(HEADS).astype(np.float32), rng.standard_normal((HEADS, 9)).astype(np.float32)
documents = np.sort(rng.integers(0, 4, (BATCH, 64)), axis=1).astype(np.int32)
prefixes = np.array([5, 20], np.int32)
by_row, by_column = rng.standard_normal((BATCH, HEADS, 64, 8)).astype(np.float32), rng.standard_normal((BATCH, HEADS, 64, 6)).astype(np.float32)
pairs = rng.standard_normal((BATCH, HEADS, 64, 64)).astype(np.float32)
allowed = rng.random((1, HEADS, 64, 64)) < 0.4
words = rng.integers(0, 2**40, (BATCH, 64))


def near(q, k, height, width, size):
    y, x = (np.clip(each, size // 2, n - 1 - size // 2) for each, n in ((q // width, height), (q % width, width)))
    return (abs(k // width - y) <= size // 2) & (abs(k % width - x) <= size // 2)


# The name of a rule, its data, and what it computes on arrays of numbers b, h, q, k.
MASKS = {
    "causal": (None, lambda b, h, q, k: k <= q),
    "causal_end": ((3, ), lambda b, h, q, k: k <= q + 3),
    "window": ((7, ), lambda b, h, q, k: (k <= q) & (q - k < 7)),
    "band": ((5, 2, 1), lambda b, h, q, k: (q + 1 - k <= 5) & (k - q - 1 <= 2)),
    "prefix": ((prefixes, ), lambda b, h, q, k: (k <= q) | (k < prefixes[b])),
    "document": ((documents, 64), lambda b, h, q, k: documents[b, q] == documents[b, k]),
    "causal_document": ((documents, 64), lambda b, h, q, k: (documents[b, q] == documents[b, k]) & (k <= q)),
    "dilated": ((3, 4), lambda b, h, q, k: (k <= q) & ((q - k) % 3 == 0) & (q - k < 12)),
    "strided_blocks": ((8, 2), lambda b, h, q, k: (k <= q) & ((q // 8 == k // 8) | (k % 8 >= 6))),
    "neighbourhood": ((6, 7, 3), lambda b, h, q, k: near(q, k, 6, 7, 3)),
    "given": ((allowed, 0, 64 * 64, 64, 1), lambda b, h, q, k: allowed[0, h, q, k]),
    "tree": ((words, 64, 9), lambda b, h, q, k: (k < 9) | ((words[b, q] >> np.maximum(k - 9, 0) & 1) != 0)),
}
SCORES = {
    "alibi": ((slopes, 2), lambda s, b, h, q, k: s - slopes[h] * abs(q + 2 - k), None),
    "softcap": ((2.5, ), lambda s, b, h, q, k: 2.5 * np.tanh(s / 2.5), lambda s: 1 - np.tanh(s / 2.5)**2),
    "softcap_alibi": ((slopes, 2, 2.5), lambda s, b, h, q, k: 2.5 * np.tanh(s / 2.5) - slopes[h] * abs(q + 2 - k), lambda s: 1 - np.tanh(s / 2.5)**2),
    "bias": ((pairs, HEADS * 64 * 64, 64 * 64, 64, 1), lambda s, b, h, q, k: s + pairs[b, h, q, k], None),
    "relative": ((table, 4), lambda s, b, h, q, k: s + table[h, np.clip(k - q, -4, 4) + 4], None),
    "relative_2d": ((by_row, by_column, HEADS, 64, 8, 6), lambda s, b, h, q, k: s + by_row[b, h, q, k // 6] + by_column[b, h, q, k % 6], None),
}


def reference(q, k, v, grad_out, grad_lse, sinks, scale, group, score_mod, slope_of, mask_mod, kept):
    """(out, lse, gradients of q, k, v, of what is added to scores, and of sinks)"""
    batch, heads, k, v = q.shape[0], q.shape[1], np.repeat(k, group, axis=1), np.repeat(v, group, axis=1)
    at = np.ix_(np.arange(batch), np.arange(heads), np.arange(q.shape[2]), np.arange(k.shape[2]))
    raw = q @ k.swapaxes(-1, -2) * scale
    score = score_mod(raw, *at) if score_mod else raw
    score = np.where(mask_mod(*at), score, -np.inf) if mask_mod else score
    sink = np.full((heads, 1), -np.inf) if sinks is None else sinks[:, None]
    largest = np.maximum(score.max(axis=-1, initial=-np.inf), sink)
    reference = np.where(np.isinf(largest), 0, largest)
    weight = np.exp(score - reference[..., None])
    total = weight.sum(axis=-1) + np.exp(sink - reference)
    p = weight / np.where(total == 0, 1, total)[..., None]
    with np.errstate(divide="ignore"):
        lse = np.log(total) + reference
    grad_p = grad_out @ v.swapaxes(-1, -2) * kept
    out = (p * kept) @ v
    delta = (out * grad_out).sum(axis=-1) - grad_lse
    grad_added = p * (grad_p - delta[..., None])
    grad_score = grad_added * (slope_of(raw) if slope_of else 1)
    grad_sinks = (-np.exp(sink - np.where(np.isinf(lse), np.inf, lse)) * delta).sum(axis=(0, 2))
    shared = (batch, heads // group, group)  # heads that share keys add up
    grad_k, grad_v = grad_score.swapaxes(-1, -2) @ q * scale, (p * kept).swapaxes(-1, -2) @ grad_out
    return (out, lse, grad_score @ k * scale, *(each.reshape(*shared, *each.shape[2:]).sum(axis=2) for each in (grad_k, grad_v)), grad_added, grad_sinks)


def strides(name, array):
    _, heads, length, dim = array.data.shape
    return {f"{name}_stride_b": heads * length * dim, f"{name}_stride_h": length * dim, f"{name}_stride_s": dim}


def block_mask(name, data, batch, heads, length_q, length_k, block_q, block_k, expected, what):
    """The lists by queries and by keys; what they hold is checked."""
    blocks_q, blocks_k = cdiv(length_q, block_q), cdiv(length_k, block_k)
    kinds = np.full((batch * heads, blocks_q, blocks_k), 77, np.uint8)
    launch(FILE, "flex_block_kinds", {"kinds_ptr": kinds, "mask_data": data, "heads": heads, "length_q": length_q, "length_k": length_k, "blocks_k": blocks_k,
                                      "MASK_MOD": Expression(name), "BLOCK_Q": block_q, "BLOCK_K": block_k}, grid=(blocks_k, blocks_q, batch * heads))
    seen = np.zeros((batch * heads, blocks_q * block_q, blocks_k * block_k))
    seen[:, :length_q, :length_k] = expected.reshape(batch * heads, length_q, length_k)
    some = seen.reshape(batch * heads, blocks_q, block_q, blocks_k, block_k).any(axis=(2, 4))
    seen[:, length_q:, :length_k] = 1
    every = seen.reshape(batch * heads, blocks_q, block_q, blocks_k, block_k).all(axis=(2, 4))
    checks.equal(kinds, some.astype(int) + (some & every), what + ": kinds of blocks")
    lists = []
    for rows, columns, steps in ((blocks_q, blocks_k, (blocks_k, 1)), (blocks_k, blocks_q, (1, blocks_k))):
        counts, blocks = np.full((batch * heads, rows, 2), 77, np.int32), np.full((batch * heads, rows, columns), 77, np.int32)
        launch(FILE, "flex_block_lists", {"kinds_ptr": kinds, "counts_ptr": counts, "blocks_ptr": blocks, "n_columns": columns, "stride_head": blocks_q * blocks_k,
                                          "stride_row": steps[0], "stride_column": steps[1], "BLOCK": 2}, grid=(rows, batch * heads))
        by_row = kinds if not lists else kinds.swapaxes(1, 2)
        for head in range(batch * heads):
            for row in range(rows):
                partial, both = counts[head, row]
                here = by_row[head, row]
                listed = blocks[head, row, :both]
                checks.expect(list(listed[:partial]) == list(np.flatnonzero(here == 1)) and list(listed[partial:]) == list(np.flatnonzero(here == 2)),
                              f"{what}: list of row {row} of {head}: {listed} of {here}")
        lists.append((counts, blocks))
    return lists


def test(batch, heads, group, length_q, length_k, dim, dim_v, dtype, score=None, mask=None, listed=True, with_sinks=False, dropout=0.0, blocks=(32, 16), block_mask_of=(32, 32), backward=True):
    what = f"flex_attention {batch}x{heads} group={group} q={length_q} k={length_k} dim={dim}/{dim_v} {dtype} {score} {mask} sinks={with_sinks} dropout={dropout}"
    scale, block_d, block_dv = 0.3, max(power_of_two(dim), 16), max(power_of_two(dim_v), 16)
    shapes = ((batch, heads, length_q, dim), (batch, heads // group, length_k, dim), (batch, heads // group, length_k, dim_v), (batch, heads, length_q, dim_v))
    q, k, v, grad_out = (random_array(rng, shape, dtype) for shape in shapes)
    grad_q, grad_k, grad_v, out = (empty_array(shape, dtype) for shape in shapes)
    lse, delta = (np.full(shapes[0][:3], 1e9, np.float32) for _ in range(2))
    grad_lse, sinks = rng.standard_normal(lse.shape).astype(np.float32), rng.standard_normal(heads).astype(np.float32) if with_sinks else None
    score_data, score_mod, slope_of = SCORES[score] if score else (None, None, None)
    mask_data, mask_mod = MASKS[mask] if mask else (None, None)
    lists = ((None, None), (None, None))
    if mask and listed:
        at = np.ix_(np.arange(batch), np.arange(heads), np.arange(length_q), np.arange(length_k))
        expected = np.broadcast_to(mask_mod(*at), (batch, heads, length_q, length_k))
        lists = block_mask(mask, mask_data, batch, heads, length_q, length_k, *block_mask_of, expected, what)
    sizes = {"heads": heads, "group": group, "length_q": length_q, "length_k": length_k, "DIM": dim, "DIM_V": dim_v, "BLOCK_D": block_d, "BLOCK_DV": block_dv, "BLOCK_M": blocks[0],
             "BLOCK_N": blocks[1], "BLOCK_Q": block_mask_of[0], "BLOCK_K": block_mask_of[1], "SCORE_MOD": Expression(score) if score else None,
             "MASK_MOD": Expression(mask) if mask else None, "PRECISION": "ieee", "DROPOUT": dropout}
    inputs = {"q_ptr": q.argument, "k_ptr": k.argument, "v_ptr": v.argument, "score_data": score_data, "mask_data": mask_data, "scale": scale, "seed": 5}
    inputs |= strides("q", q) | strides("k", k) | strides("v", v) | sizes

    def listed_by(which, block, length):
        counts, chosen = lists[which]
        rows = cdiv(length, block)
        return {"counts_ptr": counts, "blocks_ptr": chosen, "blocks_stride_b": heads * rows, "blocks_stride_h": rows}

    by_q, by_k = listed_by(0, block_mask_of[0], length_q), listed_by(1, block_mask_of[1], length_k)
    grid_q, grid_k = (cdiv(length_q, blocks[0]), batch * heads), (cdiv(length_k, blocks[1]), batch * heads // group)
    launch(FILE, "flex_forward", inputs | by_q | strides("out", out) | {"out_ptr": out.argument, "lse_ptr": lse, "sinks_ptr": sinks}, grid=grid_q)
    kept = 1.0
    if dropout:
        kept = dropped(batch * heads, length_q, length_k, dropout).reshape(batch, heads, length_q, length_k)
        checks.expect(abs((kept == 0).mean() - dropout) < 0.05, f"{what}: {(kept == 0).mean()} are dropped")
    expected = reference(q.values, k.values, v.values, grad_out.values, grad_lse.astype(np.float64), None if sinks is None else sinks.astype(np.float64), scale, group, score_mod,
                         slope_of, mask_mod, kept)
    tolerance = TOLERANCE[dtype]
    checks.close(lse, expected[1], what + ": lse", rtol=2e-5, atol=2e-5)
    checks.close(out.values, expected[0], what + ": out", rtol=tolerance, atol=tolerance)
    if not backward:
        return
    launch(FILE, "flex_delta", {"out_ptr": out.argument, "grad_out_ptr": grad_out.argument, "grad_lse_ptr": grad_lse, "delta_ptr": delta, "heads": heads, "length_q": length_q,
                                "DIM_V": dim_v, "BLOCK_DV": block_dv, "BLOCK_M": 16} | strides("out", out) | strides("grad", grad_out),
           grid=(cdiv(length_q, 16), batch * heads))
    inputs |= {"grad_out_ptr": grad_out.argument, "lse_ptr": lse, "delta_ptr": delta} | strides("grad", grad_out)
    inputs["SCORE_GRADIENT"] = Expression(score + "_gradient") if slope_of else None
    launch(FILE, "flex_backward_kv", inputs | by_k | {"grad_k_ptr": grad_k.argument, "grad_v_ptr": grad_v.argument}, grid=grid_k)
    added = np.zeros((batch, heads, length_q, length_k), np.float32) if score in ("bias", "relative") else None
    launch(FILE, "flex_backward_q", inputs | by_q | {"grad_q_ptr": grad_q.argument, "grad_bias_ptr": added}, grid=grid_q)
    for name, actual, value in zip(("grad_q", "grad_k", "grad_v"), (grad_q, grad_k, grad_v), expected[2:5]):
        checks.close(actual.values, value, f"{what}: {name}", rtol=tolerance, atol=tolerance * max(1, abs(value).max(initial=0)))
    if added is not None:
        checks.close(added, expected[5], what + ": gradient of the bias", rtol=tolerance, atol=tolerance)
    if with_sinks:
        grad_sinks = np.full(heads, 1e9, np.float32)
        launch(FILE, "flex_sink_gradient", {"sinks_ptr": sinks, "lse_ptr": lse, "delta_ptr": delta, "grad_ptr": grad_sinks, "batch": batch, "heads": heads, "length_q": length_q,
                                            "BLOCK": 16}, grid=(heads, ))
        checks.close(grad_sinks, expected[6], what + ": gradient of sinks", rtol=2e-5 if dtype == "fp32" else 1e-2, atol=2e-5 if dtype == "fp32" else 2e-2)


def dropped(heads, length_q, length_k, dropout):
    """The factors of dropout: the generator's words for (key, query, head), in numpy."""
    c = [np.broadcast_to(each, (heads, length_q, length_k)).astype(np.uint64) for each in np.ix_(np.arange(heads), np.arange(length_q), np.arange(length_k))]
    c = [c[2], c[1], c[0], np.zeros_like(c[0])]
    keys, low = [5, 0], np.uint64(0xFFFFFFFF)
    for _ in range(10):
        first, second = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [(second >> np.uint64(32)) ^ c[1] ^ np.uint64(keys[0]), second & low, (first >> np.uint64(32)) ^ c[3] ^ np.uint64(keys[1]), first & low]
        keys = [(keys[0] + 0x9E3779B9) % 2**32, (keys[1] + 0xBB67AE85) % 2**32]
    signed = c[0].astype(np.uint32).view(np.int32).astype(np.int64)
    uniform = np.where(signed < 0, -signed - 1, signed) * np.float32(4.6566127342e-10)
    return np.where(uniform >= dropout, 1 / (1 - dropout), 0.0)


for index, mask in enumerate(MASKS):
    length_q, length_k = (42, 42) if mask == "neighbourhood" else (45, 49) if index % 2 else (37, 45)
    checks.run(f"flex_attention {mask}", test, 2, 2, 1, length_q, length_k, 16, 16, "fp32", None, mask, backward=mask == "document")
for index, score in enumerate(SCORES):
    checks.run(f"flex_attention {score}", test, 2, 4, 2, 33, 40, 16, 16, "fp32", score, "causal" if index % 2 else None, backward=score in ("bias", "softcap_alibi"))
for dtype in DTYPES:
    checks.run(f"flex_attention {dtype}", test, 1, 4, 2, 35, 50, 16, 32, dtype, "softcap", "causal_end", with_sinks=True)
for dim, dim_v in ((80, 96), (24, 40), (160, 160)):
    checks.run(f"flex_attention dim {dim}, {dim_v}", test, 1, 1, 1, 18, 33, dim, dim_v, "fp32", None, "causal" if dim == 80 else None, backward=dim == 80)
checks.run("flex_attention with dropout", test, 2, 2, 1, 40, 50, 16, 16, "fp32", None, None, dropout=0.3)
checks.run("flex_attention without lists", test, 2, 2, 1, 37, 45, 16, 16, "fp32", None, "prefix", listed=False)
checks.run("flex_attention in larger blocks of the mask", test, 1, 2, 1, 50, 60, 16, 16, "fp32", None, "band", blocks=(16, 16), block_mask_of=(32, 64))
checks.run("flex_attention without queries", test, 1, 2, 1, 0, 20, 16, 16, "fp32", None, "band")
checks.run("flex_attention without keys", test, 1, 2, 1, 20, 0, 16, 16, "fp32", None, None)
checks.exit()
