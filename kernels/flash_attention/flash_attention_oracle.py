"""flash_attention forward and backward against float64: causal and full, grouped heads, odd lengths, more keys than queries and fewer."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, Checks, cdiv, empty_array, kernel_file, launch, launch_once, np, random_array

checks = Checks()
rng = np.random.default_rng(6)
FILE = kernel_file("flash_attention")
TOLERANCE = {"fp32": 3e-5, "fp16": 6e-3, "bf16": 4e-2}


def reference(q, k, v, grad_out, scale, causal, group):
    k, v = np.repeat(k, group, axis=1), np.repeat(v, group, axis=1)
    score = q @ k.swapaxes(-1, -2) * scale
    if causal:
        rows, columns = np.arange(q.shape[2])[:, None], np.arange(k.shape[2])[None, :]
        score = np.where(columns <= rows + k.shape[2] - q.shape[2], score, -np.inf)
    largest = score.max(axis=-1, keepdims=True)
    weight = np.exp(score - np.where(np.isinf(largest), 0, largest))
    total = weight.sum(axis=-1, keepdims=True)
    p = weight / np.where(total == 0, 1, total)
    grad_p = grad_out @ v.swapaxes(-1, -2)
    grad_score = p * (grad_p - (p * grad_p).sum(axis=-1, keepdims=True))
    grad_k, grad_v = grad_score.swapaxes(-1, -2) @ q * scale, p.swapaxes(-1, -2) @ grad_out
    shared = (k.shape[0], k.shape[1] // group, group, *k.shape[2:])  # heads that share keys add up
    return p @ v, grad_score @ k * scale, grad_k.reshape(shared).sum(axis=2), grad_v.reshape(shared).sum(axis=2)


class Layout:
    """[batch, heads, length, dim] in memory, or [batch, length, heads, dim] if the heads are inner."""

    def __init__(self, heads_inner):
        self.heads_inner = heads_inner

    def shape(self, batch, heads, length, dim):
        return (batch, length, heads, dim) if self.heads_inner else (batch, heads, length, dim)

    def values(self, array):
        return array.values.swapaxes(1, 2) if self.heads_inner else array.values

    def strides(self, array, name):
        outer, inner = array.data.shape[2] * array.data.shape[3], array.data.shape[3]
        head, row = (inner, outer) if self.heads_inner else (outer, inner)
        return {f"{name}_stride_b": array.data.shape[1] * outer, f"{name}_stride_h": head, f"{name}_stride_s": row}


def test(batch, heads, group, length_q, length_k, dim, dtype, causal, heads_inner=False, sign=1):
    what = f"flash_attention {batch}x{heads} group={group} q={length_q} k={length_k} dim={dim} {dtype} causal={causal} inner={heads_inner}"
    layout, scale = Layout(heads_inner), sign * dim**-0.5
    shape_q, shape_k = layout.shape(batch, heads, length_q, dim), layout.shape(batch, heads // group, length_k, dim)
    q, grad_out = (random_array(rng, shape_q, dtype) for _ in range(2))
    k, v = (random_array(rng, shape_k, dtype) for _ in range(2))
    out, grad_q = (empty_array(shape_q, dtype) for _ in range(2))
    grad_k, grad_v = (empty_array(shape_k, dtype) for _ in range(2))
    lse, delta = (np.zeros((batch, heads, length_q), np.float32) for _ in range(2))
    sizes = {"heads": heads, "group": group, "length_q": length_q, "length_k": length_k, "DIM": dim, "BLOCK_M": 32, "BLOCK_N": 16,
             "CAUSAL": causal, "PRECISION": "ieee"}
    inputs = {"q_ptr": q.argument, "k_ptr": k.argument, "v_ptr": v.argument, "scale": scale}
    strides = layout.strides(q, "q") | layout.strides(k, "k") | layout.strides(v, "v") | layout.strides(out, "out")
    grid_q, grid_k = (cdiv(length_q, 32), batch * heads), (cdiv(length_k, 16), batch * heads // group)
    described, described_lse = empty_array(shape_q, dtype), np.zeros_like(lse)
    for by_descriptor, result, sums in ((True, described, described_lse), (False, out, lse)):
        launch(FILE, "flash_attention_forward", inputs | {"out_ptr": result.argument, "lse_ptr": sums} | strides | sizes | {"BY_DESCRIPTOR": by_descriptor}, grid=grid_q)
    checks.close(described_lse, lse, f"{what}: lse by descriptor", rtol=1e-5, atol=1e-5)
    launch(FILE, "flash_attention_delta", {"out_ptr": out.argument, "grad_out_ptr": grad_out.argument, "delta_ptr": delta, "heads": heads,
                                           "length_q": length_q, "DIM": dim, "BLOCK_M": 32} | layout.strides(out, "out"), grid=grid_q)
    backward = inputs | {"grad_out_ptr": grad_out.argument, "lse_ptr": lse, "delta_ptr": delta} | strides | sizes
    launch(FILE, "flash_attention_backward_kv", backward | {"grad_k_ptr": grad_k.argument, "grad_v_ptr": grad_v.argument}, grid=grid_k)
    launch(FILE, "flash_attention_backward_q", backward | {"grad_q_ptr": grad_q.argument}, grid=grid_q)
    # Gradients of scores kept between the kernels, of some heads at a time.
    kept_q, kept_k, kept_v = empty_array(shape_q, dtype), empty_array(shape_k, dtype), empty_array(shape_k, dtype)
    stride = max(cdiv(length_q, 16) * 16, 16)
    heads_k = batch * heads // group
    for first in range(0, heads_k, 2):
        some = min(2, heads_k - first)
        scores = empty_array((some * group, length_k, stride), dtype)
        launch_once(FILE, "flash_attention_backward_kv", backward | {"grad_k_ptr": kept_k.argument, "grad_v_ptr": kept_v.argument, "scores_ptr": scores.argument, "scores_stride": stride, "first": first,
                                                                     "BY_DESCRIPTOR": group == 1}, grid=(grid_k[0], some))
        launch(FILE, "flash_attention_backward_q_of_scores", {"scores_ptr": scores.argument, "k_ptr": k.argument, "grad_q_ptr": kept_q.argument, "scale": scale, "scores_stride": stride, "first": first * group,
                                                              **layout.strides(q, "q"), **layout.strides(k, "k"), **sizes, "BLOCK_M": 32}, grid=(grid_q[0], some * group))
    expected = reference(*map(layout.values, (q, k, v, grad_out)), scale, causal, group)
    rows = zip(("out", "grad_q", "grad_k", "grad_v", "out by descriptor", "grad_q of scores", "grad_k beside scores", "grad_v beside scores"),
               (out, grad_q, grad_k, grad_v, described, kept_q, kept_k, kept_v), (*expected, *expected))
    for name, actual, value in rows:
        checks.close(layout.values(actual), value, f"{what}: {name}", rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


SHAPES = ((2, 3, 1, 37, 37, 16), (1, 2, 1, 64, 64, 32), (1, 1, 1, 5, 70, 16), (1, 1, 1, 50, 20, 64), (2, 6, 3, 33, 40, 16), (1, 4, 4, 20, 20, 16))
for causal in (False, True):
    for dtype in DTYPES:
        for shape in SHAPES:
            checks.run(f"flash_attention {shape} {dtype} {causal}", test, *shape, dtype, causal)
for sign in (-1, 0):
    checks.run(f"flash_attention scale {sign}", test, 1, 2, 1, 40, 64, 16, "fp32", sign == 0, False, sign)
for dim in (24, 80):
    checks.run(f"flash_attention dim {dim}", test, 1, 4, 2, 33, 40, dim, "fp16" if dim == 80 else "fp32", dim == 80, dim == 24)
for dim in (136, 192):  # zeros up to 256; a tile of 128 columns and one of the rest
    checks.run(f"flash_attention dim {dim}", test, 1, 2, 2, 33, 20, dim, "fp16" if dim == 136 else "fp32", dim == 136, dim == 192, -1 if dim == 192 else 1)
checks.run("flash_attention dim 128", test, 1, 1, 1, 33, 33, 128, "fp32", True)
checks.run("flash_attention without queries", test, 1, 2, 1, 0, 20, 16, "fp32", True)
for causal in (False, True):
    checks.run("flash_attention with inner heads", test, 2, 4, 2, 20, 35, 16, "fp32", causal, True)
checks.exit()
