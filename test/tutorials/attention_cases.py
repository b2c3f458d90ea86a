"""Tutorial 06: fused attention, forward and backward."""
import numpy as np

from cases import case, expect_close
from nereid_test import Descriptor, Typed, fp8_from_float, fp8_table

LN2 = np.log(2.0)


def heads(seed, shape, deviation=0.5):
    stored = (np.random.default_rng(seed).standard_normal(shape) * deviation).astype(np.float16)
    return stored, stored.astype(np.float64)


def reference(q, k, v, scale, is_causal):
    """Attention in float64: the result, the weights, and log2 of the sum of exponentials of each row."""
    scores = q @ k.swapaxes(-1, -2) * scale
    if is_causal:
        scores = np.where(np.tril(np.ones(scores.shape[-2:], bool)), scores, -np.inf)
    top = scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores - top)
    total = weights.sum(axis=-1, keepdims=True)
    return weights / total @ v, weights / total, ((top + np.log(total)) / LN2)[..., 0]


def flat(array, block):
    """A descriptor from the host over all rows of all heads."""
    return Descriptor(array.reshape(-1, array.shape[-1]), block)


def constants(width, block_m, block_n, is_causal, is_fp8=False):
    return {"HEAD_DIM": width, "BLOCK_M": block_m, "BLOCK_N": block_n, "FP8_OUTPUT": is_fp8, "STAGE": 3 if is_causal else 1,
            "warp_specialize": False, "IS_HOPPER": False}


@case(6, *({"is_causal": is_causal, "from_host": from_host, "width": width, "length": length}
           for is_causal, from_host, width, length in ((True, True, 64, 192), (True, False, 32, 160), (False, True, 32, 96), (False, False, 64, 128))))
def forward(tutorial, is_causal, from_host, width, length, batch=2, head_count=3, scale=0.5):
    shape = (batch, head_count, length, width)
    (q, exact_q), (k, exact_k), (v, exact_v) = (heads(seed, shape) for seed in (1, 2, 3))
    out = np.full(shape, np.nan, np.float16)
    logarithms = np.full(shape[:3], np.nan, np.float32)
    block_m, block_n = 32, 32
    tensors = (q, k, v, out)
    if from_host:
        tensors = [flat(tensor, [block, width]) for tensor, block in zip(tensors, (block_m, block_n, block_n, block_m))]
    tutorial.launch("_attn_fwd", (length // block_m, batch * head_count, 1), scale, logarithms, batch, head_count, *tensors,
                    N_CTX=length, **constants(width, block_m, block_n, is_causal))
    want, _, want_logarithms = reference(exact_q, exact_k, exact_v, scale, is_causal)
    expect_close(out, want, 2e-3)
    expect_close(logarithms, want_logarithms, 1e-5, 1e-5, "logarithms")


@case(6, {"is_causal": True, "from_host": True}, {"is_causal": False, "from_host": False})
def forward_in_8_bits(tutorial, is_causal, from_host, length=160, width=32, scale=0.5):
    # One head: the tutorial's own indices of a transposed `v` stay inside the tensor for the first head only.
    random = np.random.default_rng(8)
    q, k, v_transposed = (fp8_from_float(random.standard_normal(shape) * 0.5, "fp8e5")
                          for shape in ((length, width), (length, width), (width, length)))
    out = np.zeros((length, width), np.uint8)
    logarithms = np.full((1, 1, length), np.nan, np.float32)
    blocks = ([32, width], [32, width], [width, 32], [32, width])
    tensors = [Typed(tensor, "fp8e5") for tensor in (q, k, v_transposed, out)]
    if from_host:
        tensors = [Descriptor(tensor, block) for tensor, block in zip(tensors, blocks)]
    tutorial.launch("_attn_fwd", (length // 32, 1, 1), scale, logarithms, 1, 1, *tensors, N_CTX=length,
                    **constants(width, 32, 32, is_causal, is_fp8=True))
    values = fp8_table("fp8e5")
    exact_v = values[v_transposed].T
    want, weights, _ = reference(values[q], values[k], exact_v, scale, is_causal)
    # Weights are rounded to two fraction bits before the second product, and so is the result.
    slack = 2.0**-3 * (weights @ np.abs(exact_v))
    excess = np.abs(values[out] - want) - slack - 2.0**-3 * np.abs(want)
    expect_close(np.maximum(excess, 0), np.zeros_like(want), 1e-3)


@case(6)
def backward(tutorial, batch=2, head_count=2, length=192, width=32, scale=0.5):
    shape = (batch, head_count, length, width)
    (q, exact_q), (k, exact_k), (v, exact_v), (do, exact_do) = (heads(seed, shape) for seed in (1, 2, 3, 4))
    want_out, weights, logarithms = reference(exact_q, exact_k, exact_v, scale, True)
    out, logarithms = want_out.astype(np.float16), logarithms.astype(np.float32)
    delta = np.full(shape[:3], np.nan, np.float32)
    tutorial.launch("_attn_bwd_preprocess", (length // 64, batch * head_count), out, do, delta, batch, head_count, length, BLOCK_M=64, HEAD_DIM=width)
    expect_close(delta, (out.astype(np.float64) * exact_do).sum(axis=-1), 1e-5, 1e-5, "delta")
    dq, dk, dv = np.full((3, *shape), np.nan, np.float16)
    scaled_k = (k.astype(np.float32) * np.float32(scale / LN2)).astype(np.float16)
    strides = [stride // 2 for stride in q.strides]
    tutorial.launch("_attn_bwd", (length // 64, 1, batch * head_count), q, scaled_k, v, scale, do, dq, dk, dv, logarithms, delta, *strides,
                    head_count, length, BLOCK_M1=32, BLOCK_N1=64, BLOCK_M2=64, BLOCK_N2=32, BLK_SLICE_FACTOR=2, HEAD_DIM=width, num_warps=4, num_stages=5)
    d_weights = exact_do @ exact_v.swapaxes(-1, -2)
    d_scores = weights * (d_weights - (want_out * exact_do).sum(axis=-1, keepdims=True))
    expect_close(dv, weights.swapaxes(-1, -2) @ exact_do, 1e-2, what="dv")
    expect_close(dk, d_scores.swapaxes(-1, -2) @ exact_q * scale, 1e-2, what="dk")
    expect_close(dq, d_scores @ exact_k * scale, 1e-2, what="dq")
