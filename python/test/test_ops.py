"""The functions of nereid.ops: on numpy arrays against float64, on torch tensors (where torch is installed) the same numbers, torch's own
checks of operators, and gradients against differences."""
import math
import os
import subprocess
import sys

import numpy as np
import pytest
from nereid import ops
from ops_cases import CASES, arrays

TOLERANCE = 2e-5


def leaves(results):
    return results if isinstance(results, tuple) else (results, )


@pytest.mark.parametrize("case", CASES, ids=str)
def test_numpy(case):
    actual, expected = leaves(case.call(*case.args)), leaves(case.reference(*map(case.wide, case.args)))
    for a, e in zip(actual, expected, strict=True):
        assert isinstance(a, (np.ndarray, np.generic))
        np.testing.assert_allclose(a, e, rtol=case.tolerance, atol=case.tolerance)


def test_every_function_has_a_case():
    assert {case.name for case in CASES} == set(ops.__all__)


def test_functions_show_themselves():
    with open(os.path.join(os.path.dirname(__file__), "..", "..", "docs", "kernels.md"), encoding="utf-8") as file:
        table = file.read().partition("## From Python")[2]
    for name in ops.__all__:
        assert getattr(ops, name).__doc__ and f"`{name}`" in table, name


def test_wrong_use():
    x, w = arrays((3, 5), (4, ))
    with pytest.raises(ValueError, match=r"`weight` has shape \(4,\), but \(5,\) is expected"):
        ops.layer_norm(x, w)
    with pytest.raises(ValueError, match="`x` has type float64, but float32, float16 or bfloat16 is expected"):
        ops.softmax(x.astype(np.float64))


def test_empty():
    for rows, columns in ((0, 7), (3, 0)):
        x, w = arrays((rows, columns), (columns, ))
        assert ops.layer_norm(x, w).shape == (rows, columns) and ops.softmax(x).shape == (rows, columns)
        assert ops.matmul(x, x.T).shape == (rows, rows)


def test_dropout_keeps_about_as_many_as_it_should():
    out = ops.dropout(np.ones(20000, np.float32), 0.25, 3)
    assert set(np.unique(out)) == {np.float32(0), np.float32(1 / 0.75)} and abs((out != 0).mean() - 0.75) < 0.02


def test_samples_have_their_shares():
    """Of two tokens that are kept one is twice as likely; another seed draws another time."""
    logits = np.tile(np.log(np.array([[0.5, 0.25, 0.25 - 1e-6, 1e-6]], np.float32)), (3000, 1))
    tokens = ops.sample(logits, np.arange(3000), None, np.full(3000, 2, np.int32))
    assert set(np.unique(tokens)) == {0, 1} and abs((tokens == 0).mean() - 2 / 3) < 0.04


def test_torch_is_not_imported():
    code = "import sys, numpy as np; from nereid import ops; ops.softmax(np.ones((2, 3), np.float32)); sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": ":".join(sys.path)}, timeout=120).returncode == 0


def tensors(case, torch, requires_grad=False):
    def convert(value, index):
        if not isinstance(value, np.ndarray):
            return value
        return torch.from_numpy(value.copy()).requires_grad_(requires_grad and index in case.differentiable)

    return [convert(value, index) for index, value in enumerate(case.args)]


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch")


@pytest.mark.parametrize("case", CASES, ids=str)
def test_torch(case, torch):
    with torch.no_grad():
        actual = leaves(case.call(*tensors(case, torch)))
    for a, e in zip(actual, leaves(case.call(*case.args)), strict=True):
        np.testing.assert_allclose(np.asarray(a), e, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("case", [case for case in CASES if case.operation], ids=str)
def test_operator_of_torch(case, torch):
    torch.library.opcheck(getattr(torch.ops.nereid, case.operation.name).default, tensors(case, torch, requires_grad=True))


@pytest.mark.filterwarnings("ignore:Input #")
@pytest.mark.parametrize("case", [case for case in CASES if case.differentiable], ids=str)
def test_gradient(case, torch):
    """Kernels compute in fp32: differences are taken over a wide step."""
    torch.manual_seed(0)
    torch.autograd.gradcheck(case.call, tensors(case, torch, requires_grad=True), eps=1e-2, atol=2e-2, rtol=2e-2, nondet_tol=1e-6)


def test_no_gradient_is_an_error(torch):
    x = torch.randn(3, 5, requires_grad=True)
    with pytest.raises(RuntimeError, match="`nereid.ops.silu` has no gradient"):
        ops.silu(x).sum().backward()


def test_compiled(torch):
    x, w = torch.randn(4, 32), torch.randn(32)
    function = lambda x, w: ops.layer_norm(x * 2, w) + 1  # noqa: E731
    assert torch.equal(torch.compile(function, fullgraph=True, backend="aot_eager")(x, w), function(x, w))
    q, window = torch.randn(1, 9, 2, 16), lambda q: ops.flash_attn_func(q, q, q, causal=True, window_size=(3, 0))
    assert torch.equal(torch.compile(window, fullgraph=True, backend="aot_eager")(q), window(q))


def test_layouts_of_attention(torch):
    """Results and gradients have the layout of what they belong to; expanded gradients are taken as they come."""
    q, k = torch.randn(1, 9, 2, 16, requires_grad=True), torch.randn(1, 9, 2, 16, requires_grad=True)
    out = ops.flash_attn_func(q, k, k, causal=True)
    assert out.is_contiguous()
    out.sum().backward()
    wide = torch.nn.functional.scaled_dot_product_attention(*(x.detach().double().transpose(1, 2).requires_grad_() for x in (q, k, k)), is_causal=True)
    torch.testing.assert_close(out.detach().double(), wide.detach().transpose(1, 2), rtol=TOLERANCE, atol=TOLERANCE)
    assert q.grad.stride() == q.stride()


def test_narrow_types(torch):
    x, w = torch.randn(4, 100).bfloat16(), torch.randn(100).bfloat16()
    expected = torch.nn.functional.layer_norm(x.double(), (100, ), w.double())
    torch.testing.assert_close(ops.layer_norm(x, w).double(), expected, rtol=1e-2, atol=1e-2)
    assert math.isclose(ops.softmax(x).float().sum().item(), 4, abs_tol=0.1)


def test_types_of_results(torch):
    logits, target = torch.randn(3, 5).half(), torch.tensor([1, 4, 0])
    assert ops.cross_entropy(logits, target, reduction="none").dtype == torch.float32


def test_fp8(torch):
    """The values are those of torch's own cast."""
    x = torch.randn(5, 70)
    q, scale = ops.quantize_per_row(x, "float8_e4m3fn")
    assert q.dtype == torch.float8_e4m3fn
    torch.testing.assert_close(scale, x.abs().amax(1) / 448)
    assert torch.equal(q.float(), (x / scale[:, None]).to(torch.float8_e4m3fn).float())
    torch.testing.assert_close(ops.dequantize(q, scale[:, None], 1, 70), q.float() * scale[:, None])
    k, v = torch.randn(3, 2, 16), torch.randn(3, 2, 16)
    caches = [torch.zeros(2, 4, 2, 16, dtype=torch.float8_e4m3fn) for _ in range(2)]
    ops.reshape_and_cache_flash(k, v, *caches, torch.tensor([5, -1, 0]), 0.5, 2.0)
    assert torch.equal(caches[0][1, 1].float(), (k[0] / 0.5).to(torch.float8_e4m3fn).float()) and not caches[1][0, 1:].float().any()
    a, b, a_scale, b_scale = torch.randn(5, 150).to(torch.float8_e4m3fn), torch.randn(40, 150).to(torch.float8_e4m3fn), torch.rand(5, 2), torch.rand(1, 2)
    wide = [(x.double() * scale.double().repeat_interleave(128, 1)[:, :150]) for x, scale in ((a, a_scale), (b, b_scale))]
    product = ops.w8a8_block_fp8_matmul(a, b, a_scale, b_scale, output_dtype=torch.bfloat16)
    assert product.dtype == torch.bfloat16
    torch.testing.assert_close(product.double(), wide[0] @ wide[1].T, rtol=1e-2, atol=1e-1)
