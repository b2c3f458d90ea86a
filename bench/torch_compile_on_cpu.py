"""torch_compile_on_cpu.py: torch.compile of CPU tensors through our `import triton` (`cpu_backend = "triton"`): functions and small models, their
results, and the gradients of some, compared with eager. Needs torch; no GPU.

    PYTHONPATH=python python3 bench/torch_compile_on_cpu.py [--only TEXT]"""
import argparse
import sys
import time

import torch
import torch.nn.functional as F
import triton
from torch import nn

R = torch.randn


def indices(most, *shape):
    return torch.randint(0, most, shape)


class Perceptron(nn.Module):

    def __init__(self):
        super().__init__()
        self.first, self.norm, self.second = nn.Linear(37, 64), nn.LayerNorm(64), nn.Linear(64, 11)

    def forward(self, x):
        return self.second(F.gelu(self.norm(self.first(x))))


class Convolutions(nn.Module):

    def __init__(self):
        super().__init__()
        self.first, self.norm, self.second = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.Conv2d(8, 4, 1)

    def forward(self, x):
        return self.second(F.avg_pool2d(F.silu(self.norm(self.first(x))), 2))


class Attention(nn.Module):

    def __init__(self):
        super().__init__()
        self.project, self.out = nn.Linear(32, 96), nn.Linear(32, 32)

    def forward(self, x):
        q, k, v = (part.view(*part.shape[:2], 4, 8).transpose(1, 2) for part in self.project(x).chunk(3, -1))
        causal = torch.full((x.shape[1], x.shape[1]), float("-inf")).triu(1)
        weights = torch.softmax(q @ k.transpose(-1, -2) / 8**0.5 + causal, -1)
        return self.out((weights @ v).transpose(1, 2).reshape(x.shape))


class Recurrent(nn.Module):

    def __init__(self):
        super().__init__()
        self.w, self.u = nn.Linear(16, 48), nn.Linear(16, 48)

    def forward(self, x):
        h = torch.zeros(x.shape[0], 16)
        for t in range(x.shape[1]):
            (r, z, n), (s, y, m) = self.w(x[:, t]).chunk(3, -1), self.u(h).chunk(3, -1)
            z = (z + y).sigmoid()
            h = (1 - z) * torch.tanh(n + (r + s).sigmoid() * m) + z * h
        return h


def special(x):
    return (torch.special.i0(x) + torch.special.erfcx(x) + torch.atan2(x, x + 1) + torch.hypot(x, x) + x.abs().pow(1.3) + torch.fmod(x, 0.3) +
            torch.remainder(x, 0.3) + torch.copysign(x, -x) + torch.nextafter(x, x + 1))  # yapf: disable


def losses(x, t):
    logs = F.log_softmax(x, 1)
    return (F.cross_entropy(x, t), F.mse_loss(x, x * 0.5), F.smooth_l1_loss(x, x + 1.5), F.kl_div(logs, F.softmax(x * 2, 1), reduction="batchmean"),
            F.nll_loss(logs, t, ignore_index=3))  # yapf: disable


# Name, function, arguments, whether the gradients are compared too.
def cases():
    odd = torch.tensor([float("nan"), float("inf"), -float("inf"), 1.0, -0.0])
    yield "pointwise", lambda x, y: (x.sin() * y.cos().exp() + x.clamp(-1, 1) / (y.abs() + 1)).tanh(), (R(100, 33), R(100, 33)), True
    yield "broadcast", lambda x, y: x[:, None, :] * y[None] + x.sum(), (R(7, 9), R(5, 9)), False
    yield "softmax", lambda x: F.softmax(x, -1) * F.log_softmax(x, 0), (R(65, 129), ), True
    yield "layer norm", lambda x: F.layer_norm(x, (77, )), (R(33, 77), ), True
    yield "variance", lambda x: torch.var_mean(x, dim=1), (R(5, 4099), ), False
    yield "argmax with ties", lambda x: (x.argmax(1), x.argmin(0), x.max(1)), (indices(5, 40, 70).float(), ), False
    yield "scans", lambda x: (x.cumsum(1), x.logcumsumexp(0), x.cummax(1)), (R(30, 70), ), False
    yield "sort, top", lambda x: (x.sort(1)[0], x.topk(5, 1)[0]), (R(16, 100), ), False
    yield "gather, scatter", lambda x, i: (x.gather(1, i), torch.zeros(20, 30).scatter_add(1, i, x)), (R(20, 30), indices(30, 20, 30)), True
    yield "index put", lambda x, i, v: x.index_put((i, ), v, accumulate=True), (R(20, 4), indices(20, 50), R(50, 4)), False
    yield "embedding", lambda w, i: F.embedding(i, w).sum(1), (R(100, 16), indices(100, 8, 9)), False
    yield "where", lambda x: torch.where(x > 0, x.log1p().nan_to_num(), x.expm1()), (R(999), ), False
    yield "integers", lambda x: ((x // 3) * (x % 7) ^ (x << 2)) | (x >> 1), (torch.randint(-99, 99, (513, )), ), False
    yield "bytes", lambda x: (x.to(torch.int8) + x.to(torch.uint8).to(torch.int8)).float(), (torch.randint(-120, 120, (513, )), ), False
    yield "any, all", lambda x: ((x > 0).any(1), (x > -3).all(0), (x > 0).sum(), (x > 1) ^ (x < 2)), (R(30, 40), ), False
    yield "halves", lambda x: (x.half() * 2 + 1).float().exp().to(torch.bfloat16), (R(300), ), False
    yield "bf16 norm", lambda x: x / x.float().norm(dim=-1, keepdim=True).to(x.dtype), (R(50, 60).bfloat16(), ), False
    yield "float64", lambda x: torch.erf(x) + torch.lgamma(x.abs() + 1) + torch.digamma(x.abs() + 1), (R(200).double(), ), False
    yield "special functions", special, (R(300), ), False
    yield "rounding", lambda x: (x.round(), x.floor(), x.ceil(), x.trunc(), x.frac(), x.round(decimals=1)), (R(300) * 5, ), False
    yield "cat, pad", lambda x, y: F.pad(torch.cat([x, y.t()], 1), (1, 2, 3, 0), value=2.5).flip(0).roll(2, 1), (R(9, 5), R(6, 9)), False
    yield "strides", lambda x: x[::2, 1::3].t().contiguous() + x.diagonal()[:4].sum() + x.unfold(1, 4, 2).sum(-1).mean(), (R(20, 21), ), False
    yield "interpolate", lambda x: F.interpolate(x, scale_factor=2, mode="bilinear") + F.interpolate(x, size=(16, 16)).mean(), (R(1, 2, 8, 8), ), True
    yield "pools", lambda x: (F.max_pool2d(x, 3, 2, 1), F.adaptive_avg_pool2d(x, (3, 5)), F.avg_pool2d(x, 2)), (R(2, 3, 17, 19), ), True
    yield "losses", losses, (R(30, 17), indices(17, 30)), True
    yield "einsum", lambda a, b: torch.einsum("bij,bkj->bik", a, b).softmax(-1).logsumexp(1), (R(3, 5, 7), R(3, 6, 7)), False
    yield "masked fill", lambda x, m: x.masked_fill(m, -1e9).softmax(-1), (R(6, 8), R(6, 8) > 0), False
    yield "buckets", lambda x, b: (torch.bucketize(x, b), torch.searchsorted(b, x)), (R(100), torch.linspace(-2, 2, 9)), False
    yield "histogram", lambda x: torch.zeros(10).index_add(0, x, torch.ones(200)), (indices(10, 200), ), False
    yield "reductions", lambda x: ((x * 0.1 + 1).prod(1), x.amin((0, 2)), x.aminmax(dim=1), x.median()), (R(6, 7, 8), ), False
    yield "triangles", lambda x, y: torch.where(x > y, x, torch.where(x < -y, -x, y * 0)).triu().tril(3), (R(20, 20), R(20, 20)), False
    yield "product and bias", lambda a, b, c: F.relu(a @ b + c).sum(-1), (R(33, 40), R(40, 50), R(50)), True
    yield "batches of products", lambda a, b: torch.bmm(a, b).tanh(), (R(4, 10, 11), R(4, 11, 12)), False
    yield "no axes", lambda x, y: x * y + 3, (torch.tensor(2.5), torch.tensor(4)), False
    yield "no elements", lambda x: x.exp().sum(1), (R(0, 5), ), False
    yield "infinities", lambda x: (x.nan_to_num(), torch.isnan(x), x.maximum(-x), x.fmax(-x), x.sum()), (odd, ), False
    yield "perceptron", Perceptron().eval(), (R(19, 37), ), True
    yield "convolutions", Convolutions().eval(), (R(2, 3, 16, 16), ), True
    yield "attention", Attention().eval(), (R(2, 13, 32), ), True
    yield "recurrent", Recurrent().eval(), (R(3, 6, 16), ), True


def leaves(value):
    if isinstance(value, torch.Tensor):
        return [value]
    return [leaf for item in value for leaf in leaves(item)] if isinstance(value, (tuple, list)) else []


def step(function, parameters, arguments, grad):
    """Outputs, with the gradients of a weighted sum of them where they are asked for."""
    arguments = [value.clone().requires_grad_() if grad and value.is_floating_point() else value for value in arguments]
    outputs = leaves(function(*arguments))
    if not grad:
        return outputs
    loss = sum((output * torch.linspace(-1, 1, output.numel()).view_as(output)).sum() for output in outputs if output.is_floating_point())
    found = torch.autograd.grad(loss, [value for value in (*arguments, *parameters) if value.requires_grad], allow_unused=True)
    return [output.detach() for output in outputs] + [gradient for gradient in found if gradient is not None]


def difference(want, have):
    """Why two tensors are not the same, or None."""
    if want.shape != have.shape or want.dtype != have.dtype:
        return f"{tuple(want.shape)} {want.dtype}, not {tuple(have.shape)} {have.dtype}"
    if not want.is_floating_point():
        return None if torch.equal(want, have) else f"{(want != have).sum().item()} elements differ"
    tolerance = 2e-2 if want.dtype in (torch.half, torch.bfloat16) else 2e-4
    close = torch.allclose(want, have, rtol=tolerance, atol=tolerance / 10, equal_nan=True)
    return None if close else f"off by {(want - have).abs().nan_to_num().max().item():.3g}"


def compare(name, function, arguments, grad):
    torch._dynamo.reset()
    begin, parameters = time.perf_counter(), list(function.parameters()) if isinstance(function, nn.Module) else []
    want = step(function, parameters, arguments, grad)
    try:
        have = step(torch.compile(function, fullgraph=True), parameters, arguments, grad)
        problems = [text for text in map(difference, want, have) if text] + (["other outputs"] if len(want) != len(have) else [])
    except Exception as problem:  # noqa: BLE001 a row of the table
        problems = [f"{type(problem).__name__}: {str(problem).strip().splitlines()[0][:200]}"]
    print(f"{name + (', gradients' if grad else ''):<32} {'; '.join(problems) or 'right'} ({time.perf_counter() - begin:.1f} s)", flush=True)
    return not problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="a part of the names")
    options = parser.parse_args()
    if not hasattr(triton, "__nereid__"):
        sys.exit(f"`import triton` means {triton.__file__}: put python/ into PYTHONPATH")
    torch._inductor.config.cpu_backend = "triton"
    torch.manual_seed(0)
    results = [compare(name, function, arguments, with_grad) for name, function, arguments, grad in cases() if options.only in name
               for with_grad in ((False, True) if grad else (False, ))]  # yapf: disable
    print(f"{sum(results)} of {len(results)} are right")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
