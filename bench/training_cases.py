"""training_cases.py: norms, gates, losses and optimizers of nereid.ops, with their gradients, with what torch offers for the same; peers from other libraries join by the cases' names (peer_calls.py). Used by
library_against_peers.py."""
import functools

import torch
import torch.nn.functional as F
from nereid import ops
from operation_case import device, integers, operation_case, random, sized


def gradients(function, given, grad):
    """The gradients of floats that `function` of `given` has, in float32."""
    wide = [x.detach().float().requires_grad_(True) for x in given]
    return torch.autograd.grad(function(*wide), wide, grad.float())


def entropy_cases():
    for rows, width, classes in ((8192, 4096, 32000), (4096, 4096, 128256)):
        rows, width, classes = sized(rows), sized(width), sized(classes)
        x, weight, target = random(rows, width), random(classes, width) / width**0.5, integers(0, classes, rows)

        def plain(x=x, weight=weight, target=target):
            wide = [x.detach().requires_grad_(True), weight.detach().requires_grad_(True)]
            loss = F.cross_entropy(F.linear(*wide).float(), target)
            return loss, *torch.autograd.grad(loss, wide)

        yield operation_case(f"linear cross entropy with gradients {rows}x{width}, {classes} classes bf16", lambda x=x, weight=weight, target=target: torch.ops.nereid.linear_cross_entropy(x, weight, target), {"torch": plain},
                             plain, 3e-2, flops=6 * rows * width * classes, kind="f16", are_peers_recorded=False)
    rows, classes = sized(8192), sized(128256)
    logits, target = random(rows, classes), integers(0, classes, rows)
    loss, lse = torch.ops.nereid.cross_entropy_rows(logits, target)
    ones = torch.ones(rows, device=device())

    def backward():
        wide = logits.detach().requires_grad_(True)
        return torch.autograd.grad(F.cross_entropy(wide, target, reduction="sum"), wide)[0]

    yield operation_case(f"cross entropy with its gradient {rows}x{classes} bf16",
                         lambda: torch.ops.nereid.cross_entropy_rows_backward(ones, logits, target, torch.ops.nereid.cross_entropy_rows(logits, target)[1], -100, 0.0, 0.0, 0.0), {"torch": backward},
                         lambda: torch.softmax(logits.float(), 1) - F.one_hot(target, classes), 1e-2, bytes=6 * logits.numel(), are_peers_recorded=False)


def divergence_cases():
    rows, classes = sized(4096), sized(32000)
    x, target = (torch.log_softmax(random(rows, classes, dtype=torch.float32), -1) for _ in range(2))
    p, q = x.exp(), target.exp()

    def mixed():
        middle = torch.log((p + q) / 2)
        return (q * (target - middle) + p * (x - middle)).sum() / 2 / rows

    for name, ours, theirs in (("KL divergence", lambda: ops.kl_div(x, target, log_target=True), lambda: F.kl_div(x, target, reduction="batchmean", log_target=True)), ("JSD", lambda: ops.jsd(x, target), mixed),
                               ("TVD", lambda: ops.tvd(p, q), lambda: (p - q).abs().sum() / 2 / rows)):
        yield operation_case(f"{name} of {rows}x{classes} float32", ours, {"torch": theirs}, theirs, 1e-4, bytes=8 * x.numel())
    sequences, length = sized(512), sized(4096)
    logps, old, reference = (-torch.rand(sequences, length, device=device()) for _ in range(3))
    advantages = random(sequences, dtype=torch.float32)

    def grpo():
        ratio, apart = (logps - old).exp(), reference - logps
        chosen = torch.minimum(ratio * advantages[:, None], ratio.clamp(0.8, 1.2) * advantages[:, None])
        return 0.04 * (apart.exp() - apart - 1) - chosen

    yield operation_case(f"GRPO loss of {sequences}x{length}", functools.partial(ops.grpo_loss, logps, advantages, old, reference, beta=0.04), {"torch": grpo}, grpo, 1e-4, bytes=20 * logps.numel())


def gate_cases():
    rows, width = sized(8192), sized(14336)
    gate, up, grad = random(rows, width), random(rows, width), random(rows, width)
    for name, activation, ours in (("SwiGLU", F.silu, ops.swiglu), ("GeGLU", F.gelu, ops.geglu)):
        forward = lambda gate, up, activation=activation: activation(gate) * up  # noqa: E731
        yield operation_case(f"{name} {rows}x{width} bf16", functools.partial(ours, gate, up), {"torch": functools.partial(forward, gate, up)}, lambda forward=forward: forward(gate.float(), up.float()), 1e-2, bytes=6 * gate.numel())
        own = getattr(torch.ops.nereid, name.lower() + "_backward")
        wide = [gate.detach().requires_grad_(True), up.detach().requires_grad_(True)]
        out = forward(*wide)
        yield operation_case(f"{name} backward {rows}x{width} bf16", functools.partial(own, grad, gate, up), {"torch": lambda out=out, wide=wide: torch.autograd.grad(out, wide, grad, retain_graph=True)},
                             lambda forward=forward: gradients(forward, (gate, up), grad), 1e-2, bytes=10 * gate.numel(), are_peers_recorded=False)
    batch, length, heads, dim = sized(4), sized(4096), 32, 128
    x, angle = random(batch, length, heads, dim), torch.rand(length, dim // 2, device=device())
    cos, sin = angle.cos(), angle.sin()

    def turned(x=x):
        low, high = x[..., :dim // 2], x[..., dim // 2:]
        c, s = cos[:, None].to(x.dtype), sin[:, None].to(x.dtype)
        return torch.cat([low * c - high * s, high * c + low * s], -1)

    yield operation_case(f"rotary positions {batch}x{length}x{heads}x{dim} bf16", functools.partial(ops.rope, x, cos, sin), {"torch": turned}, lambda: turned(x.float()), 1e-2, bytes=4 * x.numel())


def norm_cases():
    rows, width = sized(8192), sized(4096)
    x, residual, weight, grad = random(rows, width), random(rows, width), random(width), random(rows, width)
    norm = lambda x, weight: F.rms_norm(x, (x.shape[-1], ), weight, 1e-6)  # noqa: E731

    def added():
        total = x + residual
        return norm(total, weight), total

    yield operation_case(f"sum and RMS norm {rows}x{width} bf16", functools.partial(ops.fused_add_rms_norm, x, residual, weight), {"torch": added}, lambda: [norm(x.float() + residual.float(), weight.float()), x + residual], 1e-2,
                         bytes=8 * x.numel())
    wide = [x.detach().requires_grad_(True), weight.detach().requires_grad_(True)]
    out = norm(*wide)
    rstd = torch.rsqrt(x.float().square().mean(1) + 1e-6)
    yield operation_case(f"RMS norm backward {rows}x{width} bf16", functools.partial(torch.ops.nereid.rms_norm_backward, grad, x, weight, rstd),
                         {"torch": lambda: torch.autograd.grad(out, wide, grad, retain_graph=True)}, lambda: gradients(norm, (x, weight), grad), 1e-2, bytes=6 * x.numel(), are_peers_recorded=False)
    pictures, scale, shift = random(sized(32), sized(256, 32), sized(64, 4), sized(64, 4)), random(sized(256, 32)), random(sized(256, 32))
    shape = "x".join(map(str, pictures.shape))
    yield operation_case(f"group norm of 32 groups, {shape} bf16", functools.partial(ops.group_norm, pictures, 32, scale, shift), {"torch": functools.partial(F.group_norm, pictures, 32, scale, shift)},
                         lambda: F.group_norm(pictures.float(), 32, scale.float(), shift.float()), 2e-2, bytes=4 * pictures.numel())
    scale, shift = scale.float(), shift.float()
    yield operation_case(f"batch norm, training, {shape} bf16", functools.partial(ops.batch_norm, pictures, None, None, scale, shift, True), {"cuDNN": functools.partial(F.batch_norm, pictures, None, None, scale, shift, True)},
                         lambda: F.batch_norm(pictures.float(), None, None, scale, shift, True), 2e-2, bytes=6 * pictures.numel())
    yield operation_case(f"instance norm {shape} bf16", functools.partial(ops.instance_norm, pictures), {"torch": functools.partial(F.instance_norm, pictures)}, lambda: F.instance_norm(pictures.float()), 2e-2,
                         bytes=4 * pictures.numel())
    small, alpha = random(sized(8192), sized(4096)), torch.ones(1, device=device(), dtype=torch.bfloat16)
    yield operation_case(f"dynamic tanh {rows}x{width} bf16", functools.partial(ops.dyt, small, alpha, weight, weight), {"torch": lambda: weight * torch.tanh(alpha * small) + weight},
                         lambda: weight.float() * torch.tanh(small.float()) + weight.float(), 1e-2, bytes=4 * small.numel())
    logits = random(sized(4096), sized(32000))
    yield operation_case("log softmax 4096x32000 bf16", functools.partial(ops.log_softmax, logits), {"torch": functools.partial(torch.log_softmax, logits, -1)}, lambda: torch.log_softmax(logits.float(), -1), 1e-2, bytes=4 * logits.numel())
    probability, downstream = torch.softmax(logits.float(), -1), random(*logits.shape, dtype=torch.float32)
    yield operation_case("softmax backward 4096x32000 float32", functools.partial(torch.ops.nereid.softmax_backward, downstream, probability),
                         {"torch": functools.partial(torch.ops.aten._softmax_backward_data, downstream, probability, -1, torch.float32)},
                         lambda: probability * (downstream - (probability * downstream).sum(1, keepdim=True)), 1e-4, bytes=12 * logits.numel())


def step_cases():
    n = sized(1 << 27)
    parameter, gradient, first, second = (random(n, dtype=torch.float32) * 1e-2 for _ in range(4))
    second = second.square()
    mine, theirs = [[x.clone() for x in (parameter, first, second)] for _ in range(2)]

    def ours():
        ops.adamw_(mine[0], gradient, mine[1], mine[2], 3, 1e-3)
        return ()

    step = torch.tensor(3.0, device=device())

    def torchs():
        torch._fused_adamw_([theirs[0]], [gradient], [theirs[1]], [theirs[2]], [], [step], lr=1e-3, beta1=0.9, beta2=0.999, weight_decay=1e-2, eps=1e-8, amsgrad=False, maximize=False)

    yield operation_case("AdamW step of 2^27 float32", ours, {"torch, fused": torchs}, lambda: (), 0, bytes=28 * n)
    moving = [parameter.clone(), first.clone()]

    def lion():
        ops.lion_(*[moving[0], gradient, moving[1]], 1e-4)
        return ()

    yield operation_case("Lion step of 2^27 float32", lion, {}, lambda: (), 0, bytes=20 * n)
    parts = list(gradient.split(sized(1 << 24)))
    yield operation_case("norm of 8 gradients of 2^24 float32", lambda: ops.grad_norm_factor(parts, 1.0)[0], {"torch": lambda: torch.linalg.vector_norm(torch.stack(torch._foreach_norm(parts)))},
                         lambda: gradient.double().norm()[None], 1e-4, bytes=4 * n)


def product_cases():
    m, n, k = sized(4096), sized(16384), sized(4096)
    a, weight, bias = random(m, k), random(n, k) / k**0.5, random(n)
    yield operation_case(f"product with bias and gelu {m}x{n}x{k} bf16", functools.partial(ops.matmul, a, weight.T, bias, "gelu"), {"cuBLAS and a gelu": lambda: F.gelu(F.linear(a, weight, bias))},
                         lambda: F.gelu(a.float() @ weight.float().T + bias.float()), 2e-2, flops=2 * m * n * k, kind="f16")
    batch = random(sized(64), sized(1024), sized(1024))
    yield operation_case("batched product, 64 of 1024x1024x1024 bf16", functools.partial(ops.bmm, batch, batch), {"cuBLAS": functools.partial(torch.bmm, batch, batch)}, lambda: torch.bmm(batch.float(), batch.float()), 2e-2,
                         flops=2 * batch.numel() * batch.shape[2], kind="f16")


GROUPS = {"entropy": entropy_cases, "divergences": divergence_cases, "gates": gate_cases, "norms": norm_cases, "steps": step_cases, "products of ops": product_cases}
