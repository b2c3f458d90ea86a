"""array_cases.py: optimizers, convolutions, pictures, elements by number, random numbers and products with outliers of nereid.ops in the configurations that they choose, each as a call that can be timed, with what torch
offers for the same. Used by library_against_peers.py."""
import functools
import math

import torch
import torch.nn.functional as F
from nereid import ops
from operation_case import device, operation_case, random, sized


def optimizer_cases():
    n = sized(1 << 26, 256)
    parameter, gradient = random(n, dtype=torch.float32), random(n, dtype=torch.float32)
    codes, scales = torch.zeros(2, n, dtype=torch.uint8, device=device()), torch.zeros(2, n // 256, device=device())
    start = parameter.clone()

    def step():
        parameter.copy_(start)
        codes.zero_(), scales.zero_()
        ops.adamw_8bit_(parameter, gradient, *codes, *scales, 1, 1e-2)
        return parameter

    yield operation_case("AdamW of eight bits, a first step of 2^26 float32 and its zeros", step, {}, lambda: start.double() * (1 - 1e-4) - 1e-2 * gradient.double() / (gradient.double().abs() + 1e-8), 1e-5, bytes=26 * n)
    rows, columns = sized(4096), sized(8192)
    x = random(rows, columns, dtype=torch.bfloat16)
    flops = 5 * (2 * rows * rows * columns * 2 + 2 * rows**3)
    yield operation_case(f"Newton-Schulz, five steps of {rows}x{columns} bf16", functools.partial(ops.newton_schulz, x), {"cuBLAS": functools.partial(newton_schulz, x)}, lambda: newton_schulz(x.double()), 6e-2, flops=flops,
                     kind="f16")


def newton_schulz(x, steps=5):
    x = x / x.norm()
    for _ in range(steps):
        gram = x @ x.mT
        x = torch.addmm(x, torch.addmm(gram, gram, gram, beta=-4.7750, alpha=2.0315), x, beta=3.4445)
    return x


def convolution_cases():
    batch, channels, size = sized(64), sized(256, 16), sized(56)
    x, weight = random(batch, channels, size, size, dtype=torch.bfloat16).contiguous(memory_format=torch.channels_last), random(channels, channels, 3, 3, dtype=torch.bfloat16) / 48
    weight = weight.contiguous(memory_format=torch.channels_last)
    grad = random(batch, channels, size, size, dtype=torch.bfloat16).contiguous(memory_format=torch.channels_last)
    flops, what = 2 * batch * size * size * channels * channels * 9, f"{channels} channels, 3x3, {batch}x{size}x{size} bf16"

    def backward(*mask):
        return torch.ops.aten.convolution_backward(grad, x, weight, None, (1, 1), (1, 1), (1, 1), False, (0, 0), 1, mask)

    yield operation_case(f"conv2d, {what}", functools.partial(ops.conv2d, x, weight, None, 1, 1), {"cuDNN": functools.partial(F.conv2d, x, weight, None, 1, 1)}, lambda: F.conv2d(x.float(), weight.float(), None, 1, 1), 2e-2,
                     flops=flops, kind="f16")
    settings = (1, 1, 1, 1, 1, 1, 1)
    yield operation_case(f"conv2d, gradient of x, {what}", lambda: torch.ops.nereid.convolution_input_gradient(grad, weight, size, size, *settings), {"cuDNN": lambda: backward(True, False, False)},
                     lambda: torch.nn.grad.conv2d_input(x.shape, weight.float(), grad.float(), 1, 1), 2e-2, flops=flops, kind="f16")
    yield operation_case(f"conv2d, gradient of the weight, {what}", lambda: torch.ops.nereid.convolution_weight_gradient(grad, x, 3, 3, *settings), {"cuDNN": lambda: backward(False, True, False)},
                     lambda: torch.nn.grad.conv2d_weight(x.float(), weight.shape, grad.float(), 1, 1), 2e-2, flops=flops, kind="f16")


def picture_cases():
    x = random(sized(64), sized(64), sized(112, 2), sized(112, 2), dtype=torch.float32)
    elements = x.numel()
    yield operation_case("max pool 3x3 by 2, 64x64x112x112 float32", functools.partial(ops.max_pool2d, x, 3, 2, 1), {"torch": functools.partial(F.max_pool2d, x, 3, 2, 1)}, lambda: F.max_pool2d(x, 3, 2, 1), 0, bytes=5 * elements)
    yield operation_case("mean pool 2x2, 64x64x112x112 float32", functools.partial(ops.avg_pool2d, x, 2), {"torch": functools.partial(F.avg_pool2d, x, 2)}, lambda: F.avg_pool2d(x, 2), 1e-5, bytes=5 * elements)
    small = x[:, :, ::2, ::2].contiguous()
    for mode in ("nearest", "bilinear"):
        yield operation_case(f"{mode} interpolation to 64x64x112x112 float32", functools.partial(ops.interpolate, small, None, 2.0, mode), {"torch": functools.partial(F.interpolate, small, None, 2.0, mode)},
                         lambda mode=mode: F.interpolate(small, None, 2.0, mode), 1e-5, bytes=5 * elements)
    grad, half = random(*x.shape, dtype=torch.float32), tuple(small.shape)
    yield operation_case("bilinear interpolation, backward, to 64x64x112x112 float32", lambda: torch.ops.nereid.resize_backward(grad, *half[2:], 0.5, 0.5, "bilinear", False),
                     {"torch": lambda: torch.ops.aten.upsample_bilinear2d_backward(grad, x.shape[2:], half, False, 2.0, 2.0)},
                     lambda: torch.ops.aten.upsample_bilinear2d_backward(grad, x.shape[2:], half, False, 2.0, 2.0), 1e-4, bytes=5 * elements)
    corners = torch.rand(sized(8192), 2, device=device()) * 1000
    boxes, scores = torch.cat([corners, corners + 10 + 50 * torch.rand_like(corners)], 1), torch.rand(len(corners), device=device())
    yield operation_case("non-maximum suppression of 8192 boxes", lambda: torch.ops.nereid.suppressed(boxes, scores, 0.5)[1].float(), {}, lambda: torch.tensor([count_kept(boxes, scores, 0.5)]).float().to(device()), 0,
                     bytes=16 * len(boxes) + len(boxes)**2 // 4)


def count_kept(boxes, scores, threshold):
    boxes = boxes[scores.argsort(descending=True)].cpu()
    area, kept = (boxes[:, 2:] - boxes[:, :2]).prod(1), torch.ones(len(boxes), dtype=torch.bool)
    for i in range(len(boxes)):
        if kept[i]:
            shared = (torch.minimum(boxes[i, 2:], boxes[i + 1:, 2:]) - torch.maximum(boxes[i, :2], boxes[i + 1:, :2])).clamp(min=0).prod(1)
            kept[i + 1:] &= shared <= threshold * (area[i] + area[i + 1:] - shared)
    return int(kept.sum())


def index_cases():
    rows, columns = sized(4096), sized(8192)
    x, index = random(rows, columns, dtype=torch.float32), torch.randint(0, columns, (rows, columns), device=device())
    n = rows * columns
    yield operation_case(f"gather {rows}x{columns} float32", functools.partial(ops.gather, x, 1, index), {"torch": functools.partial(torch.gather, x, 1, index)}, lambda: x.gather(1, index), 0, bytes=16 * n)
    few, few_index = x[:sized(512)], index[:sized(512)]

    def in_order():
        torch.use_deterministic_algorithms(True)
        try:
            return few.scatter_add(1, few_index, few)
        finally:
            torch.use_deterministic_algorithms(False)

    for kind, asked, peer, is_recorded in (("by atomics", False, functools.partial(torch.scatter_add, few, 1, few_index, few), True), ("in order", True, in_order, False)):
        yield operation_case(f"scatter that adds, {len(few)}x{columns} float32, {kind}", functools.partial(ops.scatter_add, few, 1, few_index, few, asked), {f"torch, {kind}": peer},
                             lambda: few.double().scatter_add(1, few_index, few.double()), 1e-4, bytes=20 * few.numel(), are_peers_recorded=is_recorded)
    mask, flat = torch.rand(n, device=device()) < 0.5, x.reshape(-1)
    yield operation_case(f"compaction of {n} float32, half kept", lambda: torch.ops.nereid.compact(flat, mask)[2].float(), {"torch": lambda: torch.masked_select(flat, mask)}, lambda: mask.sum()[None].float(), 0, bytes=9 * n,
                     are_peers_recorded=False)
    numbers = torch.randint(0, 1000, (sized(1 << 22), ), device=device(), dtype=torch.int32)
    yield operation_case("unique of 2^22 int32, inverse and counts", lambda: torch.ops.nereid.unique_values(numbers)[1].float(), {"torch": lambda: torch.unique(numbers, return_inverse=True, return_counts=True)},
                     lambda: torch.unique(numbers, return_inverse=True)[1].float(), 0, bytes=24 * len(numbers), are_peers_recorded=False)


def random_cases():
    x = torch.empty(sized(1 << 27), device=device())
    for name, ours, theirs, mean, deviation in (("uniform", functools.partial(ops.uniform_, x, 7), x.uniform_, 0.5, 1 / math.sqrt(12)), ("normal", functools.partial(ops.normal_, x, 7), x.normal_, 0.0, 1.0)):

        def moments(ours=ours):
            ours()
            return torch.stack([x[:1 << 20].mean() + 1, x[:1 << 20].std()])

        yield operation_case(f"{name} numbers, 2^27 float32", moments, {"torch": theirs}, lambda mean=mean, deviation=deviation: torch.tensor([mean + 1, deviation], device=device()), 1e-2, bytes=4 * len(x), are_peers_recorded=False)


def outlier_cases():
    m, n, k = sized(2048), sized(8192), sized(8192, 32)
    a, w, scale = random(m, k, dtype=torch.bfloat16), torch.randint(-127, 128, (n, k), device=device(), dtype=torch.int8).T, torch.rand(n, device=device()) / 127
    a[:, ::k // 16] *= 20
    wide = (w.float() * scale).bfloat16()
    yield operation_case(f"int8 with outliers {m}x{n}x{k}", functools.partial(ops.int8_mixed_matmul, a, w, scale), {"cuBLAS, bf16 weights": functools.partial(torch.mm, a, wide)}, lambda: a.float() @ (w.float() * scale), 2e-2,
                     flops=2 * m * n * k, kind="f16")
    q, table, few = torch.randint(-2**31, 2**31 - 1, (k // 8, n), device=device(), dtype=torch.int32), random(n, 16, dtype=torch.float32), a[:16].contiguous()
    dense = ops.squeezellm_dequantize(q, table, "bfloat16")
    yield operation_case(f"weights by tables, 16x{n}x{k}, four bits", functools.partial(ops.squeezellm_matmul, few, q, table), {"cuBLAS, bf16 weights": functools.partial(torch.mm, few, dense)},
                     lambda: few.float() @ dense.float(), 2e-2, bytes=4 * q.numel() + 64 * n)


def element_cases():
    x, y = random(sized(1 << 26), dtype=torch.float32), random(sized(1 << 26), dtype=torch.float32)
    yield operation_case("add 2^26 float32", functools.partial(ops.pointwise, "add", x, y), {"torch": functools.partial(torch.add, x, y)}, lambda: x + y, 1e-6, bytes=12 * len(x))
    yield operation_case("sum of 2^26 float32", functools.partial(ops.reduce, x.abs(), "sum"), {"torch": functools.partial(torch.sum, x.abs())}, lambda: x.double().abs().sum(), 1e-4, bytes=4 * len(x))
    square = random(sized(8192), sized(8192), dtype=torch.float32)
    yield operation_case("largest of rows, 8192x8192 float32", functools.partial(ops.reduce, square, "max", 1), {"torch": functools.partial(torch.amax, square, 1)}, lambda: square.amax(1), 0, bytes=4 * square.numel())


GROUPS = {"optimizers": optimizer_cases, "convolutions": convolution_cases, "pictures": picture_cases, "elements by number": index_cases, "random numbers": random_cases, "outliers": outlier_cases,
          "elements": element_cases}  # yapf: disable
