"""unfused_attention: scores, weights, results and gradients against float64: causal and full, odd lengths, more queries than keys, strides, rows of several blocks, nothing."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, Checks, cdiv, empty_array, kernel_file, launch, np, random_array

checks = Checks()
rng = np.random.default_rng(69)
FILE = kernel_file("unfused_attention")
TOLERANCE = {"fp32": 3e-5, "fp16": 6e-3, "bf16": 4e-2}


def product(a, b, out, scale=1.0, a_turned=False, b_turned=False):
    """Of arrays [batch, heads, rows, columns], each turned or not."""

    def shape_and_strides(x, turned):
        shape, strides = list(x.data.shape), [step // x.data.itemsize for step in x.data.strides]
        return (shape[:2] + shape[:1:-1], strides[:2] + strides[:1:-1]) if turned else (shape, strides)

    (a_shape, a_strides), (b_shape, b_strides) = shape_and_strides(a, a_turned), shape_and_strides(b, b_turned)
    names = [f"{name}_stride_{axis}" for name, axes in (("a", "bhmk"), ("b", "bhkn"), ("out", "bhmn")) for axis in axes]
    launch(FILE, "product", {"a_ptr": a.argument, "b_ptr": b.argument, "out_ptr": out.argument, "M": a_shape[2], "N": b_shape[3], "K": a_shape[3], "scale": scale, "heads": a_shape[1],
                             **dict(zip(names, [*a_strides, *b_strides, *shape_and_strides(out, False)[1]])), "BLOCK_M": 16, "BLOCK_N": 16, "BLOCK_K": 16, "PRECISION": "ieee"},
           grid=(cdiv(a_shape[2], 16), cdiv(b_shape[3], 16), a_shape[0] * a_shape[1]))


def test(batch, heads, length_q, length_k, dim, dtype, causal):
    what, tolerance, scale = f"unfused_attention {batch}x{heads} q={length_q} k={length_k} dim={dim} {dtype} causal={causal}", TOLERANCE[dtype], dim**-0.5
    q, k, v, grad_out = (random_array(rng, (batch, heads, length, dim), dtype) for length in (length_q, length_k, length_k, length_q))
    pairs = (batch, heads, length_q, length_k)
    scores, weights, out = empty_array(pairs, "fp32"), empty_array(pairs, dtype), empty_array(q.data.shape, dtype)
    product(q, k, scores, scale, b_turned=True)
    launch(FILE, "softmax_of_scores", {"scores_ptr": scores.argument, "weights_ptr": weights.argument, "length_q": length_q, "length_k": length_k, "CAUSAL": causal, "BLOCK": 16}, grid=(length_q, batch * heads))
    product(weights, v, out)
    wide = scale * q.values @ k.values.swapaxes(-1, -2)
    checks.close(scores.values, wide, what + ": scores", rtol=tolerance, atol=tolerance)
    if causal:
        wide = np.where(np.arange(length_k) <= np.arange(length_q)[:, None] + length_k - length_q, wide, -np.inf)
    top = wide.max(axis=-1, keepdims=True, initial=-np.inf)
    p = np.exp(wide - np.where(np.isinf(top), 0, top))
    p /= np.where((total := p.sum(axis=-1, keepdims=True)) == 0, 1, total)
    checks.close(weights.values, p, what + ": weights", rtol=tolerance, atol=tolerance)
    checks.close(out.values, p @ v.values, what, rtol=tolerance, atol=tolerance)
    grad_weights, grad_scores = empty_array(pairs, "fp32"), empty_array(pairs, dtype)
    grad_q, grad_k, grad_v = (empty_array(x.data.shape, dtype) for x in (q, k, v))
    product(weights, grad_out, grad_v, a_turned=True)
    product(grad_out, v, grad_weights, b_turned=True)
    launch(FILE, "softmax_gradient", {"weights_ptr": weights.argument, "grad_weights_ptr": grad_weights.argument, "grad_scores_ptr": grad_scores.argument, "length_k": length_k, "BLOCK": 16},
           grid=(batch * heads * length_q, ))
    product(grad_scores, k, grad_q, scale)
    product(grad_scores, q, grad_k, scale, a_turned=True)
    grad_p = grad_out.values @ v.values.swapaxes(-1, -2)
    grad_s = p * (grad_p - (p * grad_p).sum(axis=-1, keepdims=True))
    for name, found, expected in (("q", grad_q, scale * grad_s @ k.values), ("k", grad_k, scale * grad_s.swapaxes(-1, -2) @ q.values), ("v", grad_v, p.swapaxes(-1, -2) @ grad_out.values)):
        checks.close(found.values, expected, f"{what}: gradient of {name}", rtol=tolerance, atol=2 * tolerance)


for dtype in DTYPES:
    for causal in (False, True):
        checks.run(f"unfused_attention {dtype} {causal}", test, 2, 2, 19, 37, 20, dtype, causal)
checks.run("unfused_attention, more queries than keys", test, 1, 2, 30, 9, 16, "fp32", True)
checks.run("unfused_attention of one place", test, 1, 1, 1, 1, 1, "fp32", True)
checks.run("unfused_attention without batches", test, 0, 2, 5, 5, 16, "fp32", False)
checks.run("unfused_attention without keys", test, 1, 1, 5, 0, 16, "fp32", False)
checks.exit()
