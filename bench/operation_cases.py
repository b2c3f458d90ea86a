"""operation_cases.py: functions of nereid.ops in the configurations that they choose, each as a call that can be timed, with what torch offers for the same. Used by library_against_peers.py."""
import functools

import torch
import torch.nn.functional as F
from nereid import ops
from operation_case import device, operation_case, random, sized


def scan_cases():
    n = sized(1 << 28)
    for dtype, size in ((torch.float32, 4), (torch.bfloat16, 2)):
        x = random(n, dtype=dtype)
        yield operation_case(f"running sum of 2^28 {dtype}".replace("torch.", ""), functools.partial(ops.cumsum, x), {"CUB by torch": functools.partial(torch.cumsum, x, 0)},
                             lambda x=x: x.double().cumsum(0), 1e-2, bytes=2 * size * n)
    x = random(n // 2, dtype=torch.float32)
    yield operation_case("running maximum of 2^27 float32", functools.partial(ops.running_max, x), {"CUB by torch": functools.partial(torch.cummax, x, 0)}, lambda: x.cummax(0).values, 0, bytes=4 * n)
    heads = torch.rand(n // 2, device=device()) < 1e-3
    yield operation_case("running sum of segments of 2^27 float32", functools.partial(ops.segmented_cumsum, x, heads), {}, lambda: segmented(x.double(), heads), 1e-3, bytes=9 * (n // 2))
    a = torch.rand(n // 4, device=device())
    yield operation_case("linear steps of 2^26 float32", functools.partial(ops.linear_scan, a, x[:n // 4]), {}, lambda: steps(a.double(), x[:n // 4].double()), 1e-4, bytes=3 * n)


def segmented(x, heads):
    """A running sum less what it was before the last head."""
    total = x.cumsum(0)
    place = torch.where(heads, torch.arange(len(x), device=x.device), 0).cummax(0).values
    before = torch.where((place == 0) & ~heads[0], 0, total.gather(0, (place - 1).clamp(min=0)) * (place > 0))
    return total - before


def steps(a, b):
    """By doubling."""
    a, b, distance = a.clone(), b.clone(), 1
    while distance < len(a):
        b[distance:] = a[distance:] * b[:-distance] + b[distance:]
        a[distance:] = a[distance:] * a[:-distance]
        distance *= 2
    return b


def skinny_cases():
    for n, k in ((8192, 8192), (28672, 8192)):
        weight = random(sized(n), sized(k))
        for m in (1, 8, 16, 64):
            a = random(m, sized(k))
            yield operation_case(f"product of {m} rows, {n}x{k} bf16", functools.partial(ops.skinny_matmul, a, weight.T), {"cuBLAS": functools.partial(F.linear, a, weight)},
                                 lambda a=a, weight=weight: a.float() @ weight.float().T, 1e-2, bytes=2 * weight.numel())


def split_k_cases():
    m, n, k = sized(512, 16), sized(512, 16), sized(65536, 16)
    a, weight = random(m, k), random(n, k)
    yield operation_case(f"split-K product {m}x{n}x{k} bf16", functools.partial(ops.split_k_matmul, a, weight.T), {"cuBLAS": functools.partial(F.linear, a, weight)}, lambda: a.float() @ weight.float().T, 1e-2,
                         flops=2 * m * n * k, kind="f16")


def stream_k_cases():
    for m, n, k in ((2304, 2304, 8192), (3072, 3072, 4096), (8192, 8192, 8192)):
        a, weight = random(sized(m), sized(k)), random(sized(n), sized(k))
        yield operation_case(f"stream-K product {m}x{n}x{k} bf16", functools.partial(ops.stream_k_matmul, a, weight.T),
                             {"cuBLAS": functools.partial(F.linear, a, weight), "our matmul": functools.partial(ops.matmul, a, weight.T)}, lambda a=a, weight=weight: a.float() @ weight.float().T, 1e-2,
                             flops=2 * sized(m) * sized(n) * sized(k), kind="f16")


def fp8_cases():
    one = torch.ones((), device=device())
    for m, n, k in ((4096, 4096, 4096), (8192, 8192, 8192), (64, 8192, 8192)):
        m, n, k = sized(m), sized(n, 128), sized(k, 128)
        a, b = random(m, k).to(torch.float8_e4m3fn), random(n, k).to(torch.float8_e4m3fn)
        # Scales of a row's blocks lie as TMA takes them, as DeepGEMM and vLLM's quantizer for Hopper have them: those of one block beside each other.
        a_scale, b_scale = torch.rand(k // 128, m, device=device()).T, torch.rand(n // 128, k // 128, device=device())
        wide = lambda x, scale, rows: x.float() * scale.repeat_interleave(rows, 0).repeat_interleave(128, 1)  # noqa: E731
        yield operation_case(f"fp8 product with scales of blocks {m}x{n}x{k}", functools.partial(ops.fp8_block_matmul, a, b, a_scale, b_scale, dtype="bfloat16"),
                             {"unscaled cuBLAS": functools.partial(torch._scaled_mm, a, b.T, one, one, out_dtype=torch.bfloat16)},
                             lambda a=a, b=b, s=a_scale, t=b_scale: wide(a, s, 1) @ wide(b, t, 128).T, 2e-2, flops=2 * m * n * k, kind="fp8")


def sparse_cases():
    for m, n, k in ((16, 8192, 8192), (64, 8192, 8192), (4096, 8192, 8192)):
        a, w = random(sized(m), sized(k, 128)), random(sized(n, 128), sized(k, 128))
        values, places = ops.sparse24_compress(w)
        dense, compressed = ops.sparse24_expand(values, places), (values, ops.sparse24_order(places))
        peers = {"dense cuBLAS": functools.partial(F.linear, a, dense), "our dense one": functools.partial(ops.matmul, a, dense.T)}
        if device() == "cuda":
            peers["cuSPARSELt"] = functools.partial(F.linear, a, torch.sparse.to_sparse_semi_structured(dense))
        work = {"bytes": w.numel() * 9 // 8} if m <= 64 else {"flops": 2 * a.shape[0] * w.numel(), "kind": "f16"}
        yield operation_case(f"2:4 sparse product {m}x{n}x{k} bf16", functools.partial(ops.sparse24_matmul, a, *compressed), peers, lambda a=a, w=dense: a.float() @ w.float().T, 1e-2, **work)
    for size in (64, 128):
        across = sized(8192, 1024) // size
        present = torch.rand(across, across, device=device()) < 0.1
        present[0, 0] = True
        row, col = (x.int() for x in present.nonzero(as_tuple=True))
        crow = F.pad(present.sum(1).cumsum(0), (1, 0)).int()
        a, values = random(sized(4096), across * size), random(len(col), size, size)
        sparse = torch.sparse_bsr_tensor(crow, col, values, (across * size, across * size))
        peers = {"dense cuBLAS": functools.partial(F.linear, a, sparse.to_dense())}
        yield operation_case(f"block-sparse product, a tenth of blocks of {size}, 4096x8192x8192 bf16", functools.partial(ops.block_sparse_matmul, a, values, crow, col), peers,
                             lambda a=a, w=sparse: a.float() @ w.to_dense().float().T, 1e-2, flops=2 * a.shape[0] * values.numel(), kind="f16")


def expert_cases():
    experts, n, k = 32, sized(5760, 128), sized(2880, 128)
    for each in (1, 8, 128):
        a, ends = random(experts * each, k), torch.arange(1, experts + 1, device=device(), dtype=torch.int32) * each
        q, scale = torch.randint(0, 256, (experts, n, k // 2), device=device(), dtype=torch.uint8), torch.randint(120, 128, (experts, n, k // 32), device=device(), dtype=torch.uint8)
        weight = ops.mx_dequantize(q, scale).to(torch.bfloat16)
        reference = lambda a=a, weight=weight, each=each: torch.einsum("erk,enk->ern", a.float().view(experts, each, k), weight.float()).reshape(-1, n)  # noqa: E731
        grouped = {"bf16 weights, torch._grouped_mm": functools.partial(torch._grouped_mm, a, weight.transpose(1, 2), ends)} if device() == "cuda" else {}
        work = {"bytes": q.numel() + scale.numel()} if each < 128 else {"flops": 2 * a.shape[0] * n * k, "kind": "f16"}
        yield operation_case(f"{experts} experts of {each} rows, MXFP4 {n}x{k}", functools.partial(ops.moe_mxfp4_matmul, a, q, scale, ends), grouped, reference, 2e-2, **work)
        q4, scale4 = torch.randint(0, 256, (experts, k // 2, n), device=device(), dtype=torch.uint8), torch.rand(experts, k // 64, n, device=device()).to(torch.bfloat16)
        halves = q4.view(experts, k // 64, 32, n)
        codes = torch.cat([halves & 15, halves >> 4], 2).float()
        decoded = ((codes - 8) * scale4.float()[:, :, None]).view(experts, k, n).to(torch.bfloat16)
        grouped = {"bf16 weights, torch._grouped_mm": functools.partial(torch._grouped_mm, a, decoded, ends)} if device() == "cuda" else {}
        yield operation_case(f"{experts} experts of {each} rows, int4 {n}x{k}", functools.partial(ops.moe_int4_matmul, a, q4, scale4, ends), grouped,
                             lambda a=a, w=decoded, each=each: torch.einsum("erk,ekn->ern", a.float().view(experts, each, k), w.float()).reshape(-1, n), 2e-2, **work)


def attention_cases():
    length, heads, dim = sized(4096, 32), 16, 128
    q, k, v = (random(2, heads, length, dim).to(torch.float8_e4m3fn) for _ in range(3))
    turned, wide = v.transpose(2, 3).contiguous().transpose(2, 3), [x.to(torch.bfloat16) for x in (q, k, v)]
    for causal in (False, True):
        yield operation_case(f"fp8 attention 2x{heads}x{length}x{dim} causal={causal}", functools.partial(ops.fp8_attention, q, k, turned, causal=causal, dtype="bfloat16"),
                             {"torch bf16": functools.partial(F.scaled_dot_product_attention, *wide, is_causal=causal), "our bf16": functools.partial(ops.attention, *wide, causal)},
                             lambda causal=causal: [F.scaled_dot_product_attention(*(x.float() for x in wide), is_causal=causal)], 5e-2, flops=4 * 2 * heads * length**2 * dim // (1 + causal), kind="fp8")
    lengths = [sized(each) for each in (4096, 2048, 1024, 512, 300, 200, 100, 12)]
    starts = torch.tensor([0, *lengths], device=device()).cumsum(0).int()
    total, longest = sum(lengths), max(lengths)
    q, k, v, grad = (random(total, heads, dim) for _ in range(4))
    out, lse = torch.ops.nereid.varlen_attention(q, k, v, starts, starts, longest, None, None, None, -1, 0)
    ours = functools.partial(torch.ops.nereid.varlen_attention_backward, grad, q, k, v, out, lse, starts, starts, longest, longest, None, -1, 0, 0.0, None)
    peers = {}
    if device() == "cuda":
        saved = torch.ops.aten._flash_attention_forward(q, k, v, starts, starts, longest, longest, 0.0, True, False)
        peers["torch flash"] = lambda: torch.ops.aten._flash_attention_backward(grad, q, k, v, saved[0], saved[1], starts, starts, longest, longest, 0.0, True, saved[2], saved[3])
    yield operation_case(f"attention backward of {len(lengths)} lengths up to {longest}, {heads}x{dim} bf16", ours, peers, lambda: varlen_gradients(q, k, v, grad, starts.tolist()), 3e-2,
                         flops=10 * heads * dim * sum(each**2 for each in lengths) // 2, kind="f16")


def varlen_gradients(q, k, v, grad, starts):
    parts = []
    for start, end in zip(starts, starts[1:]):
        given = [x[start:end].float().transpose(0, 1).requires_grad_() for x in (q, k, v)]
        F.scaled_dot_product_attention(*given, is_causal=True).backward(grad[start:end].float().transpose(0, 1))
        parts.append([x.grad.transpose(0, 1) for x in given])
    return [torch.cat(each) for each in zip(*parts)]


GROUPS = {"scans": scan_cases, "few rows": skinny_cases, "split-K": split_k_cases, "stream-K": stream_k_cases, "fp8": fp8_cases, "sparse": sparse_cases, "experts": expert_cases, "attention of ops": attention_cases}
