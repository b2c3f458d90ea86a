"""What the functions of nereid.ops compute, in numpy and float64."""
import math

import numpy as np

erf = np.vectorize(math.erf)
# The tables of QLoRA (appendix E) and of bitsandbytes' four-bit floats.
NF4 = (-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635, -0.18477343022823334, -0.09105003625154495, 0.0,
       0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941,
       0.7229568362236023, 1.0)  # yapf: disable
FP4 = tuple(sign * value / 12 for sign in (1, -1) for value in (0, 0.0625, 8, 12, 4, 6, 2, 3))


def softmax(x):
    weight = np.exp(x - x.max(axis=-1, keepdims=True))
    return weight / weight.sum(axis=-1, keepdims=True)


def rms_norm(x, weight, eps=1e-6):
    return x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps) * weight


def layer_norm(x, weight, bias=0.0, eps=1e-5):
    return (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + eps) * weight + bias


def group_norm(x, groups, weight=None, bias=None, eps=1e-5):
    rows = x.reshape(x.shape[0], groups, -1)
    normal = ((rows - rows.mean(axis=2, keepdims=True)) / np.sqrt(rows.var(axis=2, keepdims=True) + eps)).reshape(x.shape)
    channels = (-1, *[1] * (x.ndim - 2))
    return normal * (1 if weight is None else weight.reshape(channels)) + (0 if bias is None else bias.reshape(channels))


def batch_norm(x, mean, var, weight=None, bias=None, training=False, eps=1e-5):
    channels = (-1, *[1] * (x.ndim - 2))
    axes = (0, *range(2, x.ndim))
    mean, var = (x.mean(axis=axes), x.var(axis=axes)) if training else (mean, var)
    normal = (x - mean.reshape(channels)) / np.sqrt(var.reshape(channels) + eps)
    return normal * (1 if weight is None else weight.reshape(channels)) + (0 if bias is None else bias.reshape(channels))


def silu(x):
    return x / (1 + np.exp(-x))


def gelu(x):
    return 0.5 * x * (1 + erf(x / math.sqrt(2)))


def gelu_tanh(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def runs_of_rows(a, b, ends):
    return np.concatenate([a[first:end] @ b[group] for group, (first, end) in enumerate(zip([0, *ends], ends))])


def dequantized8(q, scale):
    return q * np.repeat(scale, q.shape[0] // scale.shape[0], axis=0)


def dequantized4(q, scale, zero=8):
    """The bytes of a group hold its first half in their low bits and its second half in their high ones."""
    groups = q.reshape(scale.shape[0], -1, q.shape[1])
    return np.concatenate([(np.concatenate([each & 15, each >> 4]) - float(zero)) * scale[i] for i, each in enumerate(groups)])


def attention(q, k, v, causal=False, scale=None):
    group = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, group, axis=1), np.repeat(v, group, axis=1)
    score = q @ k.swapaxes(-1, -2) * (q.shape[-1]**-0.5 if scale is None else scale)
    if causal:
        rows, columns = np.arange(q.shape[2])[:, None], np.arange(k.shape[2])[None, :]
        seen = columns <= rows + k.shape[2] - q.shape[2]
        p = np.where(seen.any(axis=1, keepdims=True), softmax(np.where(seen, score, -1e300)), 0)
    else:
        p = softmax(score)
    return p @ v


def rotated(x, cos, sin, first_position=0, interleaved=False):
    cos, sin = (table[first_position:first_position + x.shape[1], None, :] for table in (cos, sin))
    half = x.shape[-1] // 2
    first, second = (slice(0, None, 2), slice(1, None, 2)) if interleaved else (slice(0, half), slice(half, None))
    result = np.empty_like(x)
    result[..., first] = x[..., first] * cos - x[..., second] * sin
    result[..., second] = x[..., second] * cos + x[..., first] * sin
    return result


def cross_entropy(logits, target, ignore_index=-100, reduction="mean", label_smoothing=0.0, z_loss=0.0, softcap=0.0):
    x = softcap * np.tanh(logits / softcap) if softcap else logits
    counts, lse = target != ignore_index, np.log(np.exp(x).sum(axis=1))
    chosen = (1 - label_smoothing) * x[np.arange(len(target)), np.where(counts, target, 0)] + label_smoothing * x.mean(axis=1)
    loss = np.where(counts, lse - chosen + z_loss * lse**2, 0)
    return {"none": loss, "sum": loss.sum(), "mean": loss.sum() / counts.sum()}[reduction]


def decode_attention(q, k, v, lengths, table=None, scale=None, k_scale=1.0, v_scale=1.0, window=0, softcap=0.0, slopes=None):
    out = np.zeros_like(q)
    group = q.shape[1] // k.shape[2]
    for b, length in enumerate(lengths):
        keys, values = ((cache[b] if table is None else cache[table[b]].reshape(-1, *cache.shape[2:]))[:length] for cache in (k * k_scale, v * v_scale))
        for head in range(q.shape[1]) if length else ():
            score = keys[:, head // group] @ q[b, head] * (q.shape[2]**-0.5 if scale is None else scale)
            score = softcap * np.tanh(score / softcap) if softcap else score
            score = score if slopes is None else score + slopes[head] * (np.arange(length) - (length - 1))
            seen = slice(max(length - window, 0) if window else 0, None)
            out[b, head] = softmax(score[seen]) @ values[seen, head // group]
    return out


def varlen_attention(q, k, v, starts_q, starts_k, longest_q, scale=None, causal=False):
    out = np.zeros_like(q)
    for first, end, first_k, end_k in zip(starts_q, starts_q[1:], starts_k, starts_k[1:]):
        heads = [x.swapaxes(0, 1)[None] for x in (q[first:end], k[first_k:end_k], v[first_k:end_k])]
        out[first:end] = attention(*heads, causal, scale)[0].swapaxes(0, 1)
    return out


def mla_decode(q, cache, lengths, rank, table=None, scale=None, cache_scale=1.0):
    """A latent cache is one of keys for one head, whose values are their beginning."""
    keys = cache[:, :, None] * cache_scale
    values = np.concatenate([keys[..., :rank], np.zeros_like(keys[..., rank:])], axis=-1)
    return decode_attention(q, keys, values, lengths, table, scale)[..., :rank]


def written_cache(key, value, key_cache, value_cache, slots):
    for x, cache in ((key, key_cache), (value, value_cache)):
        for token, slot in enumerate(slots):
            if slot >= 0:
                cache.reshape(-1, *x.shape[1:])[slot] = x[token]
    return key_cache, value_cache


def conv_transpose2d(x, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """Each place of x leaves its share, times the weight, around its own place."""
    stride, padding, output_padding, dilation = (value if isinstance(value, tuple) else (value, value) for value in (stride, padding, output_padding, dilation))
    batch, channels, *size = x.shape
    inner, outer, kernel = channels // groups, weight.shape[1], weight.shape[2:]
    whole = [(size[a] - 1) * stride[a] + dilation[a] * (kernel[a] - 1) + 1 + output_padding[a] for a in range(2)]
    out = np.zeros((batch, outer * groups, *whole))
    for group in range(groups):
        for i in range(kernel[0]):
            for j in range(kernel[1]):
                taken = [slice(at * dilation[a], at * dilation[a] + (size[a] - 1) * stride[a] + 1, stride[a]) for a, at in enumerate((i, j))]
                mine = slice(group * inner, (group + 1) * inner)
                out[:, group * outer:(group + 1) * outer, taken[0], taken[1]] += np.einsum("nchw,co->nohw", x[:, mine], weight[mine, :, i, j])
    out = out[:, :, padding[0]:whole[0] - padding[0], padding[1]:whole[1] - padding[1]]
    return out if bias is None else out + bias[:, None, None]


def copied_blocks(cache, pairs):
    for source, destination in pairs:
        cache[destination] = cache[source]
    return cache


def filtered(logits, top_k=None, top_p=None, min_p=None, temperature=None):
    x = logits if temperature is None else logits / temperature[:, None]
    keep = np.ones_like(x, bool)
    for row in range(len(x)):
        weight = np.exp(x[row] - x[row].max())
        if min_p is not None:
            keep[row] &= weight >= min_p[row]
        if top_k is not None and 0 < top_k[row] < x.shape[1]:
            keep[row] &= x[row] >= np.sort(x[row])[-top_k[row]]
        if top_p is not None and top_p[row] < 1:
            order = np.argsort(-x[row])
            mass = np.cumsum((weight * keep[row])[order])
            keep[row] &= x[row] >= x[row, order[np.argmax(mass >= top_p[row] * mass[-1])]]
    return np.where(keep, x, -np.inf)


def penalized(logits, prompt, output, presence, frequency, repetition):
    x = logits.copy()
    for row in range(len(x)):
        for token in range(x.shape[1]):
            count = (output[row] == token).sum()
            if count or (prompt[row] == token).any():
                x[row, token] *= repetition[row] if x[row, token] <= 0 else 1 / repetition[row]
            x[row, token] -= frequency[row] * count + presence[row] * (count > 0)
    return x


def routed(logits, topk, renormalize):
    p = softmax(logits)
    order = np.argsort(-p, axis=1, kind="stable")[:, :topk]
    weights = np.take_along_axis(p, order, axis=1)
    return weights / weights.sum(axis=1, keepdims=True) if renormalize else weights, order


def ordered_by_expert(experts, n_experts):
    order = np.argsort(experts, axis=None, kind="stable")
    positions = np.empty(experts.size, np.int32)
    positions[order] = np.arange(experts.size)
    return positions.reshape(experts.shape), np.cumsum(np.bincount(experts.reshape(-1), minlength=n_experts))


def adamw(p, g, m, v, step, lr=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, decay=0.01, master=None, factor=None):
    p, g = p if master is None else master, g if factor is None else g * factor
    m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g**2
    return p * (1 - lr * decay) - lr * (m / (1 - beta1**step)) / (np.sqrt(v / (1 - beta2**step)) + eps), m, v


def lion(p, g, m, lr=1e-4, beta1=0.9, beta2=0.99, decay=0.01, master=None, factor=None):
    p, g = p if master is None else master, g if factor is None else g * factor
    return p * (1 - lr * decay) - lr * np.sign(beta1 * m + (1 - beta1) * g), beta2 * m + (1 - beta2) * g


def dynamic_values(signed):
    """bitsandbytes' table of eight bits."""
    positive = [10.0**(power - 6) * middle for power in range(7) for edges in [np.linspace(0.1, 1, 2**(power + (not signed)) + 1)] for middle in (edges[1:] + edges[:-1]) / 2]
    return np.sort(np.array(positive + [0.0, 1.0] + [-value for value in positive] * signed))


def adamw_8bit(p, g, codes1, codes2, absmax1, absmax2, step, lr=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, decay=0.01, blocksize=256, master=None, factor=None):
    tables, scales = (dynamic_values(True), dynamic_values(False)), [x.repeat(blocksize)[:p.size] for x in (absmax1, absmax2)]
    moved = adamw(p, g, *(table[codes] * scale for table, codes, scale in zip(tables, (codes1, codes2), scales)), step, lr, beta1, beta2, eps, decay, master, factor)
    scales = [np.array([abs(x[first:first + blocksize]).max() for first in range(0, x.size, blocksize)]) for x in moved[1:]]
    codes = [abs((x / scale.repeat(blocksize)[:x.size])[:, None] - table).argmin(axis=1) for x, scale, table in zip(moved[1:], scales, tables)]
    return moved[0], *codes, *scales


def newton_schulz(x, steps=5, a=3.4445, b=-4.7750, c=2.0315, eps=1e-7):
    x = x / np.maximum(np.linalg.norm(x, axis=(-2, -1), keepdims=True), eps)
    for _ in range(steps):
        gram = x @ x.swapaxes(-1, -2)
        x = a * x + b * gram @ x + c * gram @ gram @ x
    return x


def muon(p, g, momentum, lr=1e-3, beta=0.95, decay=0.1, nesterov=True, steps=5, eps=1e-7, adjust="original", master=None, factor=None):
    p, g = p if master is None else master, g if factor is None else g * factor
    momentum = beta * momentum + (1 - beta) * g
    scale = max(1, p.shape[0] / p.shape[1])**0.5 if adjust == "original" else 0.2 * max(p.shape)**0.5
    return p * (1 - lr * decay) - lr * scale * newton_schulz(beta * momentum + (1 - beta) * g if nesterov else momentum, steps, eps=eps), momentum


def clipped(gradients, max_norm=2.0):
    norm = np.sqrt(sum((g**2).sum() for g in gradients))
    factor = min(1, max_norm / (norm + 1e-6))
    return np.array([norm]), np.array([factor]), tuple(g * factor for g in gradients)


def segmented_sums(x, heads):
    result = x.copy()
    for t in range(1, x.shape[-1]):
        result[..., t] += np.where(heads[..., t] != 0, 0, result[..., t - 1])
    return result


def linear_recurrence(a, b, initial=None):
    h, state = np.empty_like(b), np.zeros(b[:, 0].shape) if initial is None else initial
    for t in range(b.shape[1]):
        h[:, t] = state = a[:, t] * state + b[:, t]
    return h


def causal_conv1d(x, weight, bias=None, state=None, activation="silu"):
    before = np.zeros((*x.shape[:2], weight.shape[1] - 1)) if state is None else state
    padded = np.concatenate([before, x], axis=2)
    y = sum(weight[:, w, None] * padded[:, :, w:w + x.shape[2]] for w in range(weight.shape[1])) + (0 if bias is None else bias[:, None])
    return silu(y) if activation == "silu" else y


def added_rows(table, index, source, skipped=-1):
    kept = index != skipped
    result = table.copy()
    np.add.at(result, index[kept], source[kept])
    return result


def linear_attention(q, k, v, g=None, state=None, scale=1.0):
    group = v.shape[1] // q.shape[1]
    q, k = np.repeat(q, group, axis=1), np.repeat(k, group, axis=1)
    state, out = np.zeros((*v.shape[:2], q.shape[3], v.shape[3])) if state is None else state, np.empty_like(v)
    for t in range(v.shape[2]):
        state = state * (1 if g is None else np.exp(g[:, :, t])[..., None, None]) + k[:, :, t, :, None] * v[:, :, t, None, :]
        out[:, :, t] = scale * (q[:, :, t, :, None] * state).sum(axis=2)
    return out, state


def mamba2(x, dt, A, B, C, D, z, bias):
    dt = np.log1p(np.exp(dt + bias))
    turned = (each.swapaxes(1, 2) for each in (C, B, x * dt[..., None], dt * A))
    return (linear_attention(*turned)[0].swapaxes(1, 2) + x * D[:, None]) * silu(z)


def selective_scan(u, delta, A, B, C, D=0.0, z=None, bias=0.0, softplus=False, state=None):
    """B and C [batch, states, length]; (out, last state)"""
    delta = delta + np.reshape(bias, (-1, 1))
    delta = np.log1p(np.exp(delta)) if softplus else delta
    state, out = np.zeros((*u.shape[:2], A.shape[1])) if state is None else state, np.empty_like(u)
    for t in range(u.shape[2]):
        state = np.exp(delta[:, :, t, None] * A) * state + (delta * u)[:, :, t, None] * B[:, None, :, t]
        out[:, :, t] = (state * C[:, None, :, t]).sum(axis=2) + D * u[:, :, t]
    return out if z is None else out * silu(z), state


def delta_rule(q, k, v, g, beta, scale, state):
    """[batch, heads, length, dim], each head of q for all of v; (out, last state)"""
    out = np.empty_like(v)
    for t in range(v.shape[2]):
        state = state * np.exp(g[:, :, t])[..., None, None]
        held = (k[:, :, t, :, None] * state).sum(axis=2)
        state = state + k[:, :, t, :, None] * ((v[:, :, t] - held) * beta[:, :, t, None])[:, :, None]
        out[:, :, t] = scale * (q[:, :, t, :, None] * state).sum(axis=2)
    return out, state


def jensen_shannon(x, y, beta, _):
    q, p = np.exp(x), np.exp(y)
    m = np.log(beta * p + (1 - beta) * q)
    return (beta * p * (y - m) + (1 - beta) * q * (x - m)).sum() if 0 < beta < 1 else (p * (y - x)).sum() if beta == 0 else (q * (x - y)).sum()


def grpo(logps, advantages, old, ref, mask, low, high, beta):
    ratio, a = np.exp(logps - old), advantages[:, None]
    loss = -np.minimum(ratio * a, np.clip(ratio, 1 - low, 1 + high) * a) + beta * (np.exp(ref - logps) - (ref - logps) - 1)
    return np.where(mask, loss, 0)


def lora(out, x, a, b, starts, adapters, longest, scale):
    for first, end, adapter in zip(starts, starts[1:], adapters):
        if adapter >= 0:
            out[first:end] += scale * x[first:end] @ a[adapter].T @ b[adapter].T
    return out


def conv2d(x, weight, bias=0.0, stride=1, padding=0, dilation=1, groups=1):
    """Numbers or pairs alike for both axes."""
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    out_channels, inner, height, width = weight.shape
    sizes = [(x.shape[2 + i] - dilation * (weight.shape[2 + i] - 1) - 1) // stride + 1 for i in range(2)]
    out = np.zeros((x.shape[0], out_channels, *sizes))
    for o in range(out_channels):
        own = x[:, o // (out_channels // groups) * inner:][:, :inner]
        for y in range(sizes[0]):
            for z in range(sizes[1]):
                seen = own[:, :, y * stride:y * stride + dilation * (height - 1) + 1:dilation, z * stride:z * stride + dilation * (width - 1) + 1:dilation]
                out[:, o, y, z] = (seen * weight[o]).sum(axis=(1, 2, 3))
    return out + np.reshape(bias, (-1, 1, 1))
