"""Options of `python -m nereid`."""
import os
import subprocess
import sys

import pytest

FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def run(tmp_path, text, *options):
    script = tmp_path / "script.py"
    script.write_text(text)
    environment = dict(os.environ, PYTHONPATH=FOLDER)
    return subprocess.run([sys.executable, "-m", "nereid", *options, str(script)], env=environment, capture_output=True, text=True)


def test_quick(tmp_path):
    done = run(tmp_path, """
import triton
calls = []
triton.testing.do_bench(lambda: calls.append(1), warmup=1000, rep=1000)
print(len(calls))
""", "--quick")
    assert done.returncode == 0 and int(done.stdout) < 10, done.stderr


def test_as_cuda(tmp_path):
    pytest.importorskip("torch")
    done = run(tmp_path, """
import torch, triton, triton.language as tl
@triton.jit
def double(x, n: tl.constexpr):
    p = x + tl.arange(0, n)
    tl.store(p, tl.load(p) * 2)
device = triton.runtime.driver.active.get_active_torch_device()
x = torch.ones(16, device=device)
assert x.is_cuda and device.type == "cpu"
double[(1,)](x, 16)
print(x.sum().item(), triton.runtime.driver.active.get_current_target().backend, torch.cuda.get_device_properties(device).multi_processor_count > 0)
""", "--as-cuda")
    assert done.stdout.split() == ["32.0", "cuda", "True"], done.stderr


def test_exact_torch(tmp_path):
    pytest.importorskip("torch")
    done = run(tmp_path, """
import torch
def gradient(dtype):
    torch.manual_seed(0)
    x, w, b = (torch.randn(2048, 64, dtype=torch.float16).to(dtype), torch.ones(64, dtype=dtype), torch.zeros(64, dtype=dtype))
    w.requires_grad_(True)
    torch.nn.functional.layer_norm(x, (64,), w, b).backward(torch.ones_like(x))
    return w.grad
exact = gradient(torch.float64)
many = torch.nn.functional.cross_entropy(torch.zeros(16384, 100, dtype=torch.float16), torch.zeros(16384, dtype=torch.long))
assert abs(many.item() - 4.605) < 0.01, many
print((gradient(torch.float16) - exact).abs().max().item() <= 1e-3 * exact.abs().max().item())
""", "--exact-torch")
    assert done.stdout.split() == ["True"], done.stderr
