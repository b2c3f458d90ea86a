"""varlen_attention against float64: sequences of different lengths, packed and paged keys, windows on both sides, soft caps, ALiBi, grouped heads, any head
dimension, more keys than queries and fewer, sequences without queries or keys; and the gradients of packed ones."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, Array, Checks, Typed, cdiv, empty_array, kernel_file, launch, np, power_of_two, random_array
from nereid_test import fp8_from_float, fp8_to_float

checks = Checks()
rng = np.random.default_rng(31)
FILE = kernel_file("varlen_attention")
TOLERANCE = {"fp32": 3e-5, "fp16": 6e-3, "bf16": 4e-2}


def seen_keys(n, m, left, right):
    """Places of queries and keys, and which sees which."""
    place, columns = np.arange(n)[:, None] + m - n, np.arange(m)[None, :]
    seen = np.ones((n, m), bool)
    if left >= 0:
        seen &= columns >= place - left
    if right >= 0:
        seen &= columns <= place + right
    return place, columns, seen


def reference(q, k, v, scale, left, right, softcap, slopes):
    """(out, lse) of one sequence: q [n, heads, dim], k and v [m, heads, dim]."""
    group = q.shape[1] // k.shape[1]
    out, lse = np.zeros(q.shape), np.full(q.shape[:2], -np.inf)
    place, columns, seen = seen_keys(len(q), len(k), left, right)
    for head in range(q.shape[1]):
        score = q[:, head] @ k[:, head // group].T * scale
        score = softcap * np.tanh(score / softcap) if softcap else score
        score = score if slopes is None else score - slopes[head] * np.abs(place - columns)
        for row in np.flatnonzero(seen.any(axis=1)):
            kept = np.flatnonzero(seen[row])
            weight = np.exp(score[row, kept] - score[row, kept].max())
            out[row, head] = weight @ v[kept, head // group] / weight.sum()
            lse[row, head] = score[row, kept].max() + np.log(weight.sum())
    return out, lse


def gradients(q, k, v, grad_out, out, lse, scale, left, right, softcap, slopes):
    """Of q, k and v of one sequence."""
    group = q.shape[1] // k.shape[1]
    grad_q, grad_k, grad_v = np.zeros(q.shape), np.zeros(k.shape), np.zeros(v.shape)
    place, columns, seen = seen_keys(len(q), len(k), left, right)
    for head in range(q.shape[1]):
        keys, values = k[:, head // group], v[:, head // group]
        score = q[:, head] @ keys.T * scale
        growth = 1 - np.tanh(score / softcap)**2 if softcap else 1.0
        score = softcap * np.tanh(score / softcap) if softcap else score
        score = score if slopes is None else score - slopes[head] * np.abs(place - columns)
        p = np.where(seen, np.exp(np.where(seen, score - lse[:, head][:, None], 0)), 0)
        grad_score = p * (grad_out[:, head] @ values.T - (grad_out[:, head] * out[:, head]).sum(axis=1)[:, None]) * growth * scale
        grad_v[:, head // group] += p.T @ grad_out[:, head]
        grad_k[:, head // group] += grad_score.T @ q[:, head]
        grad_q[:, head] = grad_score @ keys
    return grad_q, grad_k, grad_v


def cache_of(shape, dtype):
    if dtype == "fp8":
        bits = fp8_from_float(rng.standard_normal(shape), "fp8e4nv")
        return Typed(bits, "fp8e4nv"), fp8_to_float(bits, "fp8e4nv").astype(np.float64)
    cache = random_array(rng, shape, dtype)
    return cache.argument, cache.values


def test(lengths, heads, group, dim, dtype, page_size=0, left=-1, right=-1, softcap=0.0, alibi=False, cache_type=None, block_m=16, block_n=16):
    what = f"varlen_attention {lengths} heads={heads}/{group} dim={dim} {dtype} page={page_size} window={left},{right} cap={softcap} alibi={alibi}"
    n, m = ([length[i] for length in lengths] for i in (0, 1))
    starts_q, starts_k = (np.concatenate([[0], np.cumsum(each)]).astype(np.int32) for each in (n, m))
    each = max(cdiv(max(m), page_size), 1) if page_size else 0
    rows = (len(lengths) * each + 2, page_size) if page_size else (int(starts_k[-1]), )
    table = rng.permutation(rows[0])[:len(lengths) * each].reshape(len(lengths), each).astype(np.int32) if page_size else None
    (k, k_values), (v, v_values) = (cache_of((*rows, heads // group, dim), cache_type or dtype) for _ in range(2))
    tokens, row_step = int(starts_q[-1]), heads // group * dim
    q, out, lse = random_array(rng, (tokens, heads, dim + 8), dtype), empty_array((tokens, heads, dim), dtype), np.full((heads, tokens), 1e9, np.float32)
    slopes, scale = rng.uniform(0.1, 0.5, heads).astype(np.float32) if alibi else None, dim**-0.5
    launch(FILE, "varlen_attention",
           {"q_ptr": q.argument, "k_ptr": k, "v_ptr": v, "out_ptr": out.argument, "lse_ptr": lse, "starts_q_ptr": starts_q, "starts_k_ptr": None if page_size else starts_k,
            "lengths_k_ptr": np.array(m, np.int32) if page_size else None, "pages_ptr": table, "slopes_ptr": slopes, "scale": scale, "window_left": left,
            "window_right": right, "q_stride_t": heads * (dim + 8), "q_stride_h": dim + 8, "k_stride_p": page_size * row_step, "k_stride_t": row_step,
            "k_stride_h": dim, "v_stride_p": page_size * row_step, "v_stride_t": row_step, "v_stride_h": dim, "out_stride_t": heads * dim, "out_stride_h": dim,
            "pages_stride": each, "n_tokens": tokens, "heads": heads, "group": group, "DIM": dim, "PAGE_SIZE": page_size or 1, "BLOCK_M": block_m,
            "BLOCK_N": block_n, "BLOCK_D": power_of_two(dim), "SOFTCAP": softcap, "PRECISION": "ieee"}, grid=(cdiv(max(n), block_m), len(lengths) * heads))
    for b in range(len(lengths)):
        mine = slice(starts_q[b], starts_q[b + 1])
        keys, values = (each[table[b]].reshape(-1, heads // group, dim)[:m[b]] if page_size else each[starts_k[b]:starts_k[b + 1]] for each in (k_values, v_values))
        expected = reference(q.values[mine, :, :dim], keys, values, scale, left, right, softcap, slopes)
        checks.close(out.values[mine], expected[0], f"{what}: sequence {b}", rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])
        checks.close(lse[:, mine].T, expected[1], f"{what}: lse of sequence {b}", rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


def test_backward(lengths, heads, group, dim, dtype, left=-1, right=-1, softcap=0.0, alibi=False, block_m=16, block_n=16):
    what = f"varlen_attention backward {lengths} heads={heads}/{group} dim={dim} {dtype} window={left},{right} cap={softcap} alibi={alibi}"
    n, m = ([length[i] for length in lengths] for i in (0, 1))
    starts_q, starts_k = (np.concatenate([[0], np.cumsum(each)]).astype(np.int32) for each in (n, m))
    tokens, tokens_k, heads_k, scale = int(starts_q[-1]), int(starts_k[-1]), heads // group, dim**-0.5
    q, k, v = random_array(rng, (tokens, heads, dim + 8), dtype), random_array(rng, (tokens_k, heads_k, dim), dtype), random_array(rng, (heads_k, tokens_k, dim), dtype)
    grad_q, grad_k, grad_v = empty_array(q.data.shape, dtype), empty_array(k.data.shape, dtype), empty_array(v.data.shape, dtype)
    slopes = rng.uniform(0.1, 0.5, heads).astype(np.float32) if alibi else None
    parts = [(slice(*starts_q[b:b + 2]), slice(*starts_k[b:b + 2])) for b in range(len(lengths))]
    values = [(q.values[rows, :, :dim], k.values[columns], v.values.swapaxes(0, 1)[columns]) for rows, columns in parts]
    results = [reference(*each, scale, left, right, softcap, slopes) for each in values]
    out = Array(np.concatenate([each[0] for each in results]), dtype)
    lse = np.ascontiguousarray(np.concatenate([each[1] for each in results]).T.astype(np.float32))
    grad_out, delta = random_array(rng, (tokens, heads, dim), dtype), np.full((heads, tokens), 1e9, np.float32)
    sizes = {"DIM": dim, "BLOCK_M": block_m, "BLOCK_D": power_of_two(dim)}
    launch(FILE, "varlen_attention_delta", {"out_ptr": out.argument, "grad_out_ptr": grad_out.argument, "delta_ptr": delta, "out_stride_t": heads * dim, "out_stride_h": dim, "n_tokens": tokens} | sizes,
           grid=(cdiv(tokens, block_m), heads))
    common = {"q_ptr": q.argument, "k_ptr": k.argument, "v_ptr": v.argument, "grad_out_ptr": grad_out.argument, "lse_ptr": lse, "delta_ptr": delta, "starts_q_ptr": starts_q, "starts_k_ptr": starts_k,
              "slopes_ptr": slopes, "scale": scale, "window_left": left, "window_right": right, "q_stride_t": heads * (dim + 8), "q_stride_h": dim + 8, "k_stride_t": heads_k * dim, "k_stride_h": dim,
              "v_stride_t": dim, "v_stride_h": tokens_k * dim, "out_stride_t": heads * dim, "out_stride_h": dim, "n_tokens": tokens, "heads": heads, "group": group, "BLOCK_N": block_n,
              "SOFTCAP": softcap, "PRECISION": "ieee"} | sizes
    launch(FILE, "varlen_attention_backward_kv", common | {"grad_k_ptr": grad_k.argument, "grad_v_ptr": grad_v.argument}, grid=(cdiv(max(m), block_n), len(lengths) * heads_k))
    launch(FILE, "varlen_attention_backward_q", common | {"grad_q_ptr": grad_q.argument}, grid=(cdiv(max(n), block_m), len(lengths) * heads))
    for b, (rows, columns) in enumerate(parts):
        expected = gradients(*values[b], grad_out.values[rows], out.values[rows], lse.T[rows].astype(np.float64), scale, left, right, softcap, slopes)
        for name, actual, wanted in zip("qkv", (grad_q.values[rows, :, :dim], grad_k.values[columns], grad_v.values.swapaxes(0, 1)[columns]), expected):
            checks.close(actual, wanted, f"{what}: gradient of {name}, sequence {b}", rtol=2 * TOLERANCE[dtype], atol=4 * TOLERANCE[dtype])
    checks.expect(grad_q.untouched[:, :, dim:].all(), what + ": nothing written past the end of a row")


MIXED = ((37, 37), (1, 50), (0, 9), (20, 33), (5, 0), (30, 12))  # prefill, decode, nothing, a chunk behind a beginning, no keys, fewer keys
for dtype in DTYPES:
    for page_size in (0, 16, 7):
        for right in (-1, 0):
            checks.run(f"varlen_attention page={page_size} right={right} {dtype}", test, MIXED, 4, 2, 32, dtype, page_size, -1, right)
for left, right in ((10, 0), (3, 5), (0, 0), (40, 40), (20, -1)):
    checks.run(f"varlen_attention window {left} {right}", test, MIXED, 2, 1, 16, "fp32", 16, left, right)
for options in ({"softcap": 4.0}, {"alibi": True}, {"softcap": 3.0, "alibi": True, "left": 12}):
    checks.run(f"varlen_attention {options}", test, MIXED, 2, 1, 16, "fp32", 0, right=0, **options)
for dim in (80, 96, 256):
    checks.run(f"varlen_attention dim={dim}", test, ((20, 20), (3, 40)), 2, 2, dim, "fp32", 8, -1, 0)
checks.run("varlen_attention of an fp8 cache", test, MIXED, 4, 2, 32, "bf16", 32, -1, 0, cache_type="fp8", block_n=32)
for dtype in DTYPES:
    for right in (-1, 0):
        checks.run(f"varlen_attention backward right={right} {dtype}", test_backward, MIXED, 4, 2, 32, dtype, -1, right)
for left, right in ((10, 0), (3, 5), (0, 0), (20, -1)):
    checks.run(f"varlen_attention backward window {left} {right}", test_backward, MIXED, 2, 1, 16, "fp32", left, right)
checks.run("varlen_attention backward with a cap and slopes", test_backward, MIXED, 2, 1, 16, "fp32", 12, 0, 3.0, True)
for dim in (80, 256):
    checks.run(f"varlen_attention backward dim={dim}", test_backward, ((20, 20), (3, 40)), 2, 2, dim, "fp32", -1, 0, block_m=32)
checks.run("varlen_attention backward of no queries", test_backward, ((0, 5), (0, 0)), 2, 1, 16, "fp32")
checks.run("varlen_attention of no queries", test, ((0, 5), (0, 0)), 2, 1, 16, "fp32")
checks.exit()
