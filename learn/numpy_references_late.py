"""numpy_references_late.py: what the units from day 19 on compute, in numpy, written independently of their references.

An entry gets the arguments of a test (t.x_ptr is an array, float64 or integers; t.n a number) and returns the outputs by name, in any
shape of the right size.
"""
import math

import numpy as np

erf = np.vectorize(math.erf, otypes=[float])


def day_19(t):
    return {"c_ptr": t.a_ptr @ t.b_ptr}


def day_21(t):
    real = np.arange(t.capacity)[None, :, None] < t.lengths_ptr[:, None, None]
    return {"c_ptr": np.where(real, t.a_ptr @ t.b_ptr, 0.0)}


def day_22(t):
    x = t.x_ptr
    mean, rstd = x.mean(1, keepdims=True), 1 / np.sqrt(x.var(1, keepdims=True) + np.float32(t.eps))
    return {"out_ptr": (x - mean) * rstd * t.weight_ptr + t.bias_ptr, "mean_ptr": mean, "rstd_ptr": rstd}


def layer_norm_backward(t):
    """By the chain rule through mean and variance, with all its terms."""
    rstd, n = t.rstd_ptr[:, None], t.columns
    normal = (t.x_ptr - t.mean_ptr[:, None]) * rstd
    scaled = t.grad_out_ptr * t.weight_ptr
    projector = np.eye(n)[None] - (1 + normal[:, :, None] * normal[:, None, :]) / n
    return {"grad_x_ptr": np.einsum("rij,rj->ri", projector, scaled) * rstd, "grad_weight_ptr": (t.grad_out_ptr * normal).sum(0),
            "grad_bias_ptr": t.grad_out_ptr.sum(0)}


def philox(seed, offsets):
    """The first word of Philox 4x32 with ten rounds: the offset is the counter, the seed the key."""
    c0, c1, c2, c3 = np.asarray(offsets, np.uint64) & 0xFFFFFFFF, *(np.zeros(len(offsets), np.uint64) for _ in range(3))
    k0, k1 = seed & 0xFFFFFFFF, seed >> 32
    for _ in range(10):
        high, low = np.uint64(0xD2511F53) * c0, np.uint64(0xCD9E8D57) * c2
        c0, c1, c2, c3 = ((low >> np.uint64(32)) ^ c1 ^ np.uint64(k0), low & np.uint64(0xFFFFFFFF),
                          (high >> np.uint64(32)) ^ c3 ^ np.uint64(k1), high & np.uint64(0xFFFFFFFF))
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return c0.astype(np.uint32)


def uniform(seed, n):
    """Floats in [0, 1): negative words count as their complement."""
    words = philox(seed, np.arange(n)).astype(np.int32).astype(np.int64)
    return np.where(words < 0, -words - 1, words) * float(np.float32(4.6566127342e-10))


def day_24(t):
    p = float(np.float32(t.p))
    return {"out_ptr": np.where(uniform(t.seed, t.n) >= p, t.x_ptr / (1 - p), 0.0)}


def day_25(t):
    p = float(np.float32(t.p))
    factor = (uniform(t.seed, t.n) >= p) / (1 - p)
    return {"out_ptr": t.residual_ptr + t.x_ptr * factor, "grad_x_ptr": t.grad_out_ptr * factor}


def day_26(t):
    y = float(np.float32(t.scale)) * t.x_ptr
    return {"gelu_ptr": y / 2 * (1 + erf(y / math.sqrt(2))), "growth_ptr": np.where(y == 0, 1.0, np.expm1(y) / np.where(y == 0, 1.0, y))}


def softmax(scores):
    """Of the last axis; where no score is finite, zeros."""
    largest = scores.max(-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isfinite(largest), largest, 0))
    total = weights.sum(-1, keepdims=True)
    return weights / np.where(total == 0, 1, total)


def number(value):
    """A float argument of a kernel is an fp32."""
    return float(np.float32(value))


def plain_attention(t):
    p = softmax(number(t.scale) * t.q_ptr @ t.k_ptr.swapaxes(1, 2))
    return {"s_ptr": p, "out_ptr": p @ t.v_ptr}


def only_out(t):
    return {"out_ptr": plain_attention(t)["out_ptr"]}


def day_30(t):
    axes = (lambda x: x.transpose(0, 2, 1, 3)) if t.q_stride_h == t.DIM else (lambda x: x)
    q, k = axes(t.q_ptr.reshape(t.q_ptr.shape)), axes(t.k_ptr)
    s = number(t.scale) * np.einsum("bhid,bhjd->bhij", q, np.repeat(k, t.group, axis=1))
    return {"largest_ptr": s.max(-1), "where_ptr": s.argmax(-1)}


def day_31(t):
    largest = t.s_ptr.max(1)
    return {"out_ptr": softmax(t.s_ptr) @ t.v_ptr, "lse_ptr": largest + np.log(np.exp(t.s_ptr - largest[:, None]).sum(1))}


def seen(t, rows, keys):
    """Which query sees which key: the last of both are side by side."""
    return np.arange(keys)[None, :] <= np.arange(rows)[:, None] + (keys - rows) if t.CAUSAL else np.ones((rows, keys), bool)


def attention_and_gradients(t):
    """Forward and backward with all matrices in memory; heads of k and v are repeated, and their gradients summed."""
    group = getattr(t, "group", 1)
    q, k, v = t.q_ptr, np.repeat(t.k_ptr, group, axis=0), np.repeat(t.v_ptr, group, axis=0)
    scores = np.where(seen(t, q.shape[1], k.shape[1]), number(t.scale) * np.einsum("hid,hjd->hij", q, k), -np.inf)
    p, largest = softmax(scores), scores.max(-1)
    results = {"out_ptr": p @ v, "lse_ptr": largest + np.log(np.exp(scores - largest[..., None]).sum(-1))}
    if hasattr(t, "grad_out_ptr"):
        grad_p = np.einsum("hid,hjd->hij", t.grad_out_ptr, v)
        grad_s = number(t.scale) * p * (grad_p - (p * grad_p).sum(-1, keepdims=True))
        shared = lambda x: x.reshape(-1, group, *x.shape[1:]).sum(1)
        results.update(grad_q_ptr=grad_s @ k, grad_k_ptr=shared(grad_s.swapaxes(1, 2) @ q),
                       grad_v_ptr=shared(p.swapaxes(1, 2) @ t.grad_out_ptr), delta_ptr=(p * grad_p).sum(-1))
    return results


def only(*names):
    """Some of these results, of a unit that may know no CAUSAL."""
    def reference(t):
        t.CAUSAL = getattr(t, "CAUSAL", False)
        results = attention_and_gradients(t)
        return {name: results[name] for name in names}
    return reference


REFERENCES = {
    "day-19": day_19,
    "day-20": day_19,
    "day-21": day_21,
    "day-22": day_22,
    "day-23": layer_norm_backward,
    "day-24": day_24,
    "day-25": day_25,
    "day-26": day_26,
    "day-27": plain_attention,
    "day-28": only_out,
    "day-29": only_out,
    "day-30": day_30,
    "day-31": day_31,
    "day-32": only("out_ptr", "lse_ptr"),
    "day-33": only("delta_ptr", "grad_q_ptr"),
    "day-34": only("grad_q_ptr", "grad_k_ptr", "grad_v_ptr"),
    "day-35": only("out_ptr", "grad_q_ptr", "grad_k_ptr", "grad_v_ptr"),
    "exam": only("grad_q_ptr", "grad_k_ptr", "grad_v_ptr"),
}
