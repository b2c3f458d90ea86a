"""project_attention.py: attention in the forms that other projects write it in, and recurrences that stand for it (project_calls.py)."""
import contextlib
import sys

import torch

from project_calls import absent, below, both_ways, call, module, random, size, steps

HALF = torch.float16


def heads(batch, count, length, width=64, dtype=HALF, grad=True):
    return random(batch, count, length, width, dtype=dtype, grad=grad)


@call("shawntan+stickbreaking-attention")
def stick_breaking():
    inputs = [heads(size(4, 1), size(16, 2), size(2048, 128), dtype=torch.bfloat16) for _ in range(3)]
    return both_ways(stick_breaking_module("sb_attn").sb_attn, *inputs)


def stick_breaking_module(name):
    import triton.language as tl
    softplus = module(":stickbreaking_attention.sb_varlen.softplus", "stickbreaking_attention", "stickbreaking_attention.sb_varlen")
    del sys.modules["stickbreaking_attention.sb_varlen"]
    for each in ("NUM_REG", "asm_str", "constraints_str"):  # annotated, which Triton 3.6 does not take for constants any more
        setattr(softplus, each, tl.constexpr(getattr(softplus, each)))
    made = module(f":stickbreaking_attention.{name}")
    for file in list(sys.modules.values()):
        if getattr(file, "__name__", "").startswith("stickbreaking_attention"):
            for each in ("ALLOW_TF32", "inv_log2"):
                if isinstance(getattr(file, each, None), (bool, float)):
                    setattr(file, each, tl.constexpr(getattr(file, each)))
    return made


@call("shawntan+stickbreaking-attention")
def stick_breaking_of_packed_sequences():
    lengths = size([1024, 500, 2048, 524], [64, 37, 91])
    inputs = [random(size(16, 2), sum(lengths), 64) for _ in range(3)]
    return both_ways(stick_breaking_module("sb_varlen").sb_attn_varlen, *inputs, cu_seqlens=steps(lengths), max_seqlens=max(lengths))


@call("zhixuan-lin+forgetting-transformer")
def forgetting():
    batch, count, length = size((4, 16, 2048), (1, 2, 160))
    inputs = [random(batch, length, count, 64) for _ in range(3)] + [torch.nn.functional.logsigmoid(random(batch, length, count, dtype=torch.float32, grad=False) + 3).requires_grad_()]
    return both_ways(module("src:forgetting_transformer.ops.forgetting_attention", "forgetting_transformer", "forgetting_transformer.ops").forgetting_attention, *inputs)


@call("zhixuan-lin+forgetting-transformer")
def forgetting_with_pruning():
    batch, count, length = size((4, 16, 2048), (1, 2, 160))
    inputs = [random(batch, length, count, 128) for _ in range(3)] + [torch.nn.functional.logsigmoid(random(batch, length, count, dtype=torch.float32, grad=False) + 2).requires_grad_()]
    return both_ways(module("src:forgetting_transformer.ops.forgetting_attention", "forgetting_transformer", "forgetting_transformer.ops").forgetting_attention, *inputs, adaptive_threshold=-10.0)


@call("alexzhang13+flashattention2-custom-mask")
def attention_with_a_mask():
    length = size(2048, 128)
    inputs = [heads(2, size(8, 2), length) for _ in range(3)]
    mask = below(2, 2, size(8, 2), length, length, dtype=torch.int32)
    function = module(":fa2_custom_mask.fa2_custom_mask", "fa2_custom_mask")._attention.apply
    return both_ways(lambda *given: function(*given, mask, 0.125), *inputs)


@call("hkproj+triton-flash-attention")
def attention_of_a_course():
    inputs = [heads(2, size(16, 2), size(2048, 256)) for _ in range(3)]
    function = module("triton:flash_attention").TritonAttention.apply
    return both_ways(lambda *given: function(*given, True, 0.125), *inputs)


@call("thunlp+InfLLM")
def attention_in_stages():
    absent("flash_attn")
    file = module(":inf_llm.attention.dot_production_attention.triton_impl", "inf_llm", "inf_llm.attention", "inf_llm.attention.dot_production_attention")
    q, k, v = (heads(1, size(32, 2), length, 128, grad=False) for length in size((1024, 4096, 4096), (64, 192, 192)))
    stage = file.TritonMultiStageDotProductionAttention(q.shape, q.dtype, q.device)
    stage.append(q, k, v, sliding_window=size(2048, 96), get_score=True, end=True)
    result, scores = stage.get_result()
    return [result, *scores]


@call("tilde-research+nsa-impl")
def attention_to_selected_blocks():
    absent("fla"), absent("fla.ops"), absent("fla.ops.nsa"), absent("fla.ops.nsa.parallel", ParallelNSAFunction=None)
    length, block = size(2048, 256), 64
    q, k, v = (random(1, length, count, 64) for count in size((32, 2, 2), (16, 1, 1)))
    chosen = torch.rand(1, length, k.shape[2], length // block, device="cuda").topk(size(8, 4)).indices.sort(-1).values.int()
    function = module(":nsa.selection", "nsa").SelectionAttention.apply
    return both_ways(lambda *given: function(*given, chosen, block, 0.125, False, False), q, k, v)


@call("microsoft+ArchScale")
def attention_with_sinks():
    lengths = size([1024, 1024, 2048], [64, 128])
    q, kv = random(sum(lengths), size(16, 2), 64), random(sum(lengths), 2, size(16, 2), 64)
    sinks = random(size(16, 2), dtype=torch.float32)
    function = module(":lit_gpt.oss_attn", "lit_gpt")._attention_packed.apply
    return both_ways(lambda q, kv, sinks: function(q, kv, steps(lengths), steps(lengths), 0.125, True, 0, sinks), q, kv, sinks)


@call("InternLM+xtuner")
def attention_with_sinks_and_a_window():
    lengths = size([1024, 1024, 2048], [64, 128])
    q, k, v = random(sum(lengths), size(16, 4), 64), random(sum(lengths), size(4, 2), 64), random(sum(lengths), size(4, 2), 64)
    sinks = random(size(16, 4))
    function = module(":xtuner.v1.ops.flash_attn.flash_sink_varlen_attn_gpt_oss", "xtuner", "xtuner.v1", "xtuner.v1.ops", "xtuner.v1.ops.flash_attn").FlashSinkVarlenAttention.apply
    return both_ways(lambda *given: function(*given, steps(lengths), 128), q, k, v, sinks)


@call("alibaba+TorchEasyRec")
def attention_of_a_recommender():
    lengths = size([1000, 512, 2000, 584], [40, 100])
    count = size(8, 2)
    inputs = [random(sum(lengths), count, 64) for _ in range(3)]
    targets = torch.tensor(size([20, 10, 5, 3], [3, 5]), device="cuda")
    function = hstu("attention").triton_hstu_mha
    return both_ways(lambda *given: function(max(lengths), 0.125, *given, steps(lengths, torch.int64), True, targets), *inputs)


@call("alibaba+TorchEasyRec")
def attention_of_a_recommender_by_descriptors():
    lengths = size([1000, 512, 2000, 584], [40, 100])
    inputs = [random(sum(lengths), size(8, 2), 128) for _ in range(3)]
    function = hstu("attention").triton_hstu_mha
    return both_ways(lambda *given: function(max(lengths), 0.125, *given, steps(lengths, torch.int64), True, None, size(256, 64), enable_tma=True), *inputs)


def hstu(name):
    absent("tzrec.utils.fx_util", fx_int_item=int)
    return module(f":tzrec.ops._triton.triton_{'hstu_' if name in ('attention', 'linear') else ''}{name}", "tzrec", "tzrec.ops", "tzrec.ops._triton", "tzrec.utils")


@call("turboderp-org+exllamav3")
def attention_over_pages_decoding():
    file = exllama("triton_paged")
    sequences, pages, page = size((8, 16, 256), (2, 2, 256))
    cache = [random(sequences * pages, page, size(8, 2), 128, dtype=HALF, grad=False) for _ in range(2)]
    table = torch.randperm(sequences * pages, device="cuda").view(sequences, pages).int()
    lengths = below(pages * page - 8, sequences, dtype=torch.int32) + 1
    q = random(sequences, 1, size(32, 4), 128, dtype=HALF, grad=False)
    return file.paged_attn_triton_decode(q, None, None, *cache, table, lengths, causal=True)


@call("turboderp-org+exllamav3")
def attention_over_pages_of_many_rows():
    file = exllama("triton_paged")
    sequences, pages, page, rows = size((2, 16, 256, 1024), (1, 2, 256, 64))
    cache = [random(sequences * pages, page, size(8, 2), 128, dtype=HALF, grad=False) for _ in range(2)]
    table = torch.randperm(sequences * pages, device="cuda").view(sequences, pages).int()
    lengths = torch.full((sequences, ), pages * page - rows - 56, device="cuda", dtype=torch.int32)
    q, k, v = (random(sequences, rows, count, 128, dtype=HALF, grad=False) for count in size((32, 8, 8), (4, 2, 2)))
    return file.paged_attn_triton_prefill(q, k, v, *cache, table, lengths, causal=True)


@call("turboderp-org+exllamav3")
def attention_of_packed_rows():
    lengths = size([700, 1024, 2048, 300], [30, 100])
    q, k, v = (random(sum(lengths), size(16, 2), size(80, 32), dtype=HALF, grad=False) for _ in range(3))
    return exllama("triton_paged").varlen_attn_triton(q, k, v, steps(lengths), max(lengths), causal=True)


def exllama(name):
    packages = ("exllamav3", "exllamav3.modules", "exllamav3.modules.attention_fn", "exllamav3.util")
    absent("exllamav3.ext", exllamav3_ext=None)
    return module(f":exllamav3.modules.attention_fn.{name}", *packages)


@call("microsoft+unilm")
def attention_decoding_with_a_cache():
    length, count = size(4096, 256), size(32, 4)
    k, v = (random(size(8, 2), length, size(8, 2), 128, grad=False) for _ in range(2))
    q = random(size(8, 2), 1, count, 128, grad=False)
    lengths = below(length - 1, size(8, 2), dtype=torch.int32) + 1
    return module("ReSA/llm:kernel.flash_attention_with_kv_cache", "kernel").flash_attention_with_kv_cache(q, k, v, lengths)


@call("microsoft+unilm")
def retention_with_gates():
    batch, count, length = size((2, 16, 4096), (1, 2, 256))
    q, k, v = (random(batch, count, length, 128, scale=0.3) for _ in range(3))
    gates = torch.nn.functional.logsigmoid(random(batch, count, length, dtype=torch.float32, grad=False) + 2).requires_grad_()
    return both_ways(module("YOCO/yoco/models/decoder:kernel.gate_recurrent", "kernel").chunk_gate_retention, q, k, v, gates, chunk_size=64)


def rwkv7_of_rwkv_block(name, **options):
    batch, length, width = size((4, 1024, 2048), (1, 64, 128))
    r, k, v = (random(batch, length, width, scale=0.5) for _ in range(3))
    w = -torch.nn.functional.softplus(random(batch, length, width, dtype=torch.float32, grad=False)).to(torch.bfloat16).requires_grad_()
    kk = torch.nn.functional.normalize(random(batch, length, width // 64, 64, dtype=torch.float32, grad=False), dim=-1).view(batch, length, width).to(torch.bfloat16).requires_grad_()
    rate = torch.sigmoid(random(batch, length, width, dtype=torch.float32, grad=False)).to(torch.bfloat16).requires_grad_()
    packages = [".".join("rwkv_block.v7_goose.block.kernel".split(".")[:count]) for count in range(1, 5)]
    return both_ways(getattr(module(":rwkv_block.v7_goose.block.kernel.rwkv7_attn_triton", *packages), name), r, w, k, v, kk, rate, **options)


@call("RWKV+RWKV-block")
def recurrence_of_rwkv7():
    return rwkv7_of_rwkv_block("rwkv7_attn_triton")


@call("RWKV+RWKV-block")
def recurrence_of_rwkv7_in_bf16():
    return rwkv7_of_rwkv_block("rwkv7_attn_triton_bighead", dot_prec="tf32")


@call("NVlabs+GatedDeltaNet")
def gated_delta_rule():
    absent("fla"), absent("fla.utils", contiguous=lambda function: function)
    batch, count, length = size((4, 8, 2048), (1, 2, 128))
    q, v = (heads(batch, count, length, 128, dtype=torch.bfloat16) for _ in range(2))
    k = torch.nn.functional.normalize(heads(batch, count, length, 128, dtype=torch.float32, grad=False), dim=-1).to(torch.bfloat16).requires_grad_()
    beta = torch.sigmoid(random(batch, count, length, dtype=torch.float32, grad=False)).to(torch.bfloat16).requires_grad_()
    gates = torch.nn.functional.logsigmoid(random(batch, count, length, dtype=torch.float32, grad=False)).requires_grad_()
    function = module(":lit_gpt.gated_delta_rule_ops.chunk", "lit_gpt", "lit_gpt.gated_delta_rule_ops").ChunkGatedDeltaRuleFunction.apply
    return both_ways(lambda *given: function(*given, 64, None, False)[0], q, k, v, beta, gates)


@call("microsoft+ArchScale")
def selective_scan_step_by_step():
    batch, length, width = size((2, 2048, 2048), (1, 64, 128))
    u, delta = random(batch, length, width), torch.nn.functional.softplus(random(batch, length, width, dtype=torch.float32, grad=False)).to(torch.bfloat16).requires_grad_()
    decay = -torch.rand(width, 16, device="cuda") - 0.1
    b, c = random(batch, length, 16), random(batch, length, 16)
    function = module(":lit_gpt.triton_sequential_scan", "lit_gpt").triton_selective_scan_sequential
    return both_ways(lambda u, delta, b, c: function(u, delta, decay, b, c, torch.ones(width, device="cuda")), u, delta, b, c)


@call("AMD-AGI+Primus-Turbo")
def attention_to_chosen_latents():
    length, chosen = size(1024, 128), size(512, 64)
    q, kv = random(length, size(64, 16), 576, grad=False, scale=0.3), random(length, 1, 576, grad=False, scale=0.3)
    indices = torch.stack([torch.randperm(length, device="cuda")[:chosen] for _ in range(length)]).int()
    absent("primus_turbo.triton.utils.triton_knobs_helper", scoped_amd_triton_knobs_disabled=contextlib.nullcontext)
    file = module(":primus_turbo.triton.attention.sparse_mla", "primus_turbo", "primus_turbo.triton", "primus_turbo.triton.attention", "primus_turbo.triton.utils")
    out, lse = file.sparse_mla_fwd_triton(q, kv, indices)[:2]
    return [out, lse, *file.sparse_mla_bwd_triton(q, kv, out, random(*out.shape, grad=False), indices, lse)[:2]]


@call("pytorch-labs+segment-anything-fast")
def attention_with_relative_places():
    file = module(":segment_anything_fast.flash_4", "segment_anything_fast")
    q, k, v = (heads(1, size(16, 2), size(4096, 256), 64, grad=False) for _ in range(3))
    places, out = heads(1, size(16, 2), size(4096, 256), 128, grad=False), torch.empty_like(q)
    file._attention_rel_h_rel_w_kernel_aligned_device(q, k, v, places, 0.125, out, 128, 64, 4, 2)
    return out


@call("latkins+trifast")
def triangle_attention():
    absent("platformdirs", user_config_dir=lambda **_: "/tmp/trifast")
    import importlib.metadata
    version = importlib.metadata.version
    importlib.metadata.version = lambda name: "0" if name == "trifast" else version(name)

    class Any:
        def __class_getitem__(cls, item):
            return cls

    absent("jaxtyping", Bool=Any, Float=Any)
    length = size(256, 48)
    q, k, v = (random(1, size(4, 2), length, length, 32) for _ in range(3))
    bias, mask = random(1, size(4, 2), length, length), below(2, 1, length, length) == 0
    return both_ways(lambda *given: module("src:trifast.torch", "trifast").triangle_attention(*given, mask), q, k, v, bias)
