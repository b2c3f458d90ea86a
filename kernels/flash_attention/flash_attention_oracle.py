"""flash_attention forward and backward against float64: causal and full, odd lengths, more keys than queries and fewer."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import Checks, empty_array, kernel_file, launch, np, random_array

checks = Checks()
rng = np.random.default_rng(6)
FILE = kernel_file("flash_attention")
TOLERANCE = {"fp32": 3e-5, "fp16": 6e-3, "bf16": 4e-2}


def reference(q, k, v, grad_out, scale, causal):
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
    return p @ v, grad_score @ k * scale, grad_score.swapaxes(-1, -2) @ q * scale, p.swapaxes(-1, -2) @ grad_out


def strides(array, name):
    _, heads, length, dim = array.data.shape
    return {f"{name}_stride_b": heads * length * dim, f"{name}_stride_h": length * dim, f"{name}_stride_s": dim}


def test(batch, heads, length_q, length_k, dim, dtype, causal):
    what = f"flash_attention {batch}x{heads} q={length_q} k={length_k} dim={dim} {dtype} causal={causal}"
    scale = dim**-0.5
    q, grad_out = (random_array(rng, (batch, heads, length_q, dim), dtype) for _ in range(2))
    k, v = (random_array(rng, (batch, heads, length_k, dim), dtype) for _ in range(2))
    out, grad_q = (empty_array(q.data.shape, dtype) for _ in range(2))
    grad_k, grad_v = (empty_array(k.data.shape, dtype) for _ in range(2))
    lse, delta = (np.zeros((batch, heads, length_q), np.float32) for _ in range(2))
    sizes = {"heads": heads, "length_q": length_q, "length_k": length_k, "DIM": dim, "BLOCK_M": 32, "BLOCK_N": 16, "CAUSAL": causal,
             "PRECISION": "ieee"}
    inputs = {"q_ptr": q.argument, "k_ptr": k.argument, "v_ptr": v.argument, "scale": scale}
    layout = strides(q, "q") | strides(k, "k") | strides(v, "v") | strides(out, "out")
    grid_q, grid_k = (-(-length_q // 32), batch * heads), (-(-length_k // 16), batch * heads)
    launch(FILE, "flash_attention_forward", inputs | {"out_ptr": out.argument, "lse_ptr": lse} | layout | sizes, grid=grid_q)
    launch(FILE, "flash_attention_delta", {"out_ptr": out.argument, "grad_out_ptr": grad_out.argument, "delta_ptr": delta, "heads": heads,
                                           "length_q": length_q, "DIM": dim, "BLOCK_M": 32} | strides(out, "out"), grid=grid_q)
    backward = inputs | {"grad_out_ptr": grad_out.argument, "lse_ptr": lse, "delta_ptr": delta} | layout | sizes
    launch(FILE, "flash_attention_backward_kv", backward | {"grad_k_ptr": grad_k.argument, "grad_v_ptr": grad_v.argument}, grid=grid_k)
    launch(FILE, "flash_attention_backward_q", backward | {"grad_q_ptr": grad_q.argument}, grid=grid_q)
    expected = reference(q.values, k.values, v.values, grad_out.values, scale, causal)
    for name, actual, value in zip(("out", "grad_q", "grad_k", "grad_v"), (out, grad_q, grad_k, grad_v), expected):
        checks.close(actual.values, value, f"{what}: {name}", rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


for causal in (False, True):
    for dtype in ("fp32", "fp16", "bf16"):
        for batch, heads, length_q, length_k, dim in ((2, 3, 37, 37, 16), (1, 2, 64, 64, 32), (1, 1, 5, 70, 16), (1, 1, 50, 20, 64)):
            checks.run(f"flash_attention {length_q} {length_k} {dim} {dtype} {causal}", test, batch, heads, length_q, length_k, dim, dtype, causal)
checks.run("flash_attention dim 128", test, 1, 1, 33, 33, 128, "fp32", True)
checks.exit()
