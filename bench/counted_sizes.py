"""counted_sizes.py: launches that are counted against others: of the library in sizes that the interpreter runs in a second or so, and of Triton's
tutorials in the words of `nereid run`."""
import json
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# Entries of kernels/*/bench.json by folder and the beginning of their names, with sizes of our own and the number of warps.
LIBRARY = (
    ("elementwise", "add", {"N": 1 << 22, "BLOCK": 1024}, 4),
    ("elementwise", "gelu", {"N": 1 << 22, "BLOCK": 1024}, 4),
    ("dropout", "dropout", {"N": 1 << 22, "BLOCK": 1024}, 4),
    ("softmax", "softmax {M}x{N} f32", {"M": 1024}, 8),
    ("softmax", "softmax {M}x{N} bf16", {"M": 1024}, 8),
    ("softmax", "softmax online", {"M": 64, "N": 32768}, 8),
    ("softmax", "softmax of columns", {"M": 512, "N": 2048, "BLOCK_ROWS": 16, "BLOCK_COLUMNS": 64}, 4),
    ("layer_norm", "layer norm {M}x{N} f32", {"M": 1024}, 8),
    ("layer_norm", "layer norm backward", {"M": 512, "P": 128}, 8),
    ("rms_norm", "rms norm {M}x{N} f32", {"M": 1024}, 8),
    ("group_norm", "group norm {B}", {"B": 4, "R": 128}, 8),
    ("cross_entropy", "cross entropy {M}x{N} f32", {"M": 128}, 8),
    ("transpose", "transpose", {"M": 1024, "N": 1024, "BLOCK": 32}, 4),
    ("reduce", "sum of rows", {"M": 1024}, 8),
    ("reduce", "sum of columns", {"M": 1024, "N": 2048, "BLOCK_ROWS": 32, "BLOCK_COLUMNS": 32}, 4),
    ("reduce", "argmax", {"M": 512}, 4),
    ("reduce", "welford", {"M": 512}, 4),
    ("topk", "top {K}", {"M": 64}, 4),
    ("rope", "rope", {"B": 1, "S": 1024}, 4),
    ("swiglu", "swiglu {M}x{N} f32", {"M": 256, "BLOCK": 1024}, 4),
    ("quantize", "quantize rows", {"M": 512}, 8),
    ("histogram", "bincount", {"N": 1 << 20, "P": 132}, 4),
    ("embedding", "gather", {"N": 2048, "R": 4096}, 4),
    ("linear_recurrence", "linear recurrence", {"B": 1, "T": 512, "C": 1024}, 4),
    ("matmul", "matmul {M}x{N}x{K} f32", {"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32}, 4),
)  # yapf: disable

# The same of launches that nothing of the model was fitted to when they were measured first.
SECOND = (
    ("add_rms_norm", "add rms norm {M}x{N} f32", {"M": 512}, 8),
    ("add_rms_norm", "add rms norm backward", {"M": 512, "P": 128}, 8),
    ("batch_norm", "batch norm", {"B": 8, "S": 3136, "C": 64}, 8),
    ("causal_conv1d", "causal conv1d", {"B": 2, "T": 2048}, 4),
    ("conv2d", "conv2d {C} to {O}", {}, 4),
    ("conv2d", "conv2d, gradient of x", {}, 4),
    ("cross_entropy", "cross entropy backward", {"M": 96}, 8),
    ("decode_attention", "paged decode attention", {"B": 2}, 4),
    ("dynamic_tanh", "dynamic tanh, backward", {"M": 512, "P": 64}, 4),
    ("elementwise", "silu", {"N": 3 << 20, "BLOCK": 2048}, 4),
    ("embedding", "add {N} rows", {"N": 2048, "R": 4096}, 4),
    ("gather", "gather", {"N": 1 << 20, "R": 1 << 18}, 4),
    ("geglu", "geglu backward", {"M": 128}, 4),
    ("gradient_clip", "sum of squares", {"N": 1 << 22, "P": 264}, 8),
    ("interpolate", "bilinear {P}", {"P": 24}, 4),
    ("linear_attention", "linear attention", {"H": 8, "T": 1024, "TD": 65536, "HTD": 524288}, 4),
    ("moe", "moe route", {"T": 4096}, 4),
    ("nf4", "dequantize 4 bits", {"N": 1 << 22, "BYTES": 1 << 21, "S": 1 << 16}, 4),
    ("optimizer", "adamw {N}", {"N": 1 << 21}, 4),
    ("pooling", "max pool", {"P": 96}, 4),
    ("quantize", "quantize blocks", {"M": 1024}, 8),
    ("quantized_matmul", "matmul {M}x{N}x{K} f32, int4", {"M": 64, "N": 1024, "BLOCK_M": 64, "BLOCK_N": 64}, 4),
    ("scan", "running sum of {N}", {"N": 1 << 22, "TILES": 1024, "WORDS": 1026}, 4),
    ("selective_scan", "selective scan", {}, 4),
    ("skinny_matmul", "product of", {"K": 2048, "DEPTH": 1024}, 4),
    ("softmax", "softmax backward", {"M": 768}, 8),
    ("softmax", "sparsemax", {"M": 256}, 8),
    ("split_k_matmul", "split-K", {"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32}, 4),
    ("strided_copy", "copy [", {"B": 1, "ROWS": 32768}, 4),
    ("unfused_attention", "unfused attention, scores", {"H": 4, "HLD": 262144, "HLL": 4194304}, 4),
)  # yapf: disable

THIRD = (
    ("block_sparse_matmul", "block-sparse product", {}, 4),
    ("compaction", "compact", {"N": 1 << 21, "P": 64}, 4),
    ("conv2d", "conv2d, gradient of the weight", {}, 4),
    ("decode_attention", "decode attention", {"B": 2, "S": 1024, "SHKD": 1 << 20}, 4),
    ("divergence", "Jensen-Shannon", {"M": 64}, 8),
    ("dynamic_tanh", "dynamic tanh {M}", {"M": 640}, 8),
    ("flash_attention", "causal attention {B}x{H}x{S}x{D} f32, {HK}", {"BLOCK_M": 64, "BLOCK_N": 64}, 4),
    ("flash_attention", "attention {B}x{H}x{S}x{D} bf16", {"BLOCK_M": 64, "BLOCK_N": 64}, 4),
    ("fp8_matmul", "fp8 product", {}, 4),
    ("geglu", "geglu {M}", {"M": 200}, 4),
    ("gather", "add {N} sorted", {"N": 1 << 20}, 4),
    ("gradient_clip", "scale gradient", {"N": 5 << 19}, 4),
    ("group_norm", "group norm backward", {"B": 4, "R": 128}, 8),
    ("int8_matmul", "int8 matmul", {"M": 512, "N": 512, "BLOCK_M": 64, "BLOCK_N": 128, "BLOCK_K": 64}, 4),
    ("interpolate", "bilinear, backward", {"P": 24, "NX": 301056}, 4),
    ("kv_cache", "write kv cache", {"T": 1024}, 4),
    ("layer_norm", "layer norm {M}x{N} bf16", {"M": 1500}, 8),
    ("linear_cross_entropy", "loss and gradient", {"M": 64}, 8),
    ("lookup_matmul", "lookup dequantize", {"K": 1024, "N": 1024, "W": 128}, 4),
    ("lora", "LoRA shrink", {}, 4),
    ("matmul", "matmul {M}x{N}x{K} bf16", {"M": 640, "N": 896, "K": 768, "BLOCK_M": 64, "BLOCK_N": 128, "BLOCK_K": 64}, 4),
    ("microscaling", "to MXFP4", {"N": 1 << 15}, 4),
    ("moe", "moe combine", {}, 4),
    ("muon", "Newton-Schulz, gram", {}, 4),
    ("optimizer", "lion", {"N": 3 << 19}, 4),
    ("packed_weights", "dequantize awq", {"K": 1024, "N": 2048, "W": 256, "G": 8}, 4),
    ("penalties", "penalties", {"M": 32}, 4),
    ("pooling", "mean pool", {"P": 96, "NX": 1204224, "N": 301056}, 4),
    ("quantize", "quantize groups", {"M": 1 << 14}, 4),
    ("quantized_matmul", "matmul {M}x{N}x{K} f32, int8", {"M": 64, "N": 1024, "BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 64}, 4),
    ("reduce", "variance", {"M": 700}, 8),
    ("rms_norm", "rms norm backward", {"M": 512, "P": 96}, 8),
    ("scan", "linear steps", {"N": 1 << 21, "TILES": 512, "WORDS": 1026}, 4),
    ("softmax", "log softmax", {"M": 900}, 8),
    ("strided_copy", "copy of rows", {"M": 900}, 4),
    ("swiglu", "swiglu backward", {"M": 128}, 4),
    ("unfused_attention", "unfused attention, weights", {"H": 2}, 4),
    ("varlen_attention", "varlen attention", {}, 4),
)  # yapf: disable

FOURTH = (
    ("batch_norm", "batch norm", {"B": 4, "S": 1000, "C": 96}, 4),
    ("compaction", "unique", {"N": 1 << 21, "P": 64}, 4),
    ("elementwise", "gelu", {"N": 3_000_000, "BLOCK": 512}, 2),
    ("flash_attention", "attention backward of q", {"S": 512, "SD": 32768, "HSD": 131072, "HKSD": 131072, "BLOCK_M": 64, "BLOCK_N": 64}, 4),
    ("flex_attention", "flex attention", {"S": 512, "SD": 32768, "HSD": 131072}, 4),
    ("fp8_attention", "fp8 attention", {}, 4),
    ("gated_delta_rule", "gated delta rule, chunks", {"H": 4, "T": 512, "TD": 32768, "HTD": 131072, "HT": 2048, "C": 8}, 4),
    ("gated_delta_rule", "gated delta rule {H}", {"H": 4, "T": 512, "TD": 32768, "HTD": 131072, "HT": 2048, "C": 8}, 4),
    ("grouped_gemm", "ragged GEMM {M}", {"M": 512, "N": 512, "K": 512, "P": 32, "BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32}, 4),
    ("linear_cross_entropy", "add transposed product", {"M": 512, "N": 512, "K": 256, "BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32}, 4),
    ("lookup_matmul", "lookup matmul", {"K": 1024, "N": 1024, "W": 128}, 4),
    ("matmul", "matmul + bias + gelu", {"M": 384, "N": 640, "K": 320, "BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32}, 4),
    ("mla_decode", "MLA decode", {"B": 2, "S": 256, "EACH": 4, "PAGES": 8}, 4),
    ("moe", "moe permute", {}, 4),
    ("muon", "Newton-Schulz, product", {"M": 256, "N": 512}, 4),
    ("nf4", "quantize 4 bits", {"N": 1 << 20, "BYTES": 1 << 19, "S": 1 << 14}, 4),
    ("nms", "overlaps", {"N": 1024, "W": 32}, 4),
    ("optimizer", "adamw of eight bits", {"N": 1 << 20, "S": 1 << 12}, 4),
    ("outlier_matmul", "int8 with outliers", {"M": 256, "N": 512, "K": 512}, 4),
    ("outlier_matmul", "columns that", {"M": 1024, "K": 2048}, 4),
    ("packed_weights", "dequantize gptq", {"K": 1024, "N": 2048, "WK": 128, "W": 256, "G": 8}, 4),
    ("preference_loss", "GRPO", {"M": 48}, 4),
    ("quantize", "dequantize blocks", {"M": 1024, "N": 2048, "S": 16}, 4),
    ("quantized_grouped_gemm", "{E} experts with a row each, MXFP4", {"E": 4, "TILES": 64}, 4),
    ("quantized_grouped_gemm", "{E} experts with a row each, int4", {"E": 4, "TILES": 64}, 4),
    ("radix_sort", "radix sort, one digit", {}, 4),
    ("radix_sort", "radix sort, counts", {}, 4),
    ("random_fill", "uniform", {"N": 1 << 20}, 4),
    ("random_fill", "normal", {"N": 1 << 20}, 4),
    ("rejection_sampling", "rejection sampling", {"B": 24}, 4),
    ("sampling", "sample {M}", {"M": 24}, 8),
    ("scan", "running sum of segments", {"N": 1 << 21, "TILES": 512, "WORDS": 514}, 4),
    ("softmax", "softmax {M}x{N} bf16", {"M": 500, "N": 3000}, 4),
    ("sparse24_matmul", "2:4 sparse product", {"N": 512, "K": 1024, "H": 512, "E": 128, "TILES": 8}, 4),
    ("sparse24_matmul", "2:4 compression", {"N": 512, "K": 2048, "H": 1024, "E": 256}, 4),
    ("stream_k_matmul", "stream-K", {"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32, "P": 16, "ROWS": 2048}, 4),
    ("topk", "top {K} of {M}x{N} f32 by counting", {"M": 96}, 8),
    ("transpose", "transpose", {"M": 700, "N": 1300, "BLOCK": 64}, 8),
)  # yapf: disable

# File, kernel and words of a launch.
TUTORIALS = (
    ("01-vector-add.py:add_kernel", "x_ptr=ones:f32[n_elements] y_ptr=ones:f32[n_elements] output_ptr=empty:f32[n_elements] n_elements=2097152 BLOCK_SIZE=1024 --grid 2048"),
    ("02-fused-softmax.py:softmax_kernel", "output_ptr=empty:f32[512,781] input_ptr=randn:f32[512,781] input_row_stride=781 output_row_stride=781 n_rows=512 n_cols=781 "
     "BLOCK_SIZE=1024 num_stages=4 --grid 264"),
    ("03-matrix-multiplication.py:matmul_kernel", "a_ptr=randn:f16[512,512] b_ptr=randn:f16[512,512] c_ptr=empty:f16[512,512] M=512 N=512 K=512 stride_am=512 stride_ak=1 "
     "stride_bk=512 stride_bn=1 stride_cm=512 stride_cn=1 BLOCK_SIZE_M=64 BLOCK_SIZE_N=128 BLOCK_SIZE_K=32 GROUP_SIZE_M=8 'ACTIVATION=\"\"' --config 0 --grid 32"),
    ("04-low-memory-dropout.py:_seeded_dropout", "x_ptr=randn:f32[n_elements] output_ptr=empty:f32[n_elements] n_elements=1048576 p=0.5 seed=123 BLOCK_SIZE=1024 --grid 1024"),
    ("05-layer-norm.py:_layer_norm_fwd_fused", "X=randn:f16[512,2048] Y=empty:f16[512,2048] W=randn:f16[2048] B=randn:f16[2048] Mean=empty:f32[512] Rstd=empty:f32[512] "
     "stride=2048 N=2048 eps=1e-5 BLOCK_SIZE=2048 --grid 512"),
    ("06-fused-attention.py:_attn_fwd", "sm_scale=0.125 M=empty:f32[4,1024] Z=1 H=4 desc_q=randn:f16[4096,64]@[128,64] desc_k=randn:f16[4096,64]@[64,64] "
     "desc_v=randn:f16[4096,64]@[64,64] desc_o=empty:f16[4096,64]@[128,64] N_CTX=1024 HEAD_DIM=64 BLOCK_M=128 BLOCK_N=64 FP8_OUTPUT=False STAGE=3 "
     "warp_specialize=False IS_HOPPER=True --grid (8,4)"),
)  # yapf: disable


def library_words(folder, start, sizes, warps):
    """The words of `nereid run` for an entry."""
    path = os.path.join(ROOT, "kernels", folder)
    with open(os.path.join(path, "bench.json"), encoding="utf-8") as file:
        entry = next(entry for entry in json.load(file) if entry["name"].startswith(start))
    known = {**entry["sizes"], **sizes}
    fill = lambda text: re.sub(r"\{(\w+)\}", lambda match: str(known[match.group(1)]), text)
    source = os.path.join(path, entry.get("file", folder + ".py"))
    return [f"{source}:{entry['kernel']}", *map(fill, entry["arguments"]), "--grid", fill(entry["grid"]), "--num-warps", str(warps)]
