"""decode_attention and its reduction against float64: pages of any size and none, splits, grouped heads, any head dimension, windows, soft caps,
ALiBi, fp8 caches, sequences without keys."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, Checks, Typed, empty_array, kernel_file, launch, np, power_of_two, random_array
from nereid_test import fp8_from_float, fp8_to_float

checks = Checks()
rng = np.random.default_rng(19)
FILE = kernel_file("decode_attention")
TOLERANCE = {"fp32": 3e-5, "fp16": 6e-3, "bf16": 4e-2}


def reference(q, k, v, scale, window, softcap, slopes):
    """One sequence: q [heads, dim], k and v [length, heads, dim]."""
    out = np.zeros_like(q)
    group = q.shape[0] // k.shape[1]
    for head in range(q.shape[0]) if len(k) else ():
        score = k[:, head // group] @ q[head] * scale
        if softcap:
            score = softcap * np.tanh(score / softcap)
        if slopes is not None:
            score = score + slopes[head] * (np.arange(len(k)) - (len(k) - 1))
        seen = slice(max(len(k) - window, 0) if window else 0, None)
        p = np.exp(score[seen] - score[seen].max())
        out[head] = p / p.sum() @ v[seen, head // group]
    return out


def cache_of(shape, dtype):
    """(argument, values) of a cache."""
    if dtype == "fp8":
        bits = fp8_from_float(rng.standard_normal(shape), "fp8e4nv")
        return Typed(bits, "fp8e4nv"), fp8_to_float(bits, "fp8e4nv").astype(np.float64)
    cache = random_array(rng, shape, dtype)
    return cache.argument, cache.values


def test(lengths, heads, group, dim, page_size, splits, dtype, cache_type=None, window=0, softcap=0.0, alibi=False, block_n=16):
    what = f"decode_attention {lengths} heads={heads}/{group} dim={dim} page={page_size} splits={splits} {dtype}/{cache_type} window={window}"
    batch, longest = len(lengths), max(lengths)
    pages_each = -(-longest // page_size) if page_size else 1
    n_pages, rows = (batch * pages_each + 3, page_size) if page_size else (batch, longest)
    table = rng.permutation(n_pages)[:batch * pages_each].reshape(batch, pages_each).astype(np.int32) if page_size else None
    (k, k_values), (v, v_values) = (cache_of((n_pages, rows, heads // group, dim), cache_type or dtype) for _ in range(2))
    q, slopes = random_array(rng, (batch, heads, dim + 8), dtype), rng.random(heads).astype(np.float32) if alibi else None
    out, scale, v_scale = empty_array((batch, heads, dim), dtype), 1.5 * dim**-0.5, 0.5 if cache_type else 1.0
    partial = np.full((batch, heads, splits, dim), 1e9, np.float32) if splits > 1 else out
    lse = np.full((batch, heads, splits), 1e9, np.float32)
    steps = (rows * (heads // group) * dim, (heads // group) * dim, dim)
    names = ("k_stride_p", "k_stride_s", "k_stride_h", "v_stride_p", "v_stride_s", "v_stride_h")
    block_d = max(16, power_of_two(dim))
    launch(FILE, "decode_attention",
           {"q_ptr": q.argument, "k_ptr": k, "v_ptr": v, "lengths_ptr": np.array(lengths, np.int32), "pages_ptr": table, "slopes_ptr": slopes,
            "out_ptr": partial if splits > 1 else out.argument, "lse_ptr": lse, "scale": scale, "v_scale": v_scale, "window": window,
            "q_stride_b": heads * (dim + 8), "q_stride_h": dim + 8, **dict(zip(names, steps * 2)), "pages_stride": pages_each, "heads": heads,
            "group": group, "DIM": dim, "PAGE_SIZE": page_size or 1, "BLOCK_H": max(16, power_of_two(group)), "BLOCK_N": block_n,
            "BLOCK_D": block_d, "SOFTCAP": softcap, "PRECISION": "ieee"}, grid=(splits, batch * heads // group))
    if splits > 1:
        launch(FILE, "decode_attention_combine", {"partial_ptr": partial, "lse_ptr": lse, "out_ptr": out.argument, "splits": splits, "DIM": dim,
                                                  "BLOCK_S": power_of_two(splits), "BLOCK_D": block_d}, grid=(batch * heads, ))
    for b, length in enumerate(lengths):
        gathered = [values[table[b]].reshape(-1, heads // group, dim)[:length] if page_size else values[b, :length] for values in (k_values, v_values)]
        expected = reference(q.values[b, :, :dim], gathered[0], gathered[1] * v_scale, scale, window, softcap, slopes)
        checks.close(out.values[b], expected, f"{what}: sequence {b}", rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


for dtype in DTYPES:
    for page_size in (0, 16, 64, 7):
        for splits in (1, 3):
            checks.run(f"decode_attention page={page_size} splits={splits} {dtype}", test, (37, 5, 100), 6, 3, 32, page_size, splits, dtype)
for dim in (16, 80, 96, 256):
    checks.run(f"decode_attention dim={dim}", test, (21, ), 2, 1, dim, 8, 2, "fp32")
for options in ({"window": 20}, {"window": 1}, {"softcap": 5.0}, {"alibi": True}, {"window": 33, "softcap": 2.0, "alibi": True}):
    checks.run(f"decode_attention {options}", test, (50, 17), 4, 4, 32, 16, 4, "fp32", **options)
for dtype in ("fp16", "bf16"):
    checks.run(f"decode_attention of an fp8 cache {dtype}", test, (50, 17), 4, 2, 32, 32, 2, dtype, "fp8", block_n=32)
checks.run("decode_attention, no keys", test, (0, 3), 2, 1, 16, 4, 2, "fp32")
checks.run("decode_attention, many heads of q for one of k", test, (40, ), 24, 24, 32, 16, 5, "fp32")
checks.exit()
