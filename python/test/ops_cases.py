"""One row for each function of nereid.ops: arguments, what they give in float64, and by which of them it can be differentiated."""
import numpy as np
from flex_rules import every_third, rule_attention, warmed, warmed_gradient
from nereid import ops
from ops_array_cases import array_cases
from ops_case import Case, changed
from ops_product_cases import fp8_attention_cases, shared_product_cases
from ops_references import (FP4, NF4, adamw, adamw_8bit, added_rows, attention, batch_norm, causal_conv1d, clipped, conv2d, conv_transpose2d, copied_blocks, cross_entropy, decode_attention,
                            delta_rule, dequantized4, dequantized8, filtered, gelu, gelu_tanh, group_norm, grpo, jensen_shannon, layer_norm, linear_attention, linear_recurrence, lion, lora,
                            mamba2, mla_decode, muon, newton_schulz, ordered_by_expert, penalized, rms_norm, rotated, routed, runs_of_rows, segmented_sums, selective_scan, silu, softmax, varlen_attention, written_cache)

def arrays(*shapes):
    return tuple(rng.standard_normal(shape).astype(np.float32) for shape in shapes)


def integers(low, high, shape, dtype=np.int64):
    return rng.integers(low, high, shape).astype(dtype)


def halves(rows, columns):
    """Two halves of one matrix."""
    both, = arrays((rows, 2 * columns))
    return both[:, :columns], both[:, columns:]


def norm_cases():
    yield Case("rms_norm", arrays((5, 37), (37, )), rms_norm, (0, 1))
    yield Case("rms_norm", (*arrays((2, 3, 16), (16, )), 0.1), rms_norm, (0, 1))
    yield Case("rms_norm", arrays((2, 20000), (20000, )), rms_norm)
    yield Case("rms_norm", (arrays((6, 40))[0][:, ::2], *arrays((20, ))), rms_norm)
    yield Case("layer_norm", arrays((5, 37), (37, ), (37, )), layer_norm, (0, 1, 2))
    yield Case("layer_norm", arrays((2, 3, 16), (16, )), layer_norm, (0, 1))
    yield Case("fused_add_rms_norm", arrays((5, 37), (5, 37), (37, )), lambda x, residual, weight: (rms_norm(x + residual, weight), x + residual), (0, 1, 2))
    yield Case("group_norm", (*arrays((2, 6, 5, 3)), 3, *arrays((6, ), (6, ))), group_norm, (0, 2, 3))
    yield Case("group_norm", (*arrays((2, 4, 7)), 1), group_norm, (0, ))
    x, weight, bias, mean, var = arrays((3, 4, 5, 2), (4, ), (4, ), (4, ), (4, ))
    yield Case("batch_norm", (x, mean, var**2, weight, bias), batch_norm, (0, 3, 4))
    yield Case("batch_norm", (x, None, None, weight, bias, True), batch_norm, (0, 3, 4))
    yield Case("batch_norm", (x, mean, var**2, None, None, True, 0.3), lambda x, mean, var, *_: (batch_norm(x, mean, var, training=True), 0.7 * mean + 0.3 * x.mean(axis=(0, 2, 3)),
                                                                                             0.7 * var + 0.3 * x.var(axis=(0, 2, 3), ddof=1)), call=changed(ops.batch_norm, (1, 2), shows=True))
    yield Case("instance_norm", arrays((2, 3, 7), (3, ), (3, )), lambda x, weight, bias: group_norm(x, 3, weight, bias), (0, 1, 2))
    yield Case("softmax", arrays((5, 37)), softmax, (0, ))
    yield Case("softmax", arrays((2, 20000)), softmax)


def activation_cases():
    yield Case("gelu", arrays((5, 37)), gelu)
    yield Case("gelu", (*arrays((5, 37)), "tanh"), lambda x, _: gelu_tanh(x))
    yield Case("silu", arrays((5, 37)), silu)
    yield Case("swiglu", arrays((2, 3, 10), (2, 3, 10)), lambda gate, up: silu(gate) * up, (0, 1))
    yield Case("swiglu", halves(3, 20), lambda gate, up: silu(gate) * up)
    yield Case("geglu", arrays((3, 10), (3, 10)), lambda gate, up: gelu(gate) * up, (0, 1))
    yield Case("geglu", (*arrays((3, 10), (3, 10)), "tanh"), lambda gate, up, _: gelu_tanh(gate) * up, (0, 1))
    yield Case("dropout", (*arrays((3, 10)), 0.0, 5), lambda x, p, seed: x, (0, ))
    yield Case("dropout", (*arrays((3, 10)), 0.5, 5), lambda x, p, seed: x * ops.dropout(np.ones(x.shape, np.float32), p, seed), (0, ))


def product_cases():
    yield Case("matmul", arrays((7, 20), (20, 9)), np.matmul, (0, 1))
    yield Case("matmul", (*arrays((7, 20), (20, 9), (9, )), "none"), lambda a, b, bias, _: a @ b + bias, (0, 1, 2))
    yield Case("matmul", (arrays((20, 7))[0].T, arrays((9, 20))[0].T, None, "silu"), lambda a, b, bias, _: silu(a @ b))
    yield Case("grouped_matmul", (*arrays((11, 20), (3, 20, 6)), np.array([4, 4, 11], np.int32)), runs_of_rows)
    yield Case("int8_matmul", (integers(-128, 128, (5, 40), np.int8), integers(-128, 128, (40, 6), np.int8), *arrays((5, ), (6, ))),
               lambda a, b, a_scale, b_scale: a.astype(float) @ b * a_scale[:, None] * b_scale, tolerance=1e-4)
    yield Case("int8_matmul", (integers(-128, 128, (3, 5), np.int8), integers(-128, 128, (5, 7), np.int8), *arrays((3, ), (7, ))),
               lambda a, b, a_scale, b_scale: a.astype(float) @ b * a_scale[:, None] * b_scale, tolerance=1e-4)
    yield Case("int8_weight_matmul", (*arrays((5, 64)), integers(-128, 128, (64, 6), np.int8), *arrays((2, 6))),
               lambda a, q, scale: a @ dequantized8(q, scale), tolerance=5e-4)
    yield Case("int4_weight_matmul", (*arrays((5, 64)), integers(0, 256, (32, 6), np.uint8), *arrays((2, 6))),
               lambda a, q, scale: a @ dequantized4(q, scale), tolerance=2e-4)


    segments = (np.array([0, 5, 6, 6, 9], np.int32), np.array([1, -1, 0, 0], np.int32), 5, 0.5)
    yield Case("add_lora_", (*arrays((9, 20), (9, 30), (2, 4, 30), (2, 20, 4)), *segments), lora, call=changed(ops.add_lora_, (0, )))
    yield Case("conv2d", (*arrays((2, 4, 7, 6), (6, 2, 3, 3), (6, )), 2, 1, 1, 2), conv2d, (0, 1, 2))
    yield Case("conv2d", (arrays((1, 7, 6, 4))[0].transpose(0, 3, 1, 2), *arrays((5, 4, 2, 2)), None, 1, 0, 2), lambda x, weight, _, *rest: conv2d(x, weight, 0.0, *rest), (0, 1))
    same = lambda x, weight, bias, *_: conv2d(np.pad(x, ((0, 0), (0, 0), (1, 2), (2, 2))), weight, bias)  # noqa: E731 (even kernels have one more behind the picture)
    yield Case("conv2d", (*arrays((2, 3, 6, 7), (4, 3, 4, 5), (4, )), 1, "same"), same, (0, 1, 2))
    yield Case("conv2d", (*arrays((2, 3, 6, 7), (4, 3, 4, 5), (4, )), 2, "valid"), lambda x, weight, bias, *_: conv2d(x, weight, bias, 2))
    yield Case("conv1d", (*arrays((2, 3, 9), (4, 3, 2), (4, )), 1, "same"), lambda x, weight, bias, *_: conv2d(np.pad(x, ((0, 0), (0, 0), (0, 1)))[..., None], weight[..., None], bias)[..., 0])
    yield Case("conv1d", (*arrays((2, 3, 9), (4, 3, 3), (4, )), 2), lambda x, weight, bias, stride: conv2d(x[..., None], weight[..., None], bias)[:, :, ::stride, 0], (0, 1, 2))
    yield Case("conv_transpose2d", (*arrays((2, 4, 3, 4), (4, 3, 3, 2), (6, )), 2, 1, (1, 0), 2), conv_transpose2d, (0, 1, 2))
    yield Case("conv_transpose2d", (*arrays((1, 3, 4, 3), (3, 5, 2, 3)), None, (1, 2), 0, 0, 1, 2), conv_transpose2d, (0, 1))


def attention_cases():
    for causal in (False, True):
        yield Case("attention", (*arrays((1, 2, 5, 16), (1, 1, 9, 16), (1, 1, 9, 16)), causal), attention, (0, 1, 2))
    yield Case("attention", (*arrays((2, 2, 40, 16), (2, 2, 33, 16), (2, 2, 33, 16)), True, 0.5), attention)
    yield Case("scaled_dot_product_attention", (*arrays((1, 2, 7, 16), (1, 2, 7, 16), (1, 2, 7, 16)), None, 0.0, True),
               lambda q, k, v, *_: attention(q, k, v, True), (0, 1, 2))
    yield Case("flash_attn_func", (*arrays((1, 5, 2, 16), (1, 9, 1, 16), (1, 9, 1, 16)), 0.0, 0.3, True),
               lambda q, k, v, _, scale, causal: attention(*(x.swapaxes(1, 2) for x in (q, k, v)), causal, scale).swapaxes(1, 2), (0, 1, 2))
    for interleaved in (False, True):
        yield Case("rope", (*arrays((2, 3, 2, 12), (8, 6), (8, 6)), 4, interleaved), rotated, (0, ))


def by_heads(reference):
    """Of arrays [batch, length, heads, dim]."""
    return lambda q, k, v, *rest: reference(*(x.swapaxes(1, 2) for x in (q, k, v)), *rest).swapaxes(1, 2)


def flex_cases():
    """Attention by rule, and the options of others that are made of it."""
    q, k, v, factors = arrays((1, 2, 7, 24), (1, 1, 9, 24), (1, 1, 9, 20), (2, ))
    mask = ops.create_block_mask(every_third, None, None, 7, 9, BLOCK_SIZE=16, data=(3, ))
    yield Case("create_block_mask", ("causal", None, 2, 40, 40), lambda *_: (np.tile([[[1, 1], [1, 2], [1, 3]]], (1, 2, 1, 1)), 100 / 3),
               call=lambda *args: ((made := ops.create_block_mask(*args, BLOCK_SIZE=16)).lists[0], np.float64(made.sparsity())))
    both = {"score": lambda score, h, q, k: score * factors[h], "mask": lambda h, q, k: (q >= k) & (k % 3 == 0)}
    yield Case("flex_attention", (q, k, v, warmed, mask, 0.2, True, True, (factors, ), warmed_gradient),
               lambda q, k, v, *_: rule_attention(q, k, v, 0.2, **both), (0, 1, 2), call=with_tensors(ops.flex_attention))
    yield Case("flex_attention", (q, k, v, "softcap", None, None, True, False, (2.0, )),
               lambda q, k, v, *_: rule_attention(q, k, v, score=lambda s, *_: 2 * np.tanh(s / 2))[0], (0, 1, 2))
    bias, allowed = arrays((1, 2, 7, 9)), rng.random((7, 9)) < 0.7
    yield Case("scaled_dot_product_attention", (q, k, v, *bias), lambda q, k, v, bias: rule_attention(q, k, v, score=lambda s, *_: s + bias)[0], (0, 1, 2, 3))
    yield Case("scaled_dot_product_attention", (q, k, v, bias[0][:, :1, :, :1]), lambda q, k, v, bias: rule_attention(q, k, v)[0], (0, 3))
    yield Case("scaled_dot_product_attention", (q, k, v, allowed), lambda q, k, v, allowed: rule_attention(q, k, v, mask=lambda *_: allowed)[0], (0, 2))
    q, k, v, sinks = arrays((1, 9, 2, 16), (1, 12, 1, 16), (1, 12, 1, 16), (2, ))
    yield Case("flash_attn_func", (q, k, v, 0.0, None, True, (4, 0), 3.0, factors, sinks), lambda q, k, v, p, scale, causal, window, cap, slopes, sinks: by_heads(
        lambda *x: rule_attention(*x, score=lambda s, h, q, k: cap * np.tanh(s / cap) - slopes[h] * abs(q + 3 - k), mask=lambda h, q, k: (k <= q + 3) & (k >= q - 1), sinks=sinks)[0])(
            q, k, v), (0, 1, 2, 9))
    yield Case("flash_attn_func", (q, k, v, 0.5, None, False, (-1, -1), 0.0, None, None, 7), lambda q, k, v, *rest: ops.flash_attn_func(
        *(x.astype(np.float32) for x in (q, k, v)), *rest), (0, 1, 2))


def with_tensors(function):
    """Calls with what a block mask and data hold as tensors where the first argument is one."""

    def call(q, k, v, score_mod, mask, *rest):
        if not isinstance(q, np.ndarray):
            import torch
            mask = type(mask)(mask.mask_mod, mask.data, mask.shape, mask.block_size, tuple(map(torch.from_numpy, mask.lists)))
            rest = [tuple(torch.from_numpy(each) for each in value) if isinstance(value, tuple) else value for value in rest]
        return function(q, k, v, score_mod, mask, *rest)

    return call


def serving_cases():
    lengths, table = np.array([37, 0, 5], np.int32), rng.permutation(20)[:15].reshape(3, 5).astype(np.int32)
    yield Case("decode_attention", (*arrays((3, 6, 32), (20, 8, 2, 32), (20, 8, 2, 32)), lengths, table), decode_attention)
    yield Case("decode_attention", (*arrays((3, 2, 24), (3, 40, 2, 24), (3, 40, 2, 24)), lengths, None, 0.3, 2.0, 0.5, 10, 4.0, *arrays((2, ))), decode_attention)
    yield Case("flash_attn_with_kvcache", (*arrays((3, 1, 6, 32), (20, 8, 2, 32), (20, 8, 2, 32)), lengths, table, 0.2, (6, 0)),
               lambda q, k, v, lengths, table, scale, window: decode_attention(q[:, 0], k, v, lengths, table, scale, window=7)[:, None])
    yield Case("flash_attn_with_kvcache", (*arrays((1, 1, 2, 16), (1, 700, 1, 16), (1, 700, 1, 16)), np.array([613], np.int32)),
               lambda q, k, v, lengths: decode_attention(q[:, 0], k, v, lengths)[:, None])
    yield Case("mla_decode", (*arrays((3, 5, 40), (20, 8, 40)), lengths, 28, table, 0.2, 0.5), mla_decode)
    yield Case("mla_decode", (*arrays((1, 2, 40), (1, 700, 40)), np.array([613], np.int32), 28), mla_decode)
    starts_q, starts_k = np.array([0, 7, 8, 8], np.int32), np.array([0, 7, 40, 43], np.int32)
    packed = (*arrays((8, 4, 16), (43, 2, 16), (43, 2, 16)), starts_q, starts_k, 7)
    yield Case("varlen_attention", packed, varlen_attention, (0, 1, 2))
    yield Case("flash_attn_varlen_func", (*packed, 33, 0.3, True), lambda q, k, v, starts_q, starts_k, *_: varlen_attention(q, k, v, starts_q, starts_k, 7, 0.3, True), (0, 1, 2))
    paged = (*arrays((8, 4, 16), (20, 8, 2, 16), (20, 8, 2, 16)), starts_q, starts_k, 7, 33, None, True, (-1, -1), 0.0, None, table)
    yield Case("flash_attn_varlen_func", paged, lambda q, k, v, starts_q, starts_k, *_: varlen_attention(
        q, *(np.concatenate([x[table[b]].reshape(-1, 2, 16)[:n] for b, n in enumerate(np.diff(starts_k))]) for x in (k, v)), starts_q, starts_k, 7, None, True))
    args = (*arrays((3, 2, 8), (3, 2, 8), (4, 5, 2, 8), (4, 5, 2, 8)), np.array([13, -1, 2]))
    yield Case("reshape_and_cache_flash", args, written_cache, call=changed(ops.reshape_and_cache_flash, (2, 3)))
    args = (*(x[:, :, ::2] for x in arrays((3, 1, 16), (3, 1, 16))), *arrays((4, 5, 1, 8), (4, 5, 1, 8)), np.array([13, -1, 2]))  # one head: its rows are a matrix in steps of two
    yield Case("reshape_and_cache_flash", args, written_cache, call=changed(ops.reshape_and_cache_flash, (2, 3)))
    yield Case("copy_blocks", (*arrays((5, 4, 3)), np.array([[0, 3], [4, 1]])), copied_blocks, call=changed(ops.copy_blocks, (0, )))


def sampling_cases():
    logits, seeds = *arrays((5, 300)), np.arange(5)
    k, p, greedy = np.array([1, 3, 0, 10, 300], np.int32), np.full(5, 0.7, np.float32), np.zeros(5, np.float32)
    yield Case("apply_top_k_top_p", (logits, k, p), filtered)
    yield Case("apply_top_k_top_p", (logits, None, None, np.full(5, 0.3, np.float32), np.full(5, 2.0, np.float32)), filtered)
    yield Case("sample", (logits, seeds, greedy), lambda logits, *_: logits.argmax(axis=1))
    yield Case("sample", (logits, seeds, None, np.ones(5, np.int32)), lambda logits, *_: logits.argmax(axis=1))
    yield Case("multinomial", (np.eye(5, 70, 3, np.float32), seeds), lambda weights, _: weights.argmax(axis=1))
    some, few = np.random.default_rng(1), logits[:3, :10]
    prompt, output = some.integers(-1, 11, (3, 4)), some.integers(0, 11, (3, 6)).astype(np.int32)
    yield Case("apply_penalties", (few, prompt, output, *some.random((2, 3)).astype(np.float32), np.full(3, 1.5, np.float32)), penalized)
    target = np.tile(np.array([[0, 1, 0, 0], [0, 0, 0.5, 0.5]], np.float32), (3, 1, 1))
    draft = np.tile(np.array([[0, 0.5, 0.5, 0], [0, 0, 1, 0]], np.float32), (3, 1, 1))
    # The first token is sure or impossible; where the second is rejected, the target leaves one other.
    yield Case("rejection_sample", (np.array([[1, 3], [2, 2], [1, 0]]), target, np.array([7, 8, 9]), draft, np.arange(3)),
               lambda *_: (np.array([[1, 3, 7], [1, -1, -1], [1, 3, -1]]), np.array([2, 0, 1])))
    yield Case("rejection_sample", (np.array([[1, 2], [2, 2], [1, 3]]), target, np.array([7, 8, 9]), None, None, np.array([1, 2, 2], np.int32)),
               lambda *_: (np.array([[1, 7, -1], [1, -1, -1], [1, 2, -1]]), np.array([1, 0, 1])))
    yield Case("argmax", (logits, ), lambda x: x.argmax(axis=-1))


def moe_cases():
    for renormalize in (False, True):
        apart = rng.permuted(np.tile(np.arange(9) / 4, (7, 1)), axis=1).astype(np.float32)  # a small step changes no choice
        yield Case("topk_softmax", (apart, 3, renormalize), routed, (0, ))
    experts = integers(0, 6, (40, 3), np.int32)
    positions = ordered_by_expert(experts, 6)[0]
    yield Case("moe_order", (experts, 6), ordered_by_expert)
    few = positions[:4].argsort(axis=None).argsort().reshape(4, 3).astype(np.int32)
    yield Case("moe_permute", (*arrays((4, 10)), few), lambda x, positions: np.repeat(x, 3, axis=0)[positions.reshape(-1).argsort()], (0, ))
    yield Case("moe_combine", (*arrays((12, 10)), few), lambda y, positions: y[positions].sum(axis=1), (0, ))
    yield Case("moe_combine", (*arrays((12, 10)), few, *arrays((4, 3))), lambda y, positions, weights: (y[positions] * weights[:, :, None]).sum(axis=1),
               (0, 2))


def quantization_cases():
    """Multiples of a scale, which come back exactly."""
    steps = integers(-127, 128, (6, 40)).astype(np.float32)
    steps[:, ::8] = 127
    yield Case("quantize_per_row", (steps * np.float32(0.25), ), lambda x: (steps, np.full(6, 0.25)), tolerance=0)
    yield Case("quantize_per_group", (steps * np.float32(0.5), 8), lambda x, _: (steps, np.full((6, 5), 0.5)), tolerance=0)
    yield Case("quantize_per_block", (steps * np.float32(2), 16), lambda x, _: (steps, np.full((1, 3), 2.0)), tolerance=0)
    yield Case("quantize_per_tensor", (steps * np.float32(4), ), lambda x: (steps, np.full(1, 4.0)), tolerance=0)
    scale, = arrays((2, 3))
    yield Case("dequantize", (integers(-127, 128, (6, 40), np.int8), scale, 4, 16),
               lambda q, scale, rows, columns: q * scale.repeat(rows, axis=0)[:6].repeat(columns, axis=1)[:, :40], tolerance=1e-6)


    grid = np.tile(np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.5, -1, -1.5, -2, -3, -4, -6, 6], np.float32), (3, 4))  # all that MXFP4 has
    codes = np.tile(np.array([0x10, 0x32, 0x54, 0x76, 0xA9, 0xCB, 0xED, 0x7F], np.uint8), (3, 4))
    powers = np.array([[1, 2], [0.5, 8], [4, 1]], np.float32)
    scales = (127 + np.log2(powers)).astype(np.uint8)
    yield Case("mx_quantize", (grid * powers.repeat(32, axis=1), ), lambda x: (codes, scales), tolerance=0)
    yield Case("mx_dequantize", (codes, scales), lambda *_: grid * powers.repeat(32, axis=1), tolerance=0)
    yield Case("mx_dequantize", (np.full((2, 32), 0x38, np.uint8), np.array([[126], [129]], np.uint8), "e4m3"), lambda *_: np.repeat([[0.5], [4]], 32, axis=1), tolerance=0)


def four_bit_cases():
    """Values of the tables come back exactly; words of which each code is known."""
    nf4, fp4 = (np.array(table, np.float32) for table in (NF4, FP4))
    ascending = np.array([0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF], np.uint8)
    yield Case("quantize_4bit", (np.tile(nf4, 5) * np.float32(3), 32), lambda x, _: (np.tile(ascending, 5), np.full(3, 3.0)), tolerance=0)
    codes = integers(0, 256, (40, ), np.uint8)
    unpacked = np.stack([codes >> 4, codes & 15], axis=1).reshape(-1)
    yield Case("dequantize_4bit", (codes, *arrays((2, )), 79, 64), lambda q, absmax, n, _: (nf4[unpacked] * absmax.repeat(64)[:80])[:79], tolerance=1e-6)
    yield Case("dequantize_4bit", (codes, *arrays((2, )), 80, 64, "fp4"), lambda q, absmax, n, *_: fp4[unpacked] * absmax.repeat(64)[:80], tolerance=1e-6)
    yield Case("dequantize_8bit", (integers(0, 256, (300, ), np.uint8), *arrays((256, ), (2, )), 0.5),
               lambda q, table, absmax, offset: table[q] * absmax.repeat(256)[:300] + offset, tolerance=1e-6)
    word, scales = np.array([[0x75316420]], np.int64).astype(np.int32), *arrays((1, 8))
    yield Case("awq_dequantize", (word.repeat(4, axis=0), scales, word * 0), lambda q, scales, zeros: np.arange(8) * scales.repeat(4, axis=0))
    word = np.array([[0x76543210]], np.int64).astype(np.int32)
    yield Case("gptq_dequantize", (word.repeat(8, axis=1), scales, word), lambda q, scales, zeros: (np.arange(8)[:, None] - np.arange(8) - 1) * scales)
    order = np.array([1, 0, 0, 1, 1, 0, 0, 1], np.int32)
    yield Case("gptq_dequantize", (word.repeat(8, axis=1), *arrays((2, 8)), word.repeat(2, axis=0), order, 4, 0),
               lambda q, scales, zeros, *_: (np.arange(8)[:, None] - np.arange(8)) * scales[order])


def recurrence_cases():
    yield Case("linear_recurrence", arrays((2, 5, 3), (2, 5, 3), (2, 3)), linear_recurrence, (0, 1, 2))
    a, b = arrays((1, 2000, 3), (1, 2000, 3))
    yield Case("linear_recurrence", (np.tanh(a), b), linear_recurrence, tolerance=1e-4)
    yield Case("causal_conv1d_fn", arrays((2, 3, 7), (3, 4), (3, )), causal_conv1d, (0, 1, 2))
    yield Case("causal_conv1d_fn", (arrays((2, 7, 3))[0].swapaxes(1, 2), *arrays((3, 2)), None, None, "none"), causal_conv1d, (0, 1))
    x, state, weight, bias = arrays((2, 5), (2, 5, 3), (5, 4), (5, ))
    yield Case("causal_conv1d_fn", (x[:, :, None], weight, bias, state), causal_conv1d)
    yield Case("causal_conv1d_update", (x, state, weight, bias),
               lambda x, state, weight, bias: (causal_conv1d(x[:, :, None], weight, bias, state)[:, :, 0], np.concatenate([state[:, :, 1:], x[:, :, None]], axis=2)),
               call=changed(ops.causal_conv1d_update, (1, ), shows=True))


def scan_cases():
    x, a = arrays((2, 5, 300), (2, 5, 300))
    numbers = integers(-100, 100, (3, 40), np.int32)
    yield Case("cumsum", (x[:, :, :7], ), lambda x: np.cumsum(x, axis=-1), (0, ))
    yield Case("cumsum", (x, 1), lambda x, _: np.cumsum(x, axis=1), (0, ))
    yield Case("cumsum", (x, -1, True), lambda x, *_: np.cumsum(x[..., ::-1], axis=-1)[..., ::-1], tolerance=1e-4)
    yield Case("cumsum", (x.reshape(1, -1).repeat(4, axis=1), ), lambda x: np.cumsum(x, axis=1), tolerance=1e-3)
    yield Case("cumsum", (numbers, 0), lambda x, _: np.cumsum(x, axis=0), tolerance=0)
    apart = rng.permuted(np.tile(np.arange(9) / 4, (4, 1)), axis=1).astype(np.float32)  # a small step changes no order
    yield Case("cummax", (apart, ), lambda x: (np.maximum.accumulate(x, axis=1), np.maximum.accumulate(np.where(x == np.maximum.accumulate(x, axis=1), np.arange(9), 0), axis=1)), (0, ))
    yield Case("cummin", (numbers, 0), lambda x, _: (np.minimum.accumulate(x, axis=0), np.maximum.accumulate(np.where(x == np.minimum.accumulate(x, axis=0), np.arange(3)[:, None], 0), axis=0)), tolerance=0)
    yield Case("running_max", (x, ), lambda x: np.maximum.accumulate(x, axis=-1), tolerance=0)
    yield Case("running_min", (numbers, 0), lambda x, _: np.minimum.accumulate(x, axis=0), tolerance=0)
    yield Case("segmented_cumsum", (x[0], numbers[0, 0] + integers(0, 30, (5, 300)) == numbers[0, 0]), segmented_sums, tolerance=1e-4)
    yield Case("linear_scan", (np.tanh(a), x), lambda a, x: linear_recurrence(*(each.reshape(10, 300, 1) for each in (a, x))).reshape(x.shape))
    yield Case("linear_scan", (np.tanh(a[0]), x[0], a[0, :, 0]), lambda a, x, initial: linear_recurrence(a[..., None], x[..., None], initial[:, None])[..., 0])


def state_space_cases():
    q, k, v, g, state = arrays((1, 1, 7, 5), (1, 1, 7, 5), (1, 2, 7, 6), (1, 2, 7), (1, 2, 5, 6))
    yield Case("linear_attention", (q, k, v, -abs(g), state, 0.5), linear_attention, (0, 1, 2, 3, 4))
    yield Case("linear_attention", arrays((2, 2, 70, 16), (2, 2, 70, 16), (2, 2, 70, 20)), linear_attention, tolerance=1e-4)
    args = (q[:, :, 0], k[:, :, 0], v[:, :, 0], state, -abs(g[:, :, 0]))
    yield Case("linear_attention_update", args, lambda q, k, v, state, g: (
        (found := linear_attention(q[:, :, None], k[:, :, None], v[:, :, None], g[:, :, None], state))[0][:, :, 0], found[1]),
               call=changed(ops.linear_attention_update, (3, ), shows=True))
    x, dt, A, B, C, D, z, bias = arrays((1, 5, 4, 3), (1, 5, 4), (4, ), (1, 5, 2, 6), (1, 5, 2, 6), (4, ), (1, 5, 4, 3), (4, ))
    yield Case("mamba_chunk_scan_combined", (x, dt, -abs(A), B, C, D, z, bias, None, True), lambda *args: mamba2(*args[:8]), (0, 1, 2, 3, 4, 5, 6, 7))
    narrow = [each.astype(np.float16) for each in (x, B, C, z)]
    yield Case("mamba_chunk_scan_combined", (narrow[0], dt, -abs(A), narrow[1], narrow[2], D, narrow[3], bias, None, True), lambda *args: mamba2(*args[:8]), tolerance=1e-2)


    u, delta, A, B, C, D, z, bias = arrays((2, 3, 5), (2, 3, 5), (3, 4), (2, 4, 5), (2, 4, 5), (3, ), (2, 3, 5), (3, ))
    yield Case("selective_scan_fn", (u, delta, -abs(A), B, C, D, z, bias, True, True), selective_scan_of, (0, 1, 2, 3, 4, 5, 6, 7))
    yield Case("selective_scan_fn", (*arrays((1, 5, 130), (1, 5, 130)), -np.ones((5, 2), np.float32), *arrays((1, 2, 130), (1, 2, 130)), None, None, None, True), lambda *args: selective_scan(
        *args[:5], softplus=True)[0], tolerance=1e-4)
    state, = arrays((2, 3, 4))
    yield Case("selective_state_update", (state, u[:, :, 0], delta[:, :, 0], -abs(A), B[:, :, 0], C[:, :, 0], D, z[:, :, 0], bias, True), lambda state, u, delta, A, B, C, D, z, bias, _: (
        (found := selective_scan(u[..., None], delta[..., None], A, B[..., None], C[..., None], D, z[..., None], bias, True, state))[0][..., 0], found[1]),
               call=changed(ops.selective_state_update, (0, ), shows=True))


    q, k, v, g, beta, state = arrays((1, 40, 1, 6), (1, 40, 1, 6), (1, 40, 2, 5), (1, 40, 2), (1, 40, 2), (1, 2, 6, 5))
    k, g, beta = k / np.linalg.norm(k, axis=-1, keepdims=True), -abs(g), 1 / (1 + np.exp(beta))
    yield Case("chunk_gated_delta_rule", (q, k, v, g, beta, 0.5, state, True), lambda q, k, v, g, beta, scale, state, _: (
        (found := delta_rule(*(x.swapaxes(1, 2) for x in (q, k, v, g, beta)), scale, state))[0].swapaxes(1, 2), found[1]))
    few = tuple(x[:, :9] for x in (q, k, v, g, beta))
    yield Case("chunk_gated_delta_rule", (*few, 0.5, state, True), lambda q, k, v, g, beta, scale, state, _: (
        (found := delta_rule(*(x.swapaxes(1, 2) for x in (q, k, v, g, beta)), scale, state))[0].swapaxes(1, 2), found[1]), (0, 1, 2, 3, 4, 6))
    yield Case("gated_delta_rule_update", (q[:, 0], k[:, 0], v[:, 0], state, beta[:, 0], g[:, 0]), lambda q, k, v, state, beta, g: (
        (found := delta_rule(*(x[:, :, None] for x in (q, k, v, g, beta)), 1.0, state))[0][:, :, 0], found[1]),
               call=changed(ops.gated_delta_rule_update, (3, ), shows=True))


def selective_scan_of(*args):
    return selective_scan(*args[:9])


def ordering_cases():
    apart = rng.permuted(np.tile(np.arange(40) / 8, (3, 1)), axis=1).astype(np.float32)  # a small step changes no order
    for largest in (True, False):
        yield Case("topk", (apart, 5, largest), lambda x, k, largest: (np.take_along_axis(x, np.argsort(-x if largest else x, kind="stable")[:, :k], 1),
                                                                       np.argsort(-x if largest else x, kind="stable")[:, :k]), (0, ))
    x, = arrays((300, ))
    for descending in (False, True):
        yield Case("sort", (x[:20], descending), lambda x, descending: (np.sort(x)[::-1] if descending else np.sort(x), np.argsort(-x if descending else x)))
    numbers = integers(-20, 20, (300, ))
    yield Case("argsort", (numbers, ), lambda x: np.argsort(x, kind="stable"))
    yield Case("argsort", (numbers.astype(np.int32), True), lambda x, _: np.argsort(-x, kind="stable"))
    index, (table, source) = np.array([3, 1, 3, 0, 3]), arrays((4, 10), (5, 10))
    yield Case("embedding", (index, table), lambda index, table: table[index], (1, ))
    yield Case("embedding", (index.reshape(1, 5).astype(np.int32), table), lambda index, table: table[index], (1, ))
    yield Case("index_select", (table, index), lambda table, index: table[index], (0, ))
    yield Case("index_add", (table, index, source), added_rows, (0, 2))
    yield Case("index_add", (table, index, source, 3), added_rows, (0, 2))
    yield Case("bincount", (numbers, 15), lambda x, bins: np.bincount(x[(x >= 0) & (x < bins)], minlength=bins))
    yield Case("histc", (x, 10, -2.0, 2.0), lambda x, bins, low, high: np.histogram(x, bins, (low, high))[0])


def scaled_norm(*args):
    """Norm, factor, scale and tracker behind a step."""
    *gradients, scale, tracker = (arg.copy() if hasattr(arg, "copy") else arg.clone() for arg in args)
    norm, factor = ops.grad_scaler_factor(gradients, scale, tracker, 2.0, growth_interval=2)
    return norm, factor, scale, tracker


def training_cases():
    parameter, gradient, mean, square = arrays((30, ), (30, ), (30, ), (30, ))
    factor = np.array([0.5], np.float32)
    yield Case("adamw_", (parameter, gradient, mean, square**2, 3, 0.01), adamw, call=changed(ops.adamw_, (0, 2, 3)))
    yield Case("adamw_", (parameter, gradient, mean, square**2, 1, 0.01, 0.8, 0.9, 1e-6, 0.1, parameter + 1, factor), adamw, call=changed(ops.adamw_, (0, 2, 3)))
    codes, scales = integers(0, 256, (2, 30), np.uint8), abs(square[:2]).reshape(2, 1)
    yield Case("adamw_8bit_", (parameter, gradient, *codes, *scales, 3, 0.01), adamw_8bit, call=changed(ops.adamw_8bit_, (0, 2, 3, 4, 5)))
    yield Case("adamw_8bit_", (*arrays((80, ), (80, )), *np.zeros((2, 80), np.uint8), *np.zeros((2, 3), np.float32), 1, 0.01, 0.8, 0.9, 1e-6, 0.1, 32, *arrays((80, )), factor), adamw_8bit,
               call=changed(ops.adamw_8bit_, (0, 2, 3, 4, 5)))
    matrices = arrays((5, 12), (5, 12), (5, 12))
    yield Case("muon_", (*matrices, 0.1), muon, tolerance=2e-4, call=changed(ops.muon_, (0, 2)))
    yield Case("muon_", (*(x.reshape(12, 5) for x in matrices), 0.1, 0.9, 0.2, False, 3, 1e-7, "match_rms_adamw", matrices[1].reshape(12, 5), factor), muon, tolerance=2e-4, call=changed(ops.muon_, (0, 2)))
    yield Case("newton_schulz", arrays((2, 7, 4)), newton_schulz, tolerance=2e-4)
    yield Case("newton_schulz", (*arrays((70, 90)), 3, 1.5, -0.5, 0.0), newton_schulz, tolerance=2e-4)
    grown, tracker = np.array([8], np.float32), np.array([1], np.int32)
    for scaled, expected in (((8 * gradient, 8 * square), lambda *xs: (clipped([x / 8 for x in xs[:2]])[0], clipped([x / 8 for x in xs[:2]])[1] / 8, 16, 0)),
                             ((gradient, np.array([np.inf, 1], np.float32)), lambda *xs: (np.array([np.inf]), np.array([0]), 4, 0))):
        yield Case("grad_scaler_factor", (*scaled, grown, tracker), expected, call=scaled_norm)
    yield Case("lion_", (parameter, gradient, mean, 0.01), lion, call=changed(ops.lion_, (0, 2)))
    yield Case("lion_", (parameter, gradient, mean, 0.01, 0.8, 0.9, 0.1, parameter + 1, factor), lion, call=changed(ops.lion_, (0, 2)))
    yield Case("grad_norm_factor", (gradient, square), lambda *xs: clipped(xs)[:2], call=lambda *xs: ops.grad_norm_factor(xs, 2.0))
    yield Case("clip_grad_norm_", (gradient, square), lambda *xs: clipped(xs)[2], call=changed(lambda *xs: ops.clip_grad_norm_(xs, 2.0), (0, 1)))


def loss_cases():
    target = integers(0, 19, (6, ))
    target[2] = -100
    for reduction in ("none", "sum", "mean"):
        yield Case("cross_entropy", (*arrays((6, 19)), target, -100, reduction), cross_entropy, (0, ))
    yield Case("cross_entropy", (*arrays((6, 19)), target, -100, "mean", 0.1, 0.05, 3.0), cross_entropy, (0, ))
    x, weight = arrays((6, 10), (19, 10))
    yield Case("linear_cross_entropy", (x, weight, target), lambda x, weight, target: cross_entropy(x @ weight.T, target), (0, 1))
    yield Case("linear_cross_entropy", (x, weight, target, -100, 0.1, 0.05, 3.0, 4),
               lambda x, weight, target, ignored, *options: cross_entropy(x @ weight.T, target, ignored, "mean", *options[:3]), (0, 1))


def divergence_cases():
    x, y = arrays((4, 9), (4, 9))
    p, q = (each.astype(np.float32) for each in (softmax(x), softmax(y)))
    yield Case("kl_div", (np.log(q), p), lambda x, p: (p * (np.log(p) - x)).sum() / 4, (0, ))
    yield Case("kl_div", (np.log(q), np.log(p), "none", True), lambda x, y, *_: (np.exp(y) * (y - x)).sum(axis=1), (0, ))
    for beta in (0.0, 0.3, 1.0):
        yield Case("jsd", (np.log(q), np.log(p), beta, "sum"), jensen_shannon, (0, ))
    yield Case("tvd", (q, np.roll(q, 1, axis=1), "mean"), lambda x, y, _: abs(x - y).mean() / 2)
    pairs = arrays((6, ), (6, ), (6, ), (6, ))
    h = lambda a, b, c, d: (a - b) - (c - d)  # noqa: E731
    yield Case("dpo_loss", (*pairs, 0.5, 0.1), lambda *args: 0.9 * np.log1p(np.exp(-0.5 * h(*args[:4]))) + 0.1 * np.log1p(np.exp(0.5 * h(*args[:4]))), (0, 1))
    yield Case("dpo_loss", (*pairs, 0.5, 0.0, "ipo"), lambda *args: (h(*args[:4]) - 1)**2, (0, 1))
    logps, old, ref, advantages = *arrays((3, 5), (3, 5), (3, 5)), np.array([1, -1, 0.5], np.float32)
    yield Case("grpo_loss", (logps, advantages, old, ref, logps < 0.5, 0.2, 0.3, 0.1), grpo, (0, ))


CASES = []
for group in (norm_cases, activation_cases, product_cases, attention_cases, flex_cases, serving_cases, sampling_cases, moe_cases, quantization_cases, four_bit_cases,
              recurrence_cases, scan_cases, state_space_cases, ordering_cases, training_cases, loss_cases, divergence_cases):
    rng = np.random.default_rng(4)  # a new case changes no numbers of another group
    CASES += group()
CASES += array_cases()
CASES += shared_product_cases()
CASES += fp8_attention_cases()
