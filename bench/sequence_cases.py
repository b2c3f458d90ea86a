"""sequence_cases.py: recurrences, state spaces, linear attention and attention by rule of nereid.ops; torch has few of them: peers from other libraries join by the cases' names (peer_calls.py). Used by library_against_peers.py."""
import functools

import torch
import torch.nn.functional as F
from nereid import ops
from operation_case import device, operation_case, random, sized


def recurrence_cases():
    batch, length, channels = sized(8), sized(4096), sized(4096)
    a, b = torch.rand(batch, length, channels, device=device()), random(batch, length, channels, dtype=torch.float32)

    def steps():
        h, out = torch.zeros(batch, channels, device=device()), torch.empty_like(b)
        for t in range(length):
            h = torch.addcmul(b[:, t], a[:, t], h)
            out[:, t] = h
        return out

    yield operation_case(f"linear recurrence {batch}x{length}x{channels} float32", functools.partial(ops.linear_recurrence, a, b), {}, steps, 1e-4, bytes=12 * a.numel())
    x, weight, bias = random(batch, channels, length), random(channels, 4), random(channels)

    def convolved(x=x, weight=weight, bias=bias):
        return F.silu(F.conv1d(x, weight[:, None], bias, padding=3, groups=channels)[..., :length])

    yield operation_case(f"causal convolution of 4, {batch}x{channels}x{length} bf16", functools.partial(ops.causal_conv1d_fn, x, weight, bias), {"cuDNN and silu": convolved},
                         lambda: convolved(x.float(), weight.float(), bias.float()), 2e-2, bytes=4 * x.numel())
    grad = random(batch, channels, length)
    wide = [each.detach().requires_grad_(True) for each in (x, weight, bias)]
    out = convolved(*wide)

    def right():
        given = [each.detach().float().requires_grad_(True) for each in (x, weight, bias)]
        return torch.autograd.grad(convolved(*given), given, grad.float())

    yield operation_case(f"causal convolution of 4, backward, {batch}x{channels}x{length} bf16", functools.partial(torch.ops.nereid.causal_conv1d_backward, grad, x, weight, bias, None, "silu"),
                         {"cuDNN and silu": lambda: torch.autograd.grad(out, wide, grad, retain_graph=True)}, right, 3e-2, bytes=6 * x.numel(), are_peers_recorded=False)


def scan_inputs(batch, channels, length, states):
    u, delta, z = (random(batch, channels, length) for _ in range(3))
    A = -torch.rand(channels, states, device=device()) - 0.5
    B, C = (random(batch, states, length) for _ in range(2))
    return u, delta, A, B, C, random(channels, dtype=torch.float32), z


def selective(u, delta, A, B, C, D, z):
    """Mamba's scan, a step at a time, in float32."""
    u, delta, B, C, z = (x.float() for x in (u, delta, B, C, z))
    delta, state, outs = F.softplus(delta), torch.zeros(u.shape[0], *A.shape, device=u.device), []
    for t in range(u.shape[2]):
        state = torch.exp(delta[:, :, t, None] * A) * state + (delta[:, :, t] * u[:, :, t])[..., None] * B[:, None, :, t]
        outs.append((state * C[:, None, :, t]).sum(-1))
    return (torch.stack(outs, 2) + u * D[:, None]) * F.silu(z)


def state_cases():
    batch, channels, length, states = sized(8), sized(4096), sized(2048), 16
    given = scan_inputs(batch, channels, length, states)
    yield operation_case(f"selective scan {batch}x{channels}x{length}, {states} states bf16", functools.partial(ops.selective_scan_fn, *given, delta_softplus=True), {}, lambda: selective(*given), 3e-2,
                         bytes=8 * batch * channels * length)
    batch, states = sized(128), 128
    heads, dim = sized(64), 64
    x, dt, z = random(batch, heads * dim), random(batch, heads * dim), random(batch, heads * dim)
    A, B, C, D = -torch.rand(heads * dim, states, device=device()), random(batch, states), random(batch, states), random(heads * dim, dtype=torch.float32)
    state = random(batch, heads * dim, states, dtype=torch.float32)
    def seen():  # what follows from the new state
        return ((state * C.float()[:, None]).sum(-1) + D * x.float()) * F.silu(z.float())

    def step():
        delta = F.softplus(dt.float())
        state.mul_(torch.exp(delta[..., None] * A)).add_((delta * x.float())[..., None] * B.float()[:, None])
        return seen()

    yield operation_case(f"state update {batch}x{heads * dim}x{states} float32", functools.partial(ops.selective_state_update, state, x, dt, A, B, C, D, z, None, True), {"torch": step}, seen, 2e-2, bytes=8 * state.numel())


def chunk_cases():
    batch, length, heads, dim, states = sized(4), sized(8192), sized(32), 64, 128
    x, dt, A = random(batch, length, heads, dim), torch.rand(batch, length, heads, device=device()) * 0.1, -torch.rand(heads, device=device()) - 0.5
    B, C = (random(batch, length, 1, states) / 11 for _ in range(2))

    def chunked(size=64):  # the same sum by chunks, in float32
        g, v, q, k = (dt * A).transpose(1, 2), (x.float() * dt[..., None]).transpose(1, 2), *(each.float().transpose(1, 2) for each in (C, B))
        state, outs = torch.zeros(batch, heads, states, dim, device=device()), []
        for first in range(0, length, size):
            part = slice(first, first + size)
            total = g[:, :, part].cumsum(2)
            decay = (total[..., None] - total[..., None, :]).exp().tril()
            outs.append(((q[:, :, part] @ k[:, :, part].mT) * decay) @ v[:, :, part] + (q[:, :, part] * total.exp()[..., None]) @ state)
            last = total[..., -1:, None]
            state = state * last.exp() + (k[:, :, part] * (last - total[..., None]).exp()).mT @ v[:, :, part]
        return torch.cat(outs, 2).transpose(1, 2)

    yield operation_case(f"Mamba-2 scan {batch}x{length}, {heads} heads of {dim}, {states} states bf16", functools.partial(ops.mamba_chunk_scan_combined, x, dt, A, B, C), {}, chunked, 3e-2,
                         bytes=4 * x.numel() + 4 * B.numel())
    heads, dim = sized(16), 128
    q, k, v, beta, g = delta_inputs(batch, length, heads, dim)
    scale = dim**-0.5
    yield operation_case(f"linear attention {batch}x{length}, {heads} heads of {dim} bf16", lambda: ops.linear_attention(*(each.transpose(1, 2) for each in (q, k, v)), None, None, scale)[0].transpose(1, 2), {},
                         lambda: linear(q, k, v, scale), 3e-2, bytes=8 * q.numel())
    yield operation_case(f"gated delta rule {batch}x{length}, {heads} heads of {dim} bf16", functools.partial(ops.chunk_gated_delta_rule, q, k, v, g, beta, scale), {}, lambda: delta_rule(q, k, v, g, beta, scale), 3e-2,
                         bytes=8 * q.numel())


def delta_inputs(batch, length, heads, dim):
    torch.manual_seed(3)
    q, k, v = (random(batch, length, heads, dim) for _ in range(3))
    k = F.normalize(k.float(), dim=-1).to(k.dtype)
    beta, g = torch.rand(batch, length, heads, device=device()).to(q.dtype), -torch.rand(batch, length, heads, device=device())
    return q, k, v, beta, g


def linear(q, k, v, scale, size=64):
    state, outs = torch.zeros(q.shape[0], q.shape[2], q.shape[3], v.shape[3], device=q.device), []
    q, k, v = (each.float().transpose(1, 2) for each in (q, k, v))
    for first in range(0, q.shape[2], size):
        part = slice(first, first + size)
        outs.append((q[:, :, part] @ k[:, :, part].mT).tril() @ v[:, :, part] + q[:, :, part] @ state)
        state = state + k[:, :, part].mT @ v[:, :, part]
    return scale * torch.cat(outs, 2).transpose(1, 2)


def delta_rule(q, k, v, g, beta, scale):
    """A step at a time, in float32."""
    q, k, v, beta = (each.float() for each in (q, k, v, beta))
    state, outs = torch.zeros(q.shape[0], q.shape[2], q.shape[3], v.shape[3], device=q.device), []
    for t in range(q.shape[1]):
        state = state * g[:, t, :, None, None].exp()
        new = (v[:, t] - torch.einsum("bhkv,bhk->bhv", state, k[:, t])) * beta[:, t, :, None]
        state = state + k[:, t, :, :, None] * new[:, :, None]
        outs.append(torch.einsum("bhkv,bhk->bhv", state, q[:, t]))
    return scale * torch.stack(outs, 1)


def rule_cases():
    batch, heads, length, dim = sized(4), 16, sized(4096, 128), 64
    q, k, v = (random(batch, heads, length, dim) for _ in range(3))
    window = sized(1024, 128)
    places = torch.arange(length, device=device())
    seen = (places[:, None] >= places) & (places[:, None] - places < window)
    mask = ops.create_block_mask("window", None, None, length, length, device(), data=(window, ))
    pairs = int(seen.sum())
    yield operation_case(f"attention by rule, window of {window}, {batch}x{heads}x{length}x{dim} bf16", functools.partial(ops.flex_attention, q, k, v, block_mask=mask), {"torch, a mask": lambda: F.scaled_dot_product_attention(q, k, v, seen)},
                         lambda: F.scaled_dot_product_attention(q.float(), k.float(), v.float(), seen), 2e-2, flops=4 * batch * heads * dim * pairs, kind="f16")
    for dim in (80, 96, 160, 256):
        q, k, v = (random(batch, heads, length, dim) for _ in range(3))
        yield operation_case(f"attention, heads of {dim}, {batch}x{heads}x{length} bf16 causal", functools.partial(ops.scaled_dot_product_attention, q, k, v, is_causal=True),
                             {"torch": functools.partial(F.scaled_dot_product_attention, q, k, v, is_causal=True)}, lambda q=q, k=k, v=v: F.scaled_dot_product_attention(q.float(), k.float(), v.float(), is_causal=True), 2e-2,
                             flops=2 * batch * heads * length**2 * dim, kind="f16")


GROUPS = {"recurrences": recurrence_cases, "states": state_cases, "chunks": chunk_cases, "rules": rule_cases}
