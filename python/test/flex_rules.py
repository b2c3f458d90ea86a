"""Rules of a user for flex_attention, and the same in numpy."""
import numpy as np
import triton
import triton.language as tl


@triton.jit
def every_third(b, h, q, k, data):
    return (q >= k) & (k % data[0] == 0)


@triton.jit
def of_integers(b, h, q, k, data):
    """As a rule of numbers says it: 2 and 0."""
    return (q >= k).to(tl.int32) * 2


@triton.jit
def of_floats(b, h, q, k, data):
    return tl.where(q >= k, -0.5, 0.0)


@triton.jit
def warmed(score, b, h, q, k, data):
    """Scores times a factor of the head."""
    return score * tl.load(data[0] + h)


@triton.jit
def warmed_gradient(gradient, score, b, h, q, k, data):
    return gradient * tl.load(data[0] + h)


def rule_attention(q, k, v, scale=None, score=lambda score, h, q, k: score, mask=lambda h, q, k: True, sinks=None):
    """Attention by rules on arrays of numbers, in float64; (out, lse)."""
    group = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, group, axis=1), np.repeat(v, group, axis=1)
    at = np.ix_(np.arange(q.shape[1]), np.arange(q.shape[2]), np.arange(k.shape[2]))
    x = np.where(mask(*at), score(q @ k.swapaxes(-1, -2) * (q.shape[-1]**-0.5 if scale is None else scale), *at), -np.inf)
    weight = np.exp(x)
    total = weight.sum(axis=-1) + (0 if sinks is None else np.exp(sinks)[:, None])
    return weight / total[..., None] @ v, np.log(total)
