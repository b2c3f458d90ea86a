"""library_cases.py: the library kernels in their configurations for the H200 (kernels/h200.json), each as a call that can be timed, with what
torch, cuBLAS and cuDNN offer for the same. Used by library_against_peers.py."""
import functools
import importlib.util
import json
import os
import re

import torch
import torch.nn.functional as F
from nereid.ops.attention import attention_backward
from torch.nn.attention import SDPBackend, sdpa_kernel

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Case:
    """`ours` and each of `peers` compute the same; `results` are the tensors that `ours` writes, `reference` gives what they should be.
    Peers that draw random numbers or differentiate are not recorded as graphs."""

    def __init__(self, name, ours, peers, results, reference, tolerance, bytes=0, flops=0, kind="memory", are_peers_recorded=True):
        self.name, self.ours, self.peers, self.results, self.are_peers_recorded = name, ours, peers, results, are_peers_recorded
        self.reference, self.tolerance, self.bytes, self.flops, self.kind = reference, tolerance, bytes, flops, kind


@functools.cache
def tuned():
    with open(os.path.join(ROOT, "kernels", "h200.json"), encoding="utf-8") as file:
        return {entry["name"]: entry for entry in json.load(file)}


@functools.cache
def module(folder):
    path = os.path.join(ROOT, "kernels", folder, folder + ".py")
    spec = importlib.util.spec_from_file_location(folder, path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def constants_of(entry):
    """What a signature fixes: `BLOCK=1024` does, `n=i32:16` does not. A function of the kernel's file may be named."""
    result = {}
    for name, value in re.findall(r"(\w+)=([^,]+)", entry["signature"]):
        if name.isupper() and not re.match(r"\*?(fp|bf|i|u)\d", value):
            file = module(entry["folder"])
            result[name] = getattr(file, value) if hasattr(file, value) else eval(value, {})
    return result


def kernel(name):
    """A launcher of a tuned kernel: call it with the grid, which may depend on the constants, and the arguments."""
    entry = tuned()[name]
    function, constants = getattr(module(entry["folder"]), entry["kernel"]), constants_of(entry)

    def launch(grid, *arguments):
        grid = grid(constants | entry) if callable(grid) else grid
        function[grid](*arguments, **constants, num_warps=entry["num_warps"], num_stages=entry["num_stages"])

    return launch


def random(*shape, dtype=torch.float32):
    return torch.randn(shape, device="cuda").to(dtype)


def cdiv(a, b):
    return -(-a // b)


def elementwise_cases():
    x, y = random(1 << 28), random(1 << 28)
    out, add = torch.empty_like(x), kernel("add f32")
    yield Case("add f32 2^28", lambda: add(lambda c: (cdiv(1 << 28, c["BLOCK"]), ), x, y, out, 1 << 28), {"torch": lambda: torch.add(x, y, out=out)},
               [out], lambda: [x + y], 0, bytes=12 << 28)
    n, h = 1 << 27, random(1 << 27, dtype=torch.float16)
    out16, gelu = torch.empty_like(h), kernel("gelu f16")
    yield Case("gelu f16 2^27", lambda: gelu(lambda c: (cdiv(n, c["BLOCK"]), ), h, out16, n), {"torch": lambda: F.gelu(h)}, [out16],
               lambda: [F.gelu(h.float())], 1e-3, bytes=4 * n)
    m = 1 << 26
    w, dropped, dropout = x[:m], out[:m], kernel("dropout f32")

    def kept():  # torch draws other numbers: what is kept must be x / (1 - p), and about half of it
        keep = dropped != 0
        assert abs(keep.float().mean().item() - 0.5) < 1e-3, "not half of the elements are kept"
        return [torch.where(keep, 2 * w, torch.zeros_like(w))]

    yield Case("dropout f32 2^26", lambda: dropout(lambda c: (cdiv(m, c["BLOCK"]), ), w, dropped, m, 0.5, 123),
               {"torch": lambda: F.dropout(w, 0.5)}, [dropped], kept, 1e-6, bytes=8 * m,
               are_peers_recorded=False)


def row_cases():
    rows = 4096
    for columns in (1024, 4096, 12288):
        x, softmax = random(rows, columns), kernel(f"softmax f32 {columns}")
        out = torch.empty_like(x)
        yield Case(f"softmax f32 {rows}x{columns}", functools.partial(softmax, (rows, ), x, out, columns, columns, columns),
                   {"torch": lambda x=x: torch.softmax(x, 1)}, [out], lambda x=x: [torch.softmax(x.double(), 1)], 1e-5, bytes=8 * x.numel())
    for columns in (1024, 4096, 16384):
        yield layer_norm_case(rows, columns)
    yield layer_norm_backward_case(rows, 4096)
    x, weight = random(rows, 4096, dtype=torch.float16), random(4096, dtype=torch.float16)
    out, rstd, rms_norm = torch.empty_like(x), torch.empty(rows, device="cuda"), kernel("rms norm f16 4096")
    yield Case(f"rms norm f16 {rows}x4096", lambda: rms_norm((rows, ), x, weight, out, rstd, 4096, 4096, 4096, 1e-5),
               {"torch": lambda: F.rms_norm(x, (4096, ), weight, 1e-5)}, [out], lambda: [F.rms_norm(x.double(), (4096, ), weight.double(), 1e-5)], 2e-3,
               bytes=4 * x.numel())
    classes = 32000
    logits, target = random(rows, classes), torch.randint(0, classes, (rows, ), device="cuda")
    loss, lse, entropy = torch.empty(rows, device="cuda"), torch.empty(rows, device="cuda"), kernel("cross entropy f32")
    yield Case(f"cross entropy f32 {rows}x{classes}", lambda: entropy((rows, ), logits, target, loss, lse, classes, classes, -100),
               {"torch": lambda: F.cross_entropy(logits, target, reduction="none")}, [loss],
               lambda: [F.cross_entropy(logits.double(), target, reduction="none")], 1e-5, bytes=4 * logits.numel())


def layer_norm_case(rows, columns):
    x = -2.3 + 0.5 * random(rows, columns, dtype=torch.float16)
    weight, bias = (torch.rand(columns, dtype=torch.float16, device="cuda") for _ in range(2))
    out, norm = torch.empty_like(x), kernel(f"layer norm f16 {columns}")
    mean, rstd = (torch.empty(rows, device="cuda") for _ in range(2))
    return Case(f"layer norm f16 {rows}x{columns}", lambda: norm((rows, ), x, weight, bias, out, mean, rstd, columns, columns, columns, 1e-5),
                {"torch": lambda: F.layer_norm(x, (columns, ), weight, bias, 1e-5)}, [out],
                lambda: [F.layer_norm(x.double(), (columns, ), weight.double(), bias.double(), 1e-5)], 2e-3, bytes=4 * x.numel())


def layer_norm_backward_case(rows, columns):
    x = (-2.3 + 0.5 * random(rows, columns, dtype=torch.float16)).requires_grad_(True)
    weight, bias = (torch.rand(columns, dtype=torch.float16, device="cuda", requires_grad=True) for _ in range(2))
    gradient, grad_x = 0.1 * random(rows, columns, dtype=torch.float16), torch.empty(rows, columns, dtype=torch.float16, device="cuda")
    _, mean, rstd = torch.native_layer_norm(x, (columns, ), weight, bias, 1e-5)
    mean, rstd = mean.float().flatten(), rstd.float().flatten()
    backward, add_up = kernel(f"layer norm backward f16 {columns}"), kernel("sum of columns f32")
    programs = tuned()[f"layer norm backward f16 {columns}"]["programs"]
    partial_weight, partial_bias = (torch.empty(programs, columns, device="cuda") for _ in range(2))
    grad_weight, grad_bias = (torch.empty(columns, device="cuda") for _ in range(2))

    def ours():
        backward((programs, ), gradient, x, weight, mean, rstd, grad_x, partial_weight, partial_bias, columns, columns, columns, rows, columns)
        for partial, sums in ((partial_weight, grad_weight), (partial_bias, grad_bias)):
            add_up(lambda c: (cdiv(columns, c["BLOCK_COLUMNS"]), ), partial, sums, columns, programs, columns)

    def theirs():
        return torch.ops.aten.native_layer_norm_backward(gradient, x, (columns, ), mean[:, None], rstd[:, None], weight, bias, [True] * 3)

    def reference():
        wide = [tensor.detach().double().requires_grad_(True) for tensor in (x, weight, bias)]
        F.layer_norm(wide[0], (columns, ), wide[1], wide[2], 1e-5).backward(gradient.double())
        return [tensor.grad for tensor in wide]

    return Case(f"layer norm backward f16 {rows}x{columns}", ours, {"torch": theirs}, [grad_x, grad_weight, grad_bias], reference, 5e-3,
                bytes=6 * x.numel())


def config_of(name, size):
    return f"{name} {size}" if f"{name} {size}" in tuned() else name


def product_cases():
    for dtype, name in ((torch.float16, "f16"), (torch.bfloat16, "bf16")):
        for size in (1024, 4096, 8192):
            a, b = random(size, size, dtype=dtype), random(size, size, dtype=dtype)
            out = torch.empty_like(a)
            yield product_case(f"matmul {name} {size}", kernel(config_of(f"matmul {name}", size)), a, b, out, {"cuBLAS": lambda a=a, b=b, out=out: torch.mm(a, b, out=out)},
                               None, lambda a=a, b=b: [a.float() @ b.float()], "f16")
            if name == "f16" and size > 1024:
                yield persistent_case(size, a, b)  # b lies the other way round
    for size in (1024, 4096, 8192):
        a, b = (random(size, size).to(torch.float8_e4m3fn) for _ in range(2))
        out, one = torch.empty(size, size, dtype=torch.float16, device="cuda"), torch.ones((), device="cuda")
        peers = {"cuBLAS": lambda a=a, b=b, one=one: torch._scaled_mm(a, b.T, one, one, out_dtype=torch.float16, use_fast_accum=True)}
        yield product_case(f"matmul fp8 {size}", kernel(config_of("matmul fp8", size)), a, b.T, out, peers, None, lambda a=a, b=b: [a.float() @ b.float().T], "fp8")
        a, b = (torch.randint(-128, 128, (size, size), device="cuda", dtype=torch.int8) for _ in range(2))
        out = torch.empty(size, size, dtype=torch.int32, device="cuda")
        yield product_case(f"matmul int8 {size}", kernel(config_of("matmul int8", size)), a, b.T, out, {"cuBLAS": lambda a=a, b=b: torch._int_mm(a, b.T)}, (None, None),
                           lambda a=a, b=b: [(a.double() @ b.double().T)], "fp8")


def product_case(name, launch, a, b, out, peers, scales, reference, kind):
    (m, k), n = a.shape, b.shape[1]
    between = scales if scales else (None, )
    tiles = lambda c: cdiv(m, c["BLOCK_M"]) * cdiv(n, c["BLOCK_N"])
    grid = lambda c: (min(tiles(c), c.get("programs", tiles(c))), )
    ours = lambda: launch(grid, a, b, *between, out, m, n, k, *a.stride(), *b.stride(), *out.stride())
    return Case(name, ours, peers, [out], reference, 0 if out.dtype == torch.int32 else 1e-2, flops=2 * m * n * k, kind=kind)


def persistent_case(size, a, b):
    transposed, out, launch = b.T.contiguous(), torch.empty_like(a), kernel("persistent matmul f16")
    ours = lambda: launch(lambda c: (min(c["programs"], cdiv(size, c["BLOCK_M"]) * cdiv(size, c["BLOCK_N"])), ), a, transposed, out, size, size, size)
    return Case(f"persistent matmul f16 {size}", ours, {"cuBLAS": lambda: torch.mm(a, transposed.T, out=out)}, [out], lambda: [a.float() @ b.float()], 1e-2,
                flops=2 * size**3, kind="f16")


def attention_cases():
    for batch, length in ((4, 4096), (1, 16384)):
        for width in (64, 128):
            for causal in (False, True):
                yield from attention_case(batch, 16, length, width, causal)


def fused(backend, q, k, v, causal):
    with sdpa_kernel(backend):
        return F.scaled_dot_product_attention(q, k, v, is_causal=causal)


def attention_reference(q, k, v, gradient, causal):
    """Of one head of each batch, in fp32: all of them would not fit."""
    parts = [tensor.detach()[:, :1].float().requires_grad_(True) for tensor in (q, k, v)]
    out = F.scaled_dot_product_attention(*parts, is_causal=causal)
    out.backward(gradient[:, :1].float())
    return [out.detach(), *(part.grad for part in parts)]


def attention_case(batch, heads, length, width, causal):
    q, k, v, gradient = (random(batch, heads, length, width, dtype=torch.float16) for _ in range(4))
    out, lse = torch.empty_like(q), torch.empty(batch, heads, length, device="cuda")
    launch = kernel(config_of(f"{'causal ' if causal else ''}attention f16 d{width}", length))
    strides = [stride for _ in range(4) for stride in q.stride()[:3]]
    forward = lambda: launch(lambda c: (cdiv(length, c["BLOCK_M"]), batch * heads), q, k, v, out, lse, width**-0.5, *strides, heads, 1, length, length)
    gradients = []

    def backward():
        gradients[:] = [each[:, :1] for each in attention_backward(gradient, q, k, v, out, lse, causal)]

    flops = 4 * batch * heads * length * length * width * (0.5 if causal else 1)
    shape = f"B{batch}H{heads} S{length} d{width} {'causal' if causal else 'full'}"
    backends = {"cuDNN": SDPBackend.CUDNN_ATTENTION, "FlashAttention-2": SDPBackend.FLASH_ATTENTION}
    right = functools.cache(lambda: attention_reference(q, k, v, gradient, causal))
    yield Case(f"attention f16 {shape}", forward, {name: functools.partial(fused, backend, q, k, v, causal) for name, backend in backends.items()},
               [out[:, :1]], lambda: right()[:1], 1e-2, flops=flops, kind="f16")
    forward()
    wide = [tensor.detach().requires_grad_(True) for tensor in (q, k, v)]
    theirs = fused(SDPBackend.CUDNN_ATTENTION, *wide, causal)
    yield Case(f"attention backward f16 {shape}", backward,
               {"cuDNN": lambda: torch.autograd.grad(theirs, wide, gradient, retain_graph=True)}, gradients,
               lambda: right()[1:], 2e-2, flops=2.5 * flops, kind="f16", are_peers_recorded=False)


GROUPS = {"elementwise": elementwise_cases, "rows": row_cases, "products": product_cases, "attention": attention_cases}
