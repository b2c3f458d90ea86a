"""Convolutions by blocks, which GPUs with TMA run, on the CPU: the plan of such a GPU is given, and results are compared with torch's."""
import pytest

torch = pytest.importorskip("torch")
from nereid.ops import conv2d, convolution  # noqa: E402


@pytest.fixture
def by_blocks(monkeypatch):
    """The calls that went by blocks."""
    calls = []
    launch = convolution.launch
    monkeypatch.setattr(convolution, "_plan", lambda x, columns, places: {"BLOCK_M": 16, "BLOCK_N": 64, "BLOCK_K": 16, "num_warps": 4})
    monkeypatch.setattr(convolution, "multiprocessors", lambda x: 7)
    monkeypatch.setattr(convolution, "launch", lambda folder, name, *rest, **options: (calls.append(name), launch(folder, name, *rest, **options)))
    return calls


@pytest.mark.parametrize("last", (True, False))
@pytest.mark.parametrize("padding, dilation, kernel", ((1, 1, 3), (0, 1, 1), ((2, 1), (2, 1), (2, 3))))
def test_results_and_gradients(by_blocks, last, padding, dilation, kernel):
    torch.manual_seed(1)
    form = torch.channels_last if last else torch.contiguous_format
    kernel = kernel if isinstance(kernel, tuple) else (kernel, kernel)
    x = torch.randn(3, 32, 9, 7).bfloat16().contiguous(memory_format=form).requires_grad_()
    weight, bias = torch.randn(16, 32, *kernel).bfloat16().requires_grad_(), torch.randn(16).bfloat16().requires_grad_()
    out = conv2d(x, weight, bias, 1, padding, dilation)
    wanted = torch.nn.functional.conv2d(*(each.detach().float().requires_grad_() for each in (x, weight, bias)), 1, padding, dilation)
    assert out.is_contiguous(memory_format=form)
    torch.testing.assert_close(out.float(), wanted, rtol=2e-2, atol=0.2)
    grad = torch.randn(out.shape).bfloat16().contiguous(memory_format=form)
    found = torch.autograd.grad(out, (x, weight, bias), grad)
    exact = [each.detach().float().requires_grad_() for each in (x, weight, bias)]
    expected = torch.autograd.grad(torch.nn.functional.conv2d(*exact, 1, padding, dilation), exact, grad.float())
    for mine, right in zip(found, expected):
        torch.testing.assert_close(mine.float(), right, rtol=2e-2, atol=0.5)
    assert by_blocks.count("conv2d_of_blocks") == 2 and by_blocks.count("conv2d_weight_gradient_of_blocks") == 1 and by_blocks.count("transpose") == (0 if last else 6)


def test_other_channels_go_by_pointers(by_blocks):
    x, weight = torch.randn(1, 5, 6, 6).bfloat16(), torch.randn(16, 5, 3, 3).bfloat16()
    torch.testing.assert_close(conv2d(x, weight).float(), torch.nn.functional.conv2d(x.float(), weight.float()), rtol=2e-2, atol=0.2)
    assert by_blocks == ["conv2d"]
