"""The library's kernels as functions on torch tensors and numpy arrays.

    from nereid import ops
    y = ops.rms_norm(x, weight)
    out = ops.flash_attn_func(q, k, v, causal=True)

A function runs where its arrays are: numpy arrays and CPU tensors on the processor, CUDA tensors on their GPU. On tensors each is an operator of
torch (`torch.ops.nereid.*`), known to autograd where it has a gradient and to `torch.compile`. torch is not needed, and never imported here.
"""
from ._declare import register_with_torch
from .activation import dropout, geglu, gelu, silu, swiglu
from .attention import attention, flash_attn_func, fp8_attention, rope, scaled_dot_product_attention
from .convolution import conv1d, conv2d, conv_transpose2d
from .copies import copy_, transpose
from .delta_rule import chunk_gated_delta_rule, gated_delta_rule_update
from .divergence import dpo_loss, grpo_loss, jsd, kl_div, tvd
from .flex import create_block_mask, flex_attention
from .four_bit import awq_dequantize, dequantize_4bit, dequantize_8bit, gptq_dequantize, quantize_4bit
from .indexing import gather, masked_select, nonzero, scatter, scatter_add, unique
from .loss import cross_entropy, linear_cross_entropy
from .moe import moe_combine, moe_order, moe_permute, topk_softmax
from .normalization import batch_norm, fused_add_rms_norm, group_norm, instance_norm, layer_norm, rms_norm, softmax
from .ordering import argsort, bincount, embedding, histc, index_add, index_select, sort, topk
from .outliers import int8_mixed_matmul, squeezellm_dequantize, squeezellm_matmul
from .pictures import avg_pool2d, interpolate, max_pool2d, nms
from .pointwise import pointwise, reduce, var_mean
from .product import add_lora_, grouped_matmul, int4_weight_matmul, int8_matmul, int8_weight_matmul, matmul, persistent_matmul, skinny_matmul, split_k_matmul, stream_k_matmul
from .quantization import dequantize, mx_dequantize, mx_quantize, quantize_per_block, quantize_per_group, quantize_per_row, quantize_per_tensor
from .quantized_product import fp8_block_matmul, moe_int4_matmul, moe_mxfp4_matmul, w8a8_block_fp8_matmul
from .random_numbers import bernoulli_, exponential_, normal_, randint_, randperm_, uniform_
from .recurrence import causal_conv1d_fn, causal_conv1d_update, linear_recurrence
from .sampling import apply_penalties, apply_top_k_top_p, argmax, multinomial, rejection_sample, sample
from .scan import cummax, cummin, cumprod, cumsum, linear_scan, running_max, running_min, segmented_cumsum
from .serving import copy_blocks, decode_attention, flash_attn_varlen_func, flash_attn_with_kvcache, mla_decode, reshape_and_cache_flash, varlen_attention
from .sparse import block_sparse_matmul, sparse24_compress, sparse24_expand, sparse24_matmul, sparse24_order
from .state_space import linear_attention, linear_attention_update, mamba_chunk_scan_combined, selective_scan_fn, selective_state_update
from .training import adamw_, adamw_8bit_, clip_grad_norm_, grad_norm_factor, grad_scaler_factor, lion_, muon_, newton_schulz
from .simplex import dyt, log_softmax, sparsemax
from .unfused import bmm, decomposed_attention, unfused_attention

__all__ = ["adamw_", "adamw_8bit_", "add_lora_", "apply_penalties", "apply_top_k_top_p", "argmax", "argsort", "attention", "avg_pool2d",
           "awq_dequantize", "batch_norm", "bernoulli_", "bincount", "block_sparse_matmul", "bmm", "causal_conv1d_fn", "causal_conv1d_update",
           "chunk_gated_delta_rule", "clip_grad_norm_", "conv1d", "conv2d", "conv_transpose2d", "copy_", "copy_blocks", "create_block_mask", "cross_entropy",
           "cummax", "cummin", "cumprod", "cumsum", "decode_attention", "decomposed_attention", "dequantize", "dequantize_4bit", "dequantize_8bit",
           "dpo_loss", "dropout", "dyt", "embedding", "exponential_", "flash_attn_func", "flash_attn_varlen_func", "flash_attn_with_kvcache",
           "flex_attention", "fp8_attention", "fp8_block_matmul", "fused_add_rms_norm", "gated_delta_rule_update", "gather", "geglu", "gelu",
           "gptq_dequantize", "grad_norm_factor", "grad_scaler_factor", "group_norm", "grouped_matmul", "grpo_loss", "histc", "index_add",
           "index_select", "instance_norm", "int4_weight_matmul", "int8_matmul", "int8_mixed_matmul", "int8_weight_matmul", "interpolate", "jsd",
           "kl_div", "layer_norm", "linear_attention", "linear_attention_update", "linear_cross_entropy", "linear_recurrence", "linear_scan", "lion_",
           "log_softmax", "mamba_chunk_scan_combined", "masked_select", "matmul", "max_pool2d", "mla_decode", "moe_combine", "moe_int4_matmul",
           "moe_mxfp4_matmul", "moe_order", "moe_permute", "multinomial", "muon_", "mx_dequantize", "mx_quantize", "newton_schulz", "nms", "nonzero",
           "normal_", "persistent_matmul", "pointwise", "quantize_4bit", "quantize_per_block", "quantize_per_group", "quantize_per_row", "quantize_per_tensor", "randint_",
           "randperm_", "reduce", "rejection_sample", "reshape_and_cache_flash", "rms_norm", "rope", "running_max", "running_min", "sample",
           "scaled_dot_product_attention", "scatter", "scatter_add", "segmented_cumsum", "selective_scan_fn", "selective_state_update", "silu",
           "skinny_matmul", "softmax", "sort", "sparse24_compress", "sparse24_expand", "sparse24_matmul", "sparse24_order", "sparsemax", "split_k_matmul", "squeezellm_dequantize",
           "squeezellm_matmul", "stream_k_matmul", "swiglu", "topk", "topk_softmax", "transpose", "tvd", "unfused_attention", "uniform_", "unique", "var_mean",
           "varlen_attention", "w8a8_block_fp8_matmul"]  # yapf: disable

register_with_torch()
