"""weight_cases.py: products with narrow weights, quantization there and back, copies of nereid.ops, with what torch offers for the same; peers from other libraries join by the cases' names (peer_calls.py). Used by
library_against_peers.py."""
import functools

import torch
from nereid import ops
from operation_case import device, integers, operation_case, random, sized


def int4_codes(q, group):
    """The numbers of kernels/quantized_matmul's bytes [K / 2, N]: of a group, the first half of the rows are the low halves."""
    k, n = 2 * q.shape[0], q.shape[1]
    halves = q.view(k // group, group // 2, n)
    return torch.cat([halves & 15, halves >> 4], 1).reshape(k, n)


def narrow_cases():
    n, k, group = sized(8192, 128), sized(8192, 128), 128
    q8, scale = integers(-127, 128, k, n, dtype=torch.int8), (torch.rand(k // group, n, device=device()) / 127).to(torch.bfloat16)
    q4, scale4 = integers(0, 256, k // 2, n, dtype=torch.uint8), (torch.rand(k // group, n, device=device()) / 8).to(torch.bfloat16)
    zero = torch.full((k // group, n), 8.0, device=device(), dtype=torch.bfloat16)
    wide8 = (q8.float().view(k // group, group, n) * scale.float()[:, None]).view(k, n).to(torch.bfloat16)
    codes = int4_codes(q4, group)
    wide4 = ((codes.float().view(k // group, group, n) - 8) * scale4.float()[:, None]).view(k, n).to(torch.bfloat16)
    packed = None
    if device() == "cuda":  # torch's own layout of the same codes, [N, K]
        turned = codes.T.contiguous().to(torch.uint8)
        packed = torch.ops.aten._convert_weight_to_int4pack(turned[:, ::2] << 4 | turned[:, 1::2], 8)
        scales = torch.stack([scale4, torch.zeros_like(scale4)], -1).contiguous()
    for m in (1, 16, 64, 2048):
        a = random(sized(m), k)
        work = {"flops": 2 * a.shape[0] * n * k, "kind": "f16"} if m > 64 else {}
        yield operation_case(f"int8 weights {m}x{n}x{k}", functools.partial(ops.int8_weight_matmul, a, q8, scale), {"cuBLAS, bf16 weights": functools.partial(torch.mm, a, wide8)}, lambda a=a: a.float() @ wide8.float(), 2e-2,
                             **(work or {"bytes": q8.numel()}))
        peers = {"cuBLAS, bf16 weights": functools.partial(torch.mm, a, wide4)}
        if packed is not None:
            peers["torch, int4"] = functools.partial(torch.ops.aten._weight_int4pack_mm, a, packed, group, scales)
        yield operation_case(f"int4 weights {m}x{n}x{k}", functools.partial(ops.int4_weight_matmul, a, q4, scale4, zero), peers, lambda a=a: a.float() @ wide4.float(), 2e-2, **(work or {"bytes": q4.numel()}))
    a8, b8 = integers(-127, 128, sized(4096), k, dtype=torch.int8), integers(-127, 128, n, k, dtype=torch.int8)
    a_scale, b_scale = torch.rand(len(a8), device=device()), torch.rand(n, device=device())
    peers = {"cuBLAS and scales": lambda: (torch._int_mm(a8, b8.T) * a_scale[:, None] * b_scale).to(torch.bfloat16)} if device() == "cuda" else {}
    yield operation_case(f"int8 product with scales of rows and columns {len(a8)}x{n}x{k}", functools.partial(ops.int8_matmul, a8, b8.T, a_scale, b_scale, "bfloat16"), peers,
                         lambda: (a8.float() @ b8.float().T) * a_scale[:, None] * b_scale, 1e-2, flops=2 * len(a8) * n * k, kind="fp8")


def quantize_cases():
    rows, columns = sized(8192, 128), sized(8192, 128)
    x, n = random(rows, columns), rows * columns
    largest = torch.finfo(torch.float8_e4m3fn).max

    def by(view, axes):
        scale = view.float().abs().amax(axes, keepdim=True) / largest
        return (view / scale).to(torch.float8_e4m3fn)

    blocks = x.view(rows // 128, 128, columns // 128, 128)
    for name, ours, theirs in (("by row", ops.quantize_per_row, lambda: by(x, 1)), ("by groups of 128", functools.partial(ops.quantize_per_group, group_size=128), lambda: by(x.view(rows, -1, 128), 2).view(rows, columns)),
                               ("by blocks of 128x128", functools.partial(ops.quantize_per_block, block_size=128), lambda: by(blocks, (1, 3)).view(rows, columns)), ("as a whole", ops.quantize_per_tensor, lambda: by(x, (0, 1)))):
        yield operation_case(f"to fp8 {name}, {rows}x{columns} bf16", lambda ours=ours: ours(x, dtype="float8_e4m3fn")[0], {"torch": theirs}, theirs, 0.08, bytes=3 * n)
    for kind, bits in (("e2m1", 4), ("e4m3", 8)):
        q, scale = ops.mx_quantize(x, kind)
        yield operation_case(f"to MXFP{bits}, {rows}x{columns} bf16", lambda kind=kind: ops.mx_quantize(x, kind)[0], {}, lambda q=q: q, 0, bytes=2 * n + n * bits // 8 + n // 32)
        yield operation_case(f"from MXFP{bits}, {rows}x{columns} bf16", lambda q=q, scale=scale, kind=kind: ops.mx_dequantize(q, scale, kind, "bfloat16"), {}, lambda: x.float(), 0.3, bytes=2 * n + n * bits // 8 + n // 32)
    q, absmax = ops.quantize_4bit(x)
    yield operation_case(f"to NF4, {rows}x{columns} bf16", lambda: ops.quantize_4bit(x)[0], {}, lambda: q, 0, bytes=2 * n + n // 2 + n // 16)
    yield operation_case(f"from NF4, {rows}x{columns} bf16", functools.partial(ops.dequantize_4bit, q, absmax, n, dtype="bfloat16"), {}, lambda: x.reshape(-1).float(), 0.3, bytes=2 * n + n // 2 + n // 16)
    words, group = integers(-2**31, 2**31 - 1, columns, rows // 8, dtype=torch.int32), 128
    scales, zeros = torch.rand(columns // group, rows, device=device()).to(torch.float16), integers(-2**31, 2**31 - 1, columns // group, rows // 8, dtype=torch.int32)

    def awq():  # eight numbers of four bits in a word, in AWQ's order
        shifts = torch.tensor([0, 16, 4, 20, 8, 24, 12, 28], device=device())
        numbers = (words[:, :, None] >> shifts & 15).reshape(columns, rows)
        less = (zeros[:, :, None] >> shifts & 15).reshape(columns // group, rows).repeat_interleave(group, 0)
        return (numbers - less) * scales.repeat_interleave(group, 0)

    yield operation_case(f"from AWQ, {columns}x{rows} float16", functools.partial(ops.awq_dequantize, words, scales, zeros), {"torch": awq}, awq, 1e-3, bytes=2 * n + n // 2)


def copy_cases():
    square = random(sized(8192), sized(8192), dtype=torch.float32)
    order = torch.randperm(len(square), device=device())
    yield operation_case("rows in another order, 8192x8192 float32", functools.partial(ops.index_select, square, order), {"torch": functools.partial(torch.index_select, square, 0, order)},
                         lambda: square[order], 0, bytes=8 * square.numel())
    yield operation_case("transpose of 8192x8192 float32", functools.partial(ops.transpose, square), {"torch": lambda: square.T.contiguous()}, lambda: square.T, 0, bytes=8 * square.numel())
    half = torch.empty_like(square, dtype=torch.bfloat16)

    def rounded():
        ops.copy_(half, square)
        return half

    yield operation_case("float32 to bf16, 8192x8192", rounded, {"torch": lambda: half.copy_(square)}, lambda: square, 1e-2, bytes=6 * square.numel())
    x = random(sized(4096), sized(32000), dtype=torch.float32)
    yield operation_case("sparsemax 4096x32000 float32", functools.partial(ops.sparsemax, x), {}, lambda: sparsemax(x), 1e-4, bytes=8 * x.numel())
    whole = sized(1 << 26)
    values = random(whole, dtype=torch.float32)
    yield operation_case("variance and mean of rows of 8192, 2^26 float32", lambda: ops.var_mean(values.view(-1, sized(8192)), 1), {"torch": lambda: torch.var_mean(values.view(-1, sized(8192)), 1)},
                         lambda: torch.var_mean(values.view(-1, sized(8192)).double(), 1), 1e-4, bytes=4 * whole)


def sparsemax(x):
    ordered = x.double().sort(1, descending=True).values
    count = torch.arange(1, x.shape[1] + 1, device=x.device)
    over = (ordered.cumsum(1) - 1) / count
    threshold = over.gather(1, (ordered > over).sum(1, keepdim=True) - 1)
    return (x - threshold).clamp(min=0)


GROUPS = {"narrow weights": narrow_cases, "quantization": quantize_cases, "copies": copy_cases}
