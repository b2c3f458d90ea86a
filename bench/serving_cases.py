"""serving_cases.py: attention over caches, their writing, sampling, routing and adapters of nereid.ops, with what torch offers for the same; peers from other libraries join by the cases' names (peer_calls.py). Used by
library_against_peers.py."""
import functools

import torch
import torch.nn.functional as F
from nereid import ops
from operation_case import device, integers, operation_case, random, sized


def cached_attention(q, k, v, scale):
    """One query for each sequence over keys [batch, length, heads, dim], in float32."""
    batch, heads, dim = q.shape
    grouped = q.float().reshape(batch, k.shape[2], heads // k.shape[2], dim)
    weights = torch.softmax(torch.einsum("bkgd,bskd->bkgs", grouped, k.float()) * scale, -1)
    return torch.einsum("bkgs,bske->bkge", weights, v.float()).reshape(batch, heads, v.shape[-1])


def paged(x, size):
    """(pages in a random order, table) of a cache [batch, length, …]."""
    batch, length = x.shape[:2]
    each = length // size
    order = torch.randperm(batch * each, device=x.device)
    pages = torch.empty_like(x.reshape(batch * each, size, *x.shape[2:]))
    pages[order] = x.reshape(pages.shape)
    return pages, order.reshape(batch, each).int()


def decode_cases():
    heads, heads_k, dim = 32, 8, 128
    for batch, length in ((1, 131072), (16, 16384), (128, 4096)):
        batch, length = sized(batch), sized(length, 64)
        q, k, v = random(batch, heads, dim), random(batch, length, heads_k, dim), random(batch, length, heads_k, dim)
        lengths = torch.full((batch, ), length, dtype=torch.int32, device=device())
        right, what = functools.partial(cached_attention, q, k, v, dim**-0.5), f"{batch}x{length} keys, {heads}/{heads_k} heads of {dim} bf16"
        given = (q[:, :, None], k.transpose(1, 2), v.transpose(1, 2))
        peers = {"torch": functools.partial(F.scaled_dot_product_attention, *given, enable_gqa=True)}
        yield operation_case(f"decode attention, {what}", functools.partial(ops.decode_attention, q, k, v, lengths), peers, right, 2e-2, bytes=4 * k.numel())
        for size in (16, 64) if batch > 1 else (64, ):
            (k_pages, table), v_pages = paged(k, size), torch.empty_like(k).reshape(-1, size, heads_k, dim)
            v_pages[table.flatten().long()] = v.reshape(v_pages.shape)
            yield operation_case(f"paged decode attention, pages of {size}, {what}", functools.partial(ops.decode_attention, q, k_pages, v_pages, lengths, table), peers, right, 2e-2, bytes=4 * k.numel())
        narrow = [x.to(torch.float8_e4m3fn) for x in (k, v)]
        yield operation_case(f"decode attention over an fp8 cache, {what}", functools.partial(ops.decode_attention, q, *narrow, lengths), {"torch, bf16 cache": peers["torch"]},
                             functools.partial(cached_attention, q, *narrow, dim**-0.5), 2e-2, bytes=2 * k.numel())


def latent_cases():
    rank, rope, heads = 512, 64, 128
    for batch, length in ((1, 65536), (64, 8192)):
        batch, length = sized(batch), sized(length, 64)
        q, cache = random(batch, heads, rank + rope), random(batch, length, rank + rope)
        lengths, scale = torch.full((batch, ), length, dtype=torch.int32, device=device()), (rank + rope)**-0.5
        keys = cache[:, None].expand(batch, 1, length, rank + rope)
        yield operation_case(f"MLA decode, {batch}x{length} rows, {heads} heads of {rank} + {rope} bf16", functools.partial(ops.mla_decode, q, cache, lengths, rank),
                             {"torch": functools.partial(F.scaled_dot_product_attention, q[:, None], keys, keys[..., :rank])},
                             lambda q=q, cache=cache, scale=scale: cached_attention(q, cache[:, :, None], cache[:, :, None, :rank], scale), 2e-2, flops=2 * batch * heads * length * (2 * rank + rope), kind="f16")


def varlen_cases():
    heads, heads_k, dim = 32, 8, 128
    lengths = [sized(each) for each in (8192, 4096, 2048, 1024, 512, 300, 200, 100, 12)]
    starts = torch.tensor([0, *lengths], device=device()).cumsum(0).int()
    total, longest = sum(lengths), max(lengths)
    q, k, v = random(total, heads, dim), random(total, heads_k, dim), random(total, heads_k, dim)
    peers = {}
    if device() == "cuda":
        wide = [x.repeat_interleave(heads // heads_k, 1) for x in (k, v)]
        peers["torch flash"] = lambda: torch.ops.aten._flash_attention_forward(q, *wide, starts, starts, longest, longest, 0.0, True, False)[0]

    def reference():
        return torch.cat([
            F.scaled_dot_product_attention(*(x[first:last].transpose(0, 1).float() for x in (q, k, v)), is_causal=True, enable_gqa=True).transpose(0, 1) for first, last in zip(starts.tolist(), starts.tolist()[1:])
        ])

    yield operation_case(f"attention of {len(lengths)} lengths up to {longest}, {heads}/{heads_k} heads of {dim} bf16", functools.partial(ops.flash_attn_varlen_func, q, k, v, starts, starts, longest, longest, causal=True), peers,
                         reference, 2e-2, flops=2 * heads * dim * sum(each**2 for each in lengths), kind="f16")


def cache_cases():
    tokens, heads, dim, size = sized(16384), 8, 128, 16
    key, value = random(tokens, heads, dim), random(tokens, heads, dim)
    k_cache, v_cache = (torch.zeros(2 * tokens // size + 1, size, heads, dim, dtype=torch.bfloat16, device=device()) for _ in range(2))
    slots = torch.randperm(2 * tokens, device=device())[:tokens]
    flat = [x.view(-1, heads, dim) for x in (k_cache, v_cache)]

    def ours():
        ops.reshape_and_cache_flash(key, value, k_cache, v_cache, slots)
        return [x[slots[:64]] for x in flat]

    def theirs():
        for x, y in zip(flat, (key, value)):
            x.index_copy_(0, slots, y)
        return [x[slots[:64]] for x in flat]

    yield operation_case(f"writing {tokens} tokens into a cache, {heads}x{dim} bf16", ours, {"torch": theirs}, lambda: [key[:64], value[:64]], 0, bytes=8 * key.numel())


def sampling_cases():
    rows, vocabulary = sized(128), sized(128256)
    logits = random(rows, vocabulary, dtype=torch.float32)
    top_k, top_p = torch.full((rows, ), 50, dtype=torch.int32, device=device()), torch.full((rows, ), 0.9, device=device())

    def filtered():  # as vLLM does it in torch
        values, places = logits.sort(dim=-1)
        kept = values.gather(1, (vocabulary - top_k.long())[:, None])
        values = values.masked_fill(values < kept, -torch.inf)
        sums = values.softmax(-1).cumsum(-1)
        dropped = sums <= 1 - top_p[:, None]
        dropped[:, -1] = False
        return torch.empty_like(values).scatter_(1, places, values.masked_fill(dropped, -torch.inf))

    yield operation_case(f"top-k and top-p of {rows}x{vocabulary} float32", lambda: ops.apply_top_k_top_p(logits, top_k, top_p).exp(), {"torch": lambda: filtered().exp()}, lambda: filtered().exp(), 1e-6, bytes=8 * logits.numel())
    yield operation_case(f"argmax of {rows}x{vocabulary} float32", functools.partial(ops.argmax, logits), {"torch": functools.partial(torch.argmax, logits, -1)}, lambda: logits.argmax(-1), 0, bytes=4 * logits.numel())
    prompt, output = integers(0, vocabulary, rows, sized(1024)), integers(0, vocabulary, rows, sized(256))
    presence, frequency, repetition = (torch.rand(rows, device=device()) + 0.5 for _ in range(3))

    def penalized():
        counts = torch.zeros(rows, vocabulary + 1, device=device(), dtype=torch.int64).scatter_add_(1, output, torch.ones_like(output))[:, :vocabulary]
        seen = torch.zeros(rows, vocabulary, device=device(), dtype=torch.bool).scatter_(1, prompt, True) | (counts > 0)
        factor = torch.where(seen, repetition[:, None], 1.0)
        return torch.where(logits > 0, logits / factor, logits * factor) - frequency[:, None] * counts - presence[:, None] * (counts > 0)

    yield operation_case(f"penalties of {rows}x{vocabulary} float32", functools.partial(ops.apply_penalties, logits, prompt, output, presence, frequency, repetition), {"torch": penalized}, penalized, 1e-5, bytes=8 * logits.numel())
    draft, width = 4, sized(32000)
    target, proposal = (torch.softmax(random(rows, draft, width, dtype=torch.float32), -1) for _ in range(2))
    tokens, bonus, seeds = integers(0, width, rows, draft), integers(0, width, rows), integers(0, 1 << 30, rows)
    yield operation_case(f"rejection sampling, {rows}x{draft} tokens of {width}", lambda: ops.rejection_sample(tokens, target, bonus, proposal, seeds)[1].float() * 0 + 1, {},
                         lambda: torch.ones(rows, device=device()), 0, bytes=4 * rows * width)


def order_cases():
    rows, columns = sized(4096), sized(8192)
    x = random(rows, columns, dtype=torch.float32)
    for k in (8, 64):
        yield operation_case(f"top {k} of {rows}x{columns} float32", functools.partial(ops.topk, x, k), {"torch": functools.partial(torch.topk, x, k)}, lambda k=k: torch.topk(x, k).values, 0, bytes=4 * x.numel())
    flat = x.reshape(-1)[:sized(1 << 24)]
    yield operation_case("sort of 2^24 float32", functools.partial(ops.sort, flat), {"CUB by torch": functools.partial(torch.sort, flat, stable=True)}, lambda: flat.sort().values, 0, bytes=16 * len(flat))
    numbers = integers(0, 256, sized(1 << 26), dtype=torch.int32)
    yield operation_case("histogram of 2^26 int32 in 256 bins", functools.partial(ops.bincount, numbers, 256), {"torch": lambda: torch.histc(numbers.float(), 256, 0, 256)}, lambda: torch.bincount(numbers, minlength=256), 0,
                         bytes=4 * len(numbers), are_peers_recorded=False)
    weight, places = random(sized(128256), sized(4096)), integers(0, sized(128256), sized(16384))
    yield operation_case("embedding of 16384 tokens, 128256x4096 bf16", functools.partial(ops.embedding, places, weight), {"torch": functools.partial(F.embedding, places, weight)}, lambda: weight[places], 0,
                         bytes=4 * len(places) * weight.shape[1])
    small, grad = random(sized(32000), sized(1024), dtype=torch.float32), random(sized(16384), sized(1024), dtype=torch.float32)
    rows_of = integers(0, len(small), len(grad))
    yield operation_case("index_add of 16384 rows to 32000x1024 float32, in order", functools.partial(ops.index_add, small, rows_of, grad), {"torch, by atomics": functools.partial(torch.index_add, small, 0, rows_of, grad)},
                         lambda: small.double().index_add(0, rows_of, grad.double()), 1e-5, bytes=8 * small.numel() + 8 * grad.numel())


def expert_cases():
    tokens, experts, k, width = sized(16384), 128, 8, sized(2048)
    logits, x = random(tokens, experts), random(tokens, width)
    yield operation_case(f"routing of {tokens} tokens to {k} of {experts} experts", lambda: ops.topk_softmax(logits, k)[0], {"torch": lambda: torch.softmax(torch.topk(logits.float(), k).values, -1)},
                         lambda: torch.softmax(torch.topk(logits.float(), k).values, -1), 1e-5, bytes=2 * logits.numel() + 8 * tokens * k)
    weights, chosen = ops.topk_softmax(logits, k)
    positions, ends = ops.moe_order(chosen, experts)

    def ordered():  # positions by a stable sort
        order = torch.sort(chosen.flatten(), stable=True).indices
        place = torch.empty_like(order)
        place[order] = torch.arange(len(order), device=order.device)
        return place.reshape(chosen.shape).int()

    yield operation_case(f"order of {tokens}x{k} choices of {experts} experts", lambda: ops.moe_order(chosen, experts)[0], {"torch": ordered}, ordered, 0, bytes=8 * chosen.numel())
    flat = positions.long().flatten()

    def spread():
        out = torch.empty(tokens * k, width, dtype=x.dtype, device=device())
        out[flat] = x.repeat_interleave(k, 0)
        return out

    rows = spread()
    yield operation_case(f"permutation of {tokens}x{k} rows of {width} bf16", functools.partial(ops.moe_permute, x, positions), {"torch": spread}, spread, 0, bytes=2 * (tokens + tokens * k) * width)

    def returned(rows=rows):
        return (rows[flat].reshape(tokens, k, width) * weights[..., None]).sum(1)

    yield operation_case(f"weighted return of {tokens}x{k} rows of {width} bf16", functools.partial(ops.moe_combine, rows, positions, weights), {"torch": lambda: returned().to(x.dtype)}, lambda: returned(rows.float()), 1e-2,
                         bytes=2 * (tokens + tokens * k) * width)
    n = sized(1536)
    weight = random(experts, n, width).transpose(1, 2) / width**0.5
    peers = {"torch._grouped_mm": functools.partial(torch._grouped_mm, rows, weight, ends)} if device() == "cuda" else {}

    def products():
        parts = torch.split(rows, ends.diff(prepend=torch.zeros_like(ends[:1])).tolist())
        return torch.cat([part.float() @ weight[e].float() for e, part in enumerate(parts)])

    yield operation_case(f"grouped product of {tokens * k} rows, {experts} experts of {n}x{width} bf16", functools.partial(ops.grouped_matmul, rows, weight.contiguous(), ends), peers, products, 1e-2,
                         flops=2 * tokens * k * n * width, kind="f16")


def adapter_cases():
    depth, rank, adapters = sized(4096), 16, 32
    a, b = random(adapters, rank, depth) / 64, random(adapters, depth, rank) / 4
    for each, segments in ((1, sized(256)), (64, sized(64))):
        x, chosen = random(each * segments, depth), integers(0, adapters, segments, dtype=torch.int32)
        starts, rows = torch.arange(segments + 1, dtype=torch.int32, device=device()) * each, chosen.long().repeat_interleave(each)
        out = torch.zeros_like(x)

        def ours(x=x, out=out, starts=starts, chosen=chosen, each=each):
            out.zero_()
            ops.add_lora_(out, x, a, b, starts, chosen, each)
            return out

        def theirs(x=x, rows=rows):
            return torch.bmm(b[rows], torch.bmm(a[rows], x[:, :, None]))[:, :, 0]

        yield operation_case(f"LoRA, {segments} segments of {each} rows, rank {rank} of {depth} bf16", ours, {"torch": theirs}, lambda x=x, rows=rows: torch.einsum("tdr,tr->td", b[rows].float(), torch.einsum("trd,td->tr", a[rows].float(), x.float())),
                             2e-2, bytes=4 * min(segments, adapters) * rank * depth + 6 * x.numel())


GROUPS = {"decode": decode_cases, "latent": latent_cases, "lengths": varlen_cases, "caches": cache_cases, "sampling": sampling_cases, "order": order_cases, "routing": expert_cases, "adapters": adapter_cases}
