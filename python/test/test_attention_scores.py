"""The backward pass of attention with the gradients of scores kept between its kernels, of some heads at a time: what the table chooses for heads of 128 on sm_90, here on arrays of the host."""
import sys

import numpy as np
import pytest

from nereid import ops

MODULE = sys.modules["nereid.ops.attention"]


@pytest.mark.parametrize("causal", (False, True))
@pytest.mark.parametrize("heads, heads_k, length_q, length_k", ((4, 4, 70, 70), (4, 2, 33, 100), (2, 1, 90, 20)))
def test_gradients_are_the_same_by_kept_scores(monkeypatch, causal, heads, heads_k, length_q, length_k):
    rng = np.random.default_rng(0)
    q, grad_out = (rng.standard_normal((2, heads, length_q, 32), dtype=np.float32) for _ in range(2))
    k, v = (rng.standard_normal((2, heads_k, length_k, 32), dtype=np.float32) for _ in range(2))
    out, lse = ops.attention.operation.run(q, k, v, causal, None)
    expected = MODULE.attention_backward(grad_out, q, k, v, out, lse, causal)
    usual = MODULE._tile
    monkeypatch.setattr(MODULE, "_tile", lambda kernel, *rest: (32, 64, False, {}) if kernel == "backward_scores" else usual(kernel, *rest))
    monkeypatch.setattr(MODULE, "_MOST_SCORES", 3 * (heads // heads_k) * length_k * 96 * 4)
    for actual, right in zip(MODULE.attention_backward(grad_out, q, k, v, out, lse, causal), expected):
        np.testing.assert_allclose(actual, right, rtol=1e-4, atol=1e-5)
