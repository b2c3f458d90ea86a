"""peer_calls.py: Triton kernels of other libraries, from checkouts, on the problems of library_against_peers.py, timed in a process of their own, in which `triton` is Triton.

    python3 bench/peer_calls.py --json FILE [--liger CHECKOUT] [--fla CHECKOUT] [--mamba CHECKOUT] [--vllm CHECKOUT] [--bitsandbytes CHECKOUT] [--unsloth CHECKOUT] [--rounds 5] [--only TEXT] [--seconds 200]

CHECKOUT are linkedin/Liger-Kernel, fla-org/flash-linear-attention, state-spaces/mamba, vllm-project/vllm, bitsandbytes-foundation/bitsandbytes and unslothai/unsloth; the second and third need einops. Each case has the name of a row there. Results are checked
against torch where that is short; all are timed in the same way."""
import argparse
import contextlib
import enum
import json
import math
import os
import statistics
import sys
import time

import torch
import torch.nn.functional as F

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from graph_timer import Timer  # noqa: E402
from operation_case import device, integers, random, sized, try_on  # noqa: E402
from peer_sources import load  # noqa: E402


class Call:
    """`call` on the problem of the row `name`; `expected` gives what comes out of it, or is None."""

    def __init__(self, name, call, expected=None, is_recorded=True):
        self.name, self.call, self.expected, self.is_recorded = name, call, expected, is_recorded


def liger(root):
    return lambda file, name: getattr(load(os.path.join(root, "src"), f"liger_kernel.ops.{file}", bare=("liger_kernel", "liger_kernel.ops")), name)


def liger_losses(root):
    function = liger(root)
    fused = function("fused_linear_cross_entropy", "fused_linear_cross_entropy_forward")
    for rows, width, classes in ((8192, 4096, 32000), (4096, 4096, 128256)):
        rows, width, classes = sized(rows), sized(width), sized(classes)
        x, weight, target = random(rows, width).requires_grad_(True), (random(classes, width) / width**0.5).requires_grad_(True), integers(0, classes, rows)
        yield Call(f"linear cross entropy with gradients {rows}x{width}, {classes} classes bf16", lambda x=x, weight=weight, target=target: fused(x, weight, target)[0],
                   lambda x=x, weight=weight, target=target: F.cross_entropy((x @ weight.T).float(), target))
    rows, classes = sized(8192), sized(128256)
    logits, target, entropy = random(rows, classes), integers(0, classes, rows), function("cross_entropy", "LigerCrossEntropyFunction")
    logits.requires_grad_(True)
    yield Call(f"cross entropy with its gradient {rows}x{classes} bf16", lambda: entropy.apply(logits, target, None, -100, 0.0, 0.0, "sum")[0])  # it writes the gradient over the logits
    rows, classes = sized(4096), sized(32000)
    p, q = (torch.log_softmax(random(rows, classes, dtype=torch.float32), -1) for _ in range(2))
    likely = p.exp(), q.exp()
    kl, jsd, tvd = function("kl_div", "kldiv_forward_triton"), function("jsd", "jsd_forward"), function("tvd", "tv_distance_forward_triton")
    yield Call(f"KL divergence of {rows}x{classes} float32", lambda: kl(p, q, True, "batchmean", 1e-10), lambda: F.kl_div(p, q, reduction="batchmean", log_target=True))
    yield Call(f"JSD of {rows}x{classes} float32", lambda: jsd(p, q, None, 0.5, -100, False))
    yield Call(f"TVD of {rows}x{classes} float32", lambda: tvd(*likely, None, "batchmean", -100, False))


def liger_rows(root):
    function = liger(root)
    rows, width = sized(8192), sized(14336)
    gate, up, grad = random(rows, width), random(rows, width), random(rows, width)
    forward, backward = function("swiglu", "swiglu_forward"), function("swiglu", "swiglu_backward")
    yield Call(f"SwiGLU {rows}x{width} bf16", lambda: forward(gate, up)[-1], lambda: F.silu(gate) * up)
    yield Call(f"SwiGLU backward {rows}x{width} bf16", lambda: backward(gate, up, grad))  # it writes over gate and up
    rows, width = sized(8192), sized(4096)
    x, residual, weight = random(rows, width), random(rows, width), random(width)
    added = function("fused_add_rms_norm", "fused_add_rms_norm_forward")
    yield Call(f"sum and RMS norm {rows}x{width} bf16", lambda: added(x, residual, weight, 1e-6, 0.0, "llama")[0], lambda: F.rms_norm(x + residual, (width, ), weight, 1e-6))
    tanh, ones = function("dyt", "liger_dyt_fwd"), torch.ones(1, device=device(), dtype=torch.bfloat16)
    yield Call(f"dynamic tanh {rows}x{width} bf16", lambda: tanh(x, ones, weight, weight), lambda: weight * torch.tanh(x) + weight)
    wide, sparse = random(sized(4096), sized(32000), dtype=torch.float32), function("sparsemax", "_sparsemax_forward")
    yield Call("sparsemax 4096x32000 float32", lambda: sparse(wide, -1)[0])


def liger_norms(root):
    function = liger(root)
    rows, width = sized(8192), sized(4096)
    x, weight, grad = random(rows, width), random(width), random(rows, width)
    norm, norm_backward = function("rms_norm", "rms_norm_forward"), function("rms_norm", "rms_norm_backward")
    out, rows_of, rstd, block, warps, mode = norm(x, weight, 1e-6, 0.0, "llama", None)
    yield Call(f"RMS norm backward {rows}x{width} bf16", lambda: norm_backward(grad, rows_of, weight, rstd, 0.0, mode, block, warps, False, None))
    half, half_weight, half_bias = random(4096, 4096, dtype=torch.float16), random(4096, dtype=torch.float16), random(4096, dtype=torch.float16)
    layer = function("layer_norm", "layer_norm_forward")
    yield Call("layer norm f16 4096x4096", lambda: layer(half, half_weight, half_bias, 1e-5)[0], lambda: F.layer_norm(half, (4096, ), half_weight, half_bias, 1e-5))
    yield Call("rms norm f16 4096x4096", lambda: norm(half, half_weight, 1e-5, 0.0, "llama", None)[0], lambda: F.rms_norm(half, (4096, ), half_weight, 1e-5))
    pictures, scale, shift = random(sized(32), sized(256, 32), sized(64, 4), sized(64, 4)), random(sized(256, 32)), random(sized(256, 32))
    grouped, shape = function("group_norm", "group_norm_forward"), "x".join(map(str, pictures.shape))
    yield Call(f"group norm of 32 groups, {shape} bf16", lambda: grouped(pictures, pictures.shape[1], 32, scale, shift, 1e-5)[0], lambda: F.group_norm(pictures, 32, scale, shift))


def fla_calls(root):
    bare = ("fla", "fla.ops")
    batch, length, heads, dim = sized(4), sized(8192), sized(16), 128
    q, k, v = (random(batch, length, heads, dim) for _ in range(3))
    k = F.normalize(k.float(), dim=-1).to(k.dtype)
    beta, g = torch.rand(batch, length, heads, device=device()).to(q.dtype), -torch.rand(batch, length, heads, device=device())
    rule = load(root, "fla.ops.gated_delta_rule.chunk", (*bare, "fla.modules", "fla.modules.conv", "fla.modules.conv.triton"), given={"fla": {"__version__": "0"}}).chunk_gated_delta_rule
    yield Call(f"gated delta rule {batch}x{length}, {heads} heads of {dim} bf16", lambda: rule(q, k, v, g, beta, scale=dim**-0.5)[0])
    attention = load(root, "fla.ops.linear_attn.chunk").chunk_linear_attn
    yield Call(f"linear attention {batch}x{length}, {heads} heads of {dim} bf16", lambda: attention(q, k, v, scale=dim**-0.5, normalize=False)[0])
    batch, channels, length = sized(8), sized(4096), sized(4096)
    x, weight, bias = random(batch, length, channels), random(channels, 4), random(channels)  # channels last: what it takes
    convolve = load(root, "fla.modules.conv.triton.ops").causal_conv1d_fwd
    yield Call(f"causal convolution of 4, {batch}x{channels}x{length} bf16", lambda: convolve(x, weight, bias, None, activation="silu"))


def mamba_calls(root):
    bare = ("mamba_ssm", "mamba_ssm.ops", "mamba_ssm.ops.triton", "mamba_ssm.utils")
    batch, length, heads, dim, states = sized(4), sized(8192), sized(32), 64, 128
    x, dt, A = random(batch, length, heads, dim), torch.rand(batch, length, heads, device=device()) * 0.1, -torch.rand(heads, device=device()) - 0.5
    B, C = (random(batch, length, 1, states) / 11 for _ in range(2))
    scan = load(root, "mamba_ssm.ops.triton.ssd_combined", bare)._mamba_chunk_scan_combined_fwd
    yield Call(f"Mamba-2 scan {batch}x{length}, {heads} heads of {dim}, {states} states bf16", lambda: scan(x, dt, A, B, C, 256)[0])
    batch, heads = sized(128), sized(64)
    channels = heads * dim
    given = [random(batch, channels) for _ in range(3)]
    state, A, D = random(batch, channels, states, dtype=torch.float32), -torch.rand(channels, states, device=device()), random(channels, dtype=torch.float32)
    B, C = random(batch, states), random(batch, states)
    update = load(root, "mamba_ssm.ops.triton.selective_state_update", bare).selective_state_update
    yield Call(f"state update {batch}x{channels}x{states} float32", lambda: update(state, given[0], given[1], A, B, C, D, given[2], torch.zeros_like(D), True))  # without a bias it fails


class KVQuantMode(enum.IntEnum):
    """What vLLM's kernels are told of a cache."""
    NONE = 0
    INT8_PER_TOKEN_HEAD = 2
    FP8_PER_TOKEN_HEAD = 3
    INT4_PER_TOKEN_HEAD = 4


def vllm_calls(root):
    import triton
    import triton.language
    platform = type("Platform", (), {"fp8_dtype": staticmethod(lambda: torch.float8_e4m3fn), "is_rocm": staticmethod(lambda: False), "is_device_capability_family": staticmethod(lambda family: False),
                                     "is_xpu": staticmethod(lambda: False), "is_cuda": staticmethod(lambda: True)})()  # yapf: disable
    given = {"vllm.triton_utils": {"triton": triton, "tl": triton.language}, "vllm.platforms": {"current_platform": platform}, "vllm.v1.kv_cache_interface": {"KVQuantMode": KVQuantMode},
             "vllm.utils.gpu_sync_debug": {"gpu_sync_allowed": contextlib.nullcontext}, "vllm.utils.math_utils": {"next_power_of_2": triton.next_power_of_2},
             "vllm.utils.platform_utils": {"num_compute_units": lambda index: torch.cuda.get_device_properties(index).multi_processor_count, "get_device_name_as_file_name": lambda: "NVIDIA_H200"}}  # yapf: disable
    layers = "vllm.model_executor.layers.quantization."
    read = [f"vllm.v1.attention.ops.{each}" for each in ("triton_unified_attention", "triton_attention_helpers", "triton_decode_attention")]
    read += [layers + "awq_triton", layers + "utils.fp8_utils", "vllm.v1.sample.ops.topk_topp_triton"]
    attend = load(root, read[0], only=read, given=given).unified_attention
    heads, heads_k, dim = 32, 8, 128
    for batch, length in ((1, 131072), (16, 16384), (128, 4096)):
        batch, length = sized(batch), sized(length, 64)
        for size in (16, 64) if batch > 1 else (64, ):
            q, pages = random(batch, heads, dim), batch * length // size
            k, v = (random(pages, size, heads_k, dim) for _ in range(2))
            table, lengths = torch.randperm(pages, device=device()).int().view(batch, -1), torch.full((batch, ), length, dtype=torch.int32, device=device())
            starts, out = torch.arange(batch + 1, dtype=torch.int32, device=device()), torch.empty_like(q)
            parts = 16  # as vLLM has it
            kept = [torch.empty(batch, heads, parts, dim, device=device()), *(torch.empty(batch, heads, parts, device=device()) for _ in range(2))]

            def call(q=q, k=k, v=v, out=out, starts=starts, lengths=lengths, length=length, table=table, kept=kept):
                attend(q, k, v, out, starts, 1, lengths, length, dim**-0.5, True, (-1, -1), table, 0.0, None, None, None, 128, parts, *kept)
                return out

            yield Call(f"paged decode attention, pages of {size}, {batch}x{length} keys, {heads}/{heads_k} heads of {dim} bf16", call)
    decode = load(root, read[2]).decode_attention_fwd
    rank, rope, heads = 512, 64, 128
    for batch, length in ((1, 65536), (64, 8192)):
        batch, length = sized(batch), sized(length, 64)
        q, cache = random(batch, heads, rank + rope), random(batch * length, 1, rank + rope)
        table = torch.arange(batch * length // 64, dtype=torch.int32, device=device()).view(batch, -1)
        lengths, out, lse = torch.full((batch, ), length, dtype=torch.int32, device=device()), torch.empty(batch, heads, rank, dtype=q.dtype, device=device()), torch.empty(batch, heads, device=device())
        splits = 32 if batch == 1 else 4
        logits, pages = torch.empty(batch, heads, splits, rank + 1, device=device()), cache.view(-1, 64, 1, rank + rope)

        def call(q=q, pages=pages, out=out, lse=lse, table=table, lengths=lengths, logits=logits, splits=splits):
            decode(q, pages, pages[..., :rank], out, lse, table, lengths, logits, splits, (rank + rope)**-0.5, 64, is_mla=True)
            return out

        yield Call(f"MLA decode, {batch}x{length} rows, {heads} heads of {rank} + {rope} bf16", call)
    columns, rows, group = sized(8192, 128), sized(8192, 128), 128
    words, zeros = integers(-2**31, 2**31 - 1, columns, rows // 8, dtype=torch.int32), integers(-2**31, 2**31 - 1, columns // group, rows // 8, dtype=torch.int32)
    scales = torch.rand(columns // group, rows, device=device()).to(torch.float16)
    awq = load(root, read[3]).awq_dequantize_triton
    yield Call(f"from AWQ, {columns}x{rows} float16", lambda: awq(words, scales, zeros))
    yield from fp8_products(load(root, read[4]).w8a8_triton_block_scaled_mm)
    rows, vocabulary = sized(128), sized(128256)
    logits, top_k, top_p = random(rows, vocabulary, dtype=torch.float32), torch.full((rows, ), 50, dtype=torch.int32, device=device()), torch.full((rows, ), 0.9, device=device())
    choose = load(root, read[5]).apply_top_k_top_p_triton
    yield Call(f"top-k and top-p of {rows}x{vocabulary} float32", lambda: choose(logits.clone(), top_k, top_p).exp())  # it writes over the logits; exp as in ours


def fp8_products(multiply):
    """With scales of blocks, as vLLM and Unsloth take them."""
    for m, n, k in ((4096, 4096, 4096), (8192, 8192, 8192), (64, 8192, 8192)):
        m, n, k = sized(m, 16), sized(n, 128), sized(k, 128)
        a, b = random(m, k).to(torch.float8_e4m3fn), random(n, k).to(torch.float8_e4m3fn)
        a_scale, b_scale = torch.rand(m, k // 128, device=device()), torch.rand(n // 128, k // 128, device=device())
        yield Call(f"fp8 product with scales of blocks {m}x{n}x{k}", lambda a=a, b=b, a_scale=a_scale, b_scale=b_scale: multiply(a, b, a_scale, b_scale, [128, 128], torch.bfloat16),
                   lambda a=a, b=b, a_scale=a_scale, b_scale=b_scale: (a.float() * a_scale.repeat_interleave(128, 1)) @ (b.float() * b_scale.repeat_interleave(128, 0).repeat_interleave(128, 1)).T)


def settings_of_rows(n):
    """Unsloth's block and warps for rows of n elements."""
    block = 1 << max(n - 1, 0).bit_length()
    return block, 32 if block >= 32768 else 16 if block >= 8192 else 8 if block >= 2048 else 4


def unsloth_calls(root):
    import triton.language
    from triton.language.extra import libdevice
    shared = {"calculate_settings": settings_of_rows, "MAX_FUSED_SIZE": 65536, "triton_tanh": libdevice.tanh, "triton_cast": triton.language.cast, "torch_gpu_device": contextlib.nullcontext, "is_cdna": lambda: False}
    given = {"unsloth.kernels.utils": shared, "unsloth.device_type": {"DEVICE_COUNT": 1}, "transformers.models.llama.modeling_llama": {}}
    names = [f"unsloth.kernels.{each}" for each in ("swiglu", "geglu", "rope_embedding", "cross_entropy_loss", "fp8")]
    swiglu, geglu, rope, loss, fp8 = (load(root, each, only=names, given=given, absent=("unsloth_zoo", "transformers", "torchao", "fbgemm_gpu")) for each in names)
    rows, width = sized(8192), sized(14336)
    for name, forward, backward, right in (("SwiGLU", swiglu.swiglu_fg_kernel, swiglu.swiglu_DWf_DW_dfg_kernel, F.silu), ("GeGLU", geglu.geglu_exact_forward_kernel, geglu.geglu_exact_backward_kernel, F.gelu)):
        gate, up, grad = random(1, rows, width), random(1, rows, width), random(rows, width)
        yield Call(f"{name} {rows}x{width} bf16", lambda forward=forward, gate=gate, up=up: forward(gate, up), lambda right=right, gate=gate, up=up: right(gate) * up)
        yield Call(f"{name} backward {rows}x{width} bf16", lambda backward=backward, gate=gate, up=up, grad=grad: backward(grad, gate[0], up[0])[0])  # it writes over all three
    batch, length, heads, dim = sized(4), sized(4096), 32, 128
    x, angle = random(batch, length, heads, dim), torch.rand(length, dim // 2, device=device())
    cos, sin = (each(torch.cat([angle, angle], 1)) for each in (torch.cos, torch.sin))
    yield Call(f"rotary positions {batch}x{length}x{heads}x{dim} bf16", lambda: rope.Fast_RoPE_Embedding.apply(x, cos, sin))  # in place
    rows, classes = sized(8192), sized(128256)
    logits, target, ones = random(rows, classes).requires_grad_(True), integers(0, classes, rows), torch.ones(rows, device=device())

    def entropy():
        losses = loss.Fast_CrossEntropyLoss.apply(logits, target)
        losses.grad_fn.apply(ones)  # it writes the gradient over the logits
        return losses

    yield Call(f"cross entropy with its gradient {rows}x{classes} bf16", entropy, is_recorded=False)
    yield from fp8_products(fp8.w8a8_block_fp8_matmul_triton)


def bitsandbytes_calls(root):
    kernels = load(root, "bitsandbytes.backends.triton.kernels_4bit", bare=("bitsandbytes", "bitsandbytes.backends", "bitsandbytes.backends.triton"))
    rows, columns = sized(8192, 128), sized(8192, 128)
    x, n = random(rows, columns), rows * columns
    q, absmax, out = torch.empty(n // 2, 1, dtype=torch.uint8, device=device()), torch.empty(n // 64, device=device()), torch.empty(n, dtype=torch.bfloat16, device=device())
    yield Call(f"to NF4, {rows}x{columns} bf16", lambda: kernels.quantize_4bit_blockwise_triton(x, 64, "nf4", n // 64, absmax, n, q))
    yield Call(f"from NF4, {rows}x{columns} bf16", lambda: kernels.dequantize_4bit_impl(q, absmax, 64, "nf4", torch.bfloat16, out))


# In the order in which they are timed; those that tune their kernels for long come last.
LIBRARIES = {"liger": ("Liger", (liger_losses, liger_rows, liger_norms)), "vllm": ("vLLM", (vllm_calls, )), "bitsandbytes": ("bitsandbytes", (bitsandbytes_calls, )),
             "unsloth": ("Unsloth", (unsloth_calls, )), "fla": ("fla", (fla_calls, )),
             "mamba": ("mamba", (mamba_calls, ))}


def differs(call):
    """How far the result is from what is expected, over the largest of that."""
    if call.expected is None:
        call.call()
        return 0.0
    with torch.no_grad():
        expected = call.expected().detach().double()
    return ((call.call().detach().double() - expected).abs().max() / expected.abs().max().clamp(min=1e-6)).item()


def asks_the_device(call):
    """Whether it waits for a value on its way. Such a call cannot be recorded, and a recording that fails leaves torch's generator of random numbers unusable."""
    torch.cuda.set_sync_debug_mode("error")
    try:
        call()
    except RuntimeError:
        return True
    finally:
        torch.cuda.set_sync_debug_mode("default")
    return False


def measured(call, timer, rounds):
    row = {"difference": differs(call)}
    if timer is None:
        return row
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    call.call()
    row["memory"] = torch.cuda.max_memory_allocated() - before
    replay = timer.record(call.call) if call.is_recorded and not asks_the_device(call.call) else timer.warm(call.call)
    row["seconds"] = statistics.median(timer.once(replay) for _ in range(rounds))
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin no case after so many")
    parser.add_argument("--check", type=int, help="only check, on the CPU, problems that are so many times smaller")
    for name in LIBRARIES:
        parser.add_argument("--" + name, metavar="CHECKOUT")
    options = parser.parse_args()
    if options.check:
        try_on("cpu", options.check)
    timer = None if options.check else Timer(torch.empty(64 << 20, dtype=torch.int32, device="cuda"))
    rows, start = {}, time.monotonic()
    for name, library, calls in ((name, library, calls) for name, (library, each) in LIBRARIES.items() for calls in each):
        steps = iter(calls(getattr(options, name)) if getattr(options, name) else ())
        while time.monotonic() < start + options.seconds:
            call = None
            try:
                call = next(steps, None)
                if call is None:
                    break
                if options.only not in call.name:
                    continue
                row = measured(call, timer, options.rounds)
            except Exception as problem:  # noqa: BLE001 one library must not cost the others
                row = {"error": f"{type(problem).__name__}: {problem}"[:300]}
                call = call or Call(f"all of {library}", None)
            rows.setdefault(call.name, {})[library] = row
            print(library, call.name, row, flush=True)
            with open(options.json, "w", encoding="utf-8") as file:
                json.dump(rows, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
