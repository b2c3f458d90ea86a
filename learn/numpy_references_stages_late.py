"""numpy_references_stages_late.py: what numpy says to the exercises of stages 3 to 5. An entry gets the arguments of a test (t.x_ptr is an
array, t.n a number) and returns the outputs by name, in any shape of the right size."""
import math
import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from numpy_references_late import attention_and_gradients, erf, number, softmax, uniform


def normalized(x, eps):
    return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + number(eps))


def add_layer_norm(t):
    total = t.x_ptr + t.residual_ptr
    return {"sum_ptr": total, "out_ptr": normalized(total, t.eps) * t.weight_ptr}


def norm_backward(t):
    """With the Jacobian of each row in full."""
    x, n = t.x_ptr, t.columns
    normal, deviation = normalized(x, t.eps), np.sqrt(x.var(1) + number(t.eps))
    jacobian = (np.eye(n)[None] - 1 / n - normal[:, :, None] * normal[:, None, :] / n) / deviation[:, None, None]
    products = t.grad_out_ptr * normal
    return {"grad_x_ptr": np.einsum("rij,ri->rj", jacobian, t.grad_out_ptr * t.weight_ptr),
            "partial_ptr": [products[first:first + t.ROWS].sum(0) for first in range(0, t.rows, t.ROWS)]}


def causal_shares(t):
    scores = number(t.scale) * np.einsum("hid,hjd->hij", t.q_ptr, t.k_ptr)
    return {"p_ptr": softmax(np.where(np.tri(t.n, dtype=bool), scores, -np.inf))}


def dropped_sum(t):
    drop = number(t.drop)
    kept = uniform(t.seed, t.p_ptr.size).reshape(t.p_ptr.shape) >= drop
    return {"out_ptr": np.where(kept, t.p_ptr / (1 - drop), 0.0) @ t.v_ptr}


def linear(t):
    y = t.x_ptr @ t.w_ptr.T + t.bias_ptr
    return {"out_ptr": np.maximum(y, 0) if "relu" in t.ACTIVATION else y / (1 + np.exp(-y)) if "silu" in t.ACTIVATION else y}


def swiglu(t):
    gate = t.x_ptr @ t.gate_ptr
    return {"out_ptr": gate / (1 + np.exp(-gate)) * (t.x_ptr @ t.up_ptr)}


def geglu_backward(t):
    gate, up = t.x_ptr[:, :t.n], t.x_ptr[:, t.n:]
    share, density = (1 + erf(gate / math.sqrt(2))) / 2, np.exp(-gate**2 / 2) / math.sqrt(2 * math.pi)
    return {"out_ptr": gate * share * up,
            "grad_x_ptr": np.concatenate([t.grad_out_ptr * up * (share + gate * density), t.grad_out_ptr * gate * share], axis=1)}


def capped_attention(t):
    k, v = np.repeat(t.k_ptr, t.group, axis=1), np.repeat(t.v_ptr, t.group, axis=1)
    scores = number(t.cap) * np.tanh(number(t.scale) * np.einsum("ihd,jhd->hij", t.q_ptr, k) / number(t.cap))
    return {"out_ptr": np.einsum("hij,jhd->ihd", softmax(scores), v)}


def window_attention(t):
    scores = number(t.scale) * t.q_ptr @ t.k_ptr.swapaxes(1, 2)
    back = np.arange(t.n)[:, None] - np.arange(t.n)[None, :]
    return {"out_ptr": softmax(np.where((back >= 0) & (back < t.window), scores, -np.inf)) @ t.v_ptr}


def causal_gradients(t):
    t.CAUSAL = True
    results = attention_and_gradients(t)
    return {name: results[name] for name in ("grad_q_ptr", "grad_k_ptr", "grad_v_ptr")}


def scheduled_product(t):
    tiles_m, tiles_n = (-(-extent // t.BLOCK) for extent in (t.M, t.N))
    order = sorted((m // t.GROUP, n, m) for m in range(tiles_m) for n in range(tiles_n))
    turns = np.zeros((tiles_m, tiles_n), int)
    for turn, (_, n, m) in enumerate(order):
        turns[m, n] = turn
    return {"c_ptr": t.a_ptr @ t.b_ptr, "turn_ptr": turns}


def int8_product(t):
    return {"c_ptr": (t.a_ptr.astype(int) @ t.b_ptr.astype(int)) * np.outer(t.a_scale_ptr, t.b_scale_ptr)}


def int4_product(t):
    weights = np.stack([t.packed_ptr & 15, t.packed_ptr >> 4], axis=1).reshape(t.K, t.N).astype(int) - 8
    return {"out_ptr": t.x_ptr @ (weights * np.repeat(t.scale_ptr, t.GROUP, axis=0))}


def flash_plan(t):
    """By looking at the matrix of who sees what; rows past the end of the queries count as rows."""
    blocks_q, blocks_k = -(-t.length_q // t.BLOCK_M), -(-t.length_k // t.BLOCK_N)
    rows, keys = np.arange(blocks_q * t.BLOCK_M), np.arange(blocks_k * t.BLOCK_N)
    sees = keys[None, :] <= rows[:, None] + (t.length_k - t.length_q)
    results = {"block_ptr": np.arange(blocks_q)[::-1], "full_ptr": [], "last_ptr": [], "first_ptr": [], "all_ptr": []}
    for block in results["block_ptr"]:
        mine = sees[block * t.BLOCK_M:(block + 1) * t.BLOCK_M, :t.length_k]
        results["full_ptr"].append(mine.all(0).sum() // t.BLOCK_N * t.BLOCK_N)
        results["last_ptr"].append(mine.any(0).sum())
    for block in range(blocks_k):
        mine = sees[:, block * t.BLOCK_N:(block + 1) * t.BLOCK_N].reshape(blocks_q, t.BLOCK_M, t.BLOCK_N)
        some, everything = mine.any((1, 2)), mine.all((1, 2))
        results["first_ptr"].append((np.argmax(some) if some.any() else blocks_q) * t.BLOCK_M)
        results["all_ptr"].append((np.argmax(everything) if everything.any() else blocks_q) * t.BLOCK_M)
    return results


def paged_attention(t):
    out = []
    for q, pages, length in zip(t.q_ptr, t.table_ptr, t.lengths_ptr):
        k, v = (cache[pages].reshape(-1, t.DIM)[:length] for cache in (t.k_ptr, t.v_ptr))
        out.append(softmax(number(t.scale) * k @ q) @ v)
    return {"out_ptr": out}


def log_sum_exp(x):
    return x.max(-1) + np.log(np.exp(x - x.max(-1, keepdims=True)).sum(-1))


def chunked_cross_entropy(t):
    chunks = np.stack([log_sum_exp(t.logits_ptr[:, first:first + t.BLOCK]) for first in range(0, t.vocab, t.BLOCK)], axis=1)
    picked = t.logits_ptr[np.arange(t.rows), np.maximum(t.target_ptr, 0)]
    return {"lse_ptr": chunks, "loss_ptr": np.where(t.target_ptr >= 0, log_sum_exp(t.logits_ptr) - picked, 0.0)}


def centre_columns(t):
    return {"out_ptr": t.x_ptr - t.x_ptr.mean(0)}


def norm_and_rotate(t):
    y = t.x_ptr / np.sqrt((t.x_ptr**2).mean(-1, keepdims=True) + number(t.eps)) * t.weight_ptr
    turned = (y[..., :t.HALF] + 1j * y[..., t.HALF:]) * (t.cos_ptr + 1j * t.sin_ptr)[:, None, :]
    return {"out_ptr": np.concatenate([turned.real, turned.imag], axis=-1)}


REFERENCES = {
    "stage-3/add-layer-norm": add_layer_norm,
    "stage-3/layer-norm-backward": norm_backward,
    "stage-3/scores-softmax": causal_shares,
    "stage-3/weighted-sum": dropped_sum,
    "stage-3/linear-activation": linear,
    "stage-3/swiglu": swiglu,
    "stage-3/geglu": geglu_backward,
    "stage-4/flash-forward": capped_attention,
    "stage-4/flash-causal": window_attention,
    "stage-4/flash-backward": causal_gradients,
    "stage-4/persistent": scheduled_product,
    "stage-4/int8-product": int8_product,
    "stage-4/dequantize-product": int4_product,
    "stage-5/read-flash-attention": flash_plan,
    "stage-5/read-vllm": paged_attention,
    "stage-5/read-unsloth": chunked_cross_entropy,
    "stage-5/mend": centre_columns,
    "stage-5/new-kernel": norm_and_rotate,
}
