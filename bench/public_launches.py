"""public_launches.py: launches of large kernels that others wrote, in the words of `nereid run`: (project, file, kernel, words). Files are those of checkouts of
November 2026, each in a folder OWNER+NAME. Sizes are small. `{steps}24.npy` is a file that holds 0, 24 and 48."""
import os
import shlex
import struct

LAUNCHES = (
    ("triton-lang+triton", "python/tutorials/06-fused-attention.py", "_attn_bwd",
     "Q=randn:f16[2,256,64] K=randn:f16[2,256,64] V=randn:f16[2,256,64] sm_scale=0.125 DO=randn:f16[2,256,64] DQ=empty:f16[2,256,64] DK=empty:f16[2,256,64] "
     "DV=empty:f16[2,256,64] M=randn:f32[2,256] D=randn:f32[2,256] stride_z=32768 stride_h=16384 stride_tok=64 stride_d=1 H=2 N_CTX=256 BLOCK_M1=32 BLOCK_N1=128 "
     "BLOCK_M2=128 BLOCK_N2=32 BLK_SLICE_FACTOR=2 HEAD_DIM=64 CAUSAL=True --grid (2,1,2)"),
    ("linkedin+Liger-Kernel", "src/liger_kernel/ops/cross_entropy.py", "liger_cross_entropy_kernel",
     "X_ptr=randn:f32[16,5000] X_stride=5000 Y_ptr=randint(0,5000):i64[16] Y_stride=1 weight_ptr=rand:f32[5000] loss_ptr=zeros:f32[16] z_loss_ptr=zeros:f32[16] "
     "loss_stride=1 token_accuracy_ptr=zeros:f32[16] token_accuracy_stride=1 predicted_tokens_ptr=zeros:i64[16] predicted_tokens_stride=1 n_cols=5000 n_non_ignore=16 "
     "sum_non_ignore_weight=8.0 weight_sum=2500.0 ignore_index=-100 lse_square_scale=0.1 label_smoothing=0.1 'reduction=\"mean\"' softcap=30.0 RETURN_Z_LOSS=True "
     "RETURN_TOKEN_ACCURACY=True RETURN_PREDICTED_TOKENS=True BLOCK_SIZE=4096 HAS_WEIGHT=True HAS_SOFTCAPPING=True HAS_GRADIENTS=True --num-warps 8 --grid 16"),
    ("vllm-project+vllm", "vllm/model_executor/layers/fused_moe/fused_moe.py", "fused_moe_kernel",
     "a_ptr=randn:bf16[32,256] b_ptr=randn:bf16[4,256,256] c_ptr=empty:bf16[64,256] b_bias_ptr=None a_scale_ptr=None b_scale_ptr=None topk_weights_ptr=rand:f32[64] "
     "sorted_token_ids_ptr=arange:i32[64] expert_ids_ptr=arange:i32[4] num_tokens_post_padded_ptr=full(64):i32[1] N=256 K=256 EM=64 num_valid_tokens=64 stride_am=256 "
     "stride_ak=1 stride_be=65536 stride_bk=1 stride_bn=256 stride_cm=256 stride_cn=1 stride_asm=0 stride_ask=0 stride_bse=0 stride_bsk=0 stride_bsn=0 stride_bbe=0 "
     "stride_bbn=0 group_n=0 group_k=0 naive_block_assignment=False BLOCK_SIZE_M=16 BLOCK_SIZE_N=64 BLOCK_SIZE_K=64 GROUP_SIZE_M=8 SPLIT_K=1 MUL_ROUTED_WEIGHT=True "
     "top_k=2 compute_type=tl.bfloat16 use_fp8_w8a8=False use_int8_w8a8=False use_int8_w8a16=False per_channel_quant=False HAS_BIAS=False SWAP_AB=False --grid 16"),
    ("vllm-project+vllm", "vllm/v1/attention/ops/triton_unified_attention.py", "kernel_unified_attention",
     "output_ptr=empty:bf16[48,8,64] query_ptr=randn:bf16[48,8,64] key_cache_ptr=randn:bf16[16,16,2,64] value_cache_ptr=randn:bf16[16,16,2,64] sink_ptr=None "
     "'block_tables_ptr=randint(0,16):i32[2,8]' 'seq_lens_ptr=full(100):i32[2]' alibi_slopes_ptr=None qq_bias_ptr=None scale=0.125 q_scale=None k_scale=None v_scale=None out_scale=None "
     "softcap=0.0 num_query_heads=8 num_queries_per_kv=4 block_table_stride=8 query_stride_0=512 query_stride_1=64 output_stride_0=512 output_stride_1=64 qq_bias_stride_0=0 "
     "BLOCK_SIZE=16 TILE_SIZE=32 HEAD_SIZE=64 HEAD_SIZE_PADDED=64 USE_ALIBI_SLOPES=False USE_ALIBI_SQRT=False USE_QQ_BIAS=False USE_SOFTCAP=False USE_SINKS=False SLIDING_WINDOW=0 "
     "USE_CAUSAL=True USE_PER_SEQ_CAUSAL=False per_seq_causal_ptr=None USE_MM_PREFIX=False MAX_MM_RANGES=0 mm_prefix_range_ptr=None rswa_prefix_lens_ptr=None R_SWA_WINDOW=0 USE_R_SWA=False "
     "stride_k_cache_0=2048 stride_k_cache_1=128 stride_k_cache_2=64 stride_k_cache_3=1 stride_v_cache_0=2048 stride_v_cache_1=128 stride_v_cache_2=64 stride_v_cache_3=1 "
     "query_start_len_ptr={steps}24.npy:i32 BLOCK_Q=4 num_seqs=2 BLOCK_M=16 NUM_SEGMENTS_PER_SEQ=1 USE_FP8=False IS_3D=False --grid (14,2)"),
    ("state-spaces+mamba", "mamba_ssm/ops/triton/ssd_chunk_scan.py", "_chunk_scan_fwd_kernel",
     "cb_ptr=randn:f16[1,2,1,64,64] x_ptr=randn:f16[1,128,2,64] z_ptr=randn:f16[1,128,2,64] out_ptr=empty:f16[1,128,2,64] out_x_ptr=empty:f16[1,128,2,64] dt_ptr=rand:f32[1,2,2,64] "
     "dA_cumsum_ptr=full(-0.1):f32[1,2,2,64] seq_idx_ptr=None C_ptr=randn:f16[1,128,1,64] prev_states_ptr=randn:f16[1,2,2,64,64] D_ptr=randn:f32[2] chunk_size=64 hdim=64 dstate=64 batch=1 "
     "seqlen=128 nheads_ngroups_ratio=2 stride_cb_batch=8192 stride_cb_chunk=4096 stride_cb_head=4096 stride_cb_csize_m=64 stride_cb_csize_k=1 stride_x_batch=16384 stride_x_seqlen=128 "
     "stride_x_head=64 stride_x_hdim=1 stride_z_batch=16384 stride_z_seqlen=128 stride_z_head=64 stride_z_hdim=1 stride_out_batch=16384 stride_out_seqlen=128 stride_out_head=64 "
     "stride_out_hdim=1 stride_dt_batch=256 stride_dt_chunk=64 stride_dt_head=128 stride_dt_csize=1 stride_dA_cs_batch=256 stride_dA_cs_chunk=64 stride_dA_cs_head=128 stride_dA_cs_csize=1 "
     "stride_seq_idx_batch=0 stride_seq_idx_seqlen=0 stride_C_batch=8192 stride_C_seqlen=64 stride_C_head=64 stride_C_dstate=1 stride_states_batch=16384 stride_states_chunk=8192 "
     "stride_states_head=4096 stride_states_hdim=64 stride_states_dstate=1 stride_D_head=1 IS_CAUSAL=True HAS_D=True D_HAS_HDIM=False HAS_Z=True HAS_SEQ_IDX=False BLOCK_SIZE_M=64 "
     "BLOCK_SIZE_N=64 BLOCK_SIZE_K=32 BLOCK_SIZE_DSTATE=64 IS_TRITON_22=True --grid (1,2,2)"),
    ("fla-org+flash-linear-attention", "fla/ops/common/chunk_delta_h.py", "chunk_gated_delta_rule_fwd_kernel_h_blockdim64",
     "k=randn:bf16[1,128,2,64] v=randn:bf16[1,128,2,64] w=randn:bf16[1,128,2,64] v_new=empty:bf16[1,128,2,64] g=full(-0.1):f32[1,128,2] gk=None h=empty:bf16[1,2,2,64,64] "
     "h0=randn:f32[1,2,64,64] ht=empty:f32[1,2,64,64] cu_seqlens=None chunk_offsets=None T=128 H=2 HV=2 K=64 V=64 BT=64 BV=32 USE_G=True USE_GK=False USE_INITIAL_STATE=True "
     "STORE_FINAL_STATE=True SAVE_NEW_VALUE=True STATE_V_FIRST=False IS_VARLEN=False --grid (2,2)"),
    ("sgl-project+sglang", "python/sglang/kernels/ops/attention/decode_attention.py", "_fwd_grouped_kernel_stage1",
     "Q=randn:f16[2,16,64] K_Buffer=randn:f16[128,2,64] V_Buffer=randn:f16[128,2,64] sm_scale_withk=0.125 kv_indptr={steps}64.npy:i32 kv_indices=arange:i64[128] Att_Out=empty:f32[2,16,2,64] "
     "Att_Lse=empty:f32[2,16,2] num_kv_splits=full(2):i32[2] stride_qbs=1024 stride_qh=64 stride_buf_kbs=128 stride_buf_kh=64 stride_buf_vbs=128 stride_buf_vh=64 stride_buf_kpage=0 "
     "stride_buf_ktok=0 stride_buf_vpage=0 stride_buf_vtok=0 stride_mid_ob=2048 stride_mid_oh=128 stride_mid_os=64 kv_group_num=8 q_head_num=16 BLOCK_DMODEL=64 BLOCK_DPE=0 BLOCK_DV=64 BLOCK_N=32 "
     "BLOCK_H=16 MIN_BLOCK_KV=32 logit_cap=0.0 xai_temperature_len=-1 Lk=64 Lv=64 --grid (2,2,2)"),
    ("Dao-AILab+flash-attention", "flash_attn/flash_attn_triton.py", "_bwd_kernel",
     "Q=randn:f16[1,128,2,64] K=randn:f16[1,128,2,64] V=randn:f16[1,128,2,64] Bias=None DO=randn:f16[1,128,2,64] DQ=zeros:f32[1,128,2,64] DK=empty:f16[1,128,2,64] DV=empty:f16[1,128,2,64] "
     "LSE=randn:f32[2,128] D=randn:f32[2,128] softmax_scale=0.125 stride_qb=16384 stride_qh=64 stride_qm=128 stride_kb=16384 stride_kh=64 stride_kn=128 stride_vb=16384 stride_vh=64 "
     "stride_vn=128 stride_bb=0 stride_bh=0 stride_bm=0 stride_dob=16384 stride_doh=64 stride_dom=128 stride_dqb=16384 stride_dqh=64 stride_dqm=128 stride_dkb=16384 stride_dkh=64 stride_dkn=128 "
     "stride_dvb=16384 stride_dvh=64 stride_dvn=128 nheads=2 seqlen_q=128 seqlen_k=128 seqlen_q_rounded=128 headdim=64 CACHE_KEY_SEQLEN_Q=4 CACHE_KEY_SEQLEN_K=4 'BIAS_TYPE=\"none\"' "
     "IS_CAUSAL=True BLOCK_HEADDIM=64 SEQUENCE_PARALLEL=False EVEN_M=True EVEN_N=True EVEN_HEADDIM=True BLOCK_M=128 BLOCK_N=128 --config 0 --grid (1,2)"),
    ("facebookresearch+xformers", "xformers/ops/_triton/tiled_matmul_kernels.py", "_xformers_tiled_matmul_kernel",
     " ".join(f"{name}{row}{column}={kind}:f16[64,64]" for name, kind in (("A", "randn"), ("B", "randn"), ("C", "empty")) for row in "123" for column in "123") + " " +
     " ".join(f"{name}{i}=64" for name in ("M", "N", "K") for i in "123") + " " +
     " ".join(f"stride_{name}{i}={64 if name[1] != last else 1}" for name, last in (("am", "k"), ("ak", "k"), ("bk", "n"), ("bn", "n"), ("cm", "n"), ("cn", "n")) for i in "123") +
     " BLOCK_M=64 BLOCK_N=64 BLOCK_K=32 GROUP_M=8 SPLIT_K=1 EVEN_K=True ACC_TYPE=tl.float32 --config 0 --grid (9,1)"),
    ("thunlp+TritonBench", "data/TritonBench_G_v1/fifth_order_sph_harmonics.py", "fifth_order_bwd",
     "coord_ptr=randn:f32[300] coord_grad_ptr=zeros:f32[300] sph_grad_ptr=randn:f32[1100] block_size=64 coord_numel=300 output_numel=1100 col_offset=0 output_stride=11 --grid 2"),
    ("thunlp+TritonBench", "data/TritonBench_G_v1/fused_recurrent_delta.py", "fused_recurrent_bwd_kernel",
     "q=randn:f32[1,2,32,64] k=randn:f32[1,2,32,64] v=randn:f32[1,2,32,64] beta=rand:f32[1,2,32] dht=None dh0=None do=randn:f32[1,2,32,64] dq=empty:f32[1,2,32,64] dk=empty:f32[1,2,32,64] "
     "dv=empty:f32[1,2,32,64] dbeta=empty:f32[1,2,32] h0=None s_qk_h=2048 s_vo_h=2048 NK=1 scale=0.125 B=1 H=2 T=32 K=64 V=64 BK=64 BV=64 USE_INITIAL_STATE=False IS_HEADWISE_BETA=False "
     "USE_DH0=False USE_DHT=False --grid (1,1,2)"),
    ("vllm-project+vllm", "vllm/v1/sample/ops/topk_topp_triton.py", "_topk_topp_kernel",
     "LOGITS=randn:f32[4,3000] LOGITS_STRIDE_0=3000 BUFFER=empty:f32[4,3000] PERCENTILE_TO_STD_TABLE=rand:f32[200] NORMAL_CDF_TO_SIGMA_TABLE=rand:f32[200] 'K=full(50):i32[4]' "
     "'P=full(0.9):f32[4]' BATCH_SIZE=4 VOCAB_SIZE=3000 'MASK_VALUE=float(\"-inf\")' BLOCK_SIZE=1024 BLOCK_SIZE_TRUNC=512 TOPK_ENABLED=True TOPP_ENABLED=True --num-warps 8 --grid 4"),
    ("fla-org+flash-linear-attention", "fla/ops/kda/chunk_intra.py", "chunk_kda_fwd_kernel_inter_solve_fused",
     "q=randn:bf16[1,128,2,64] k=randn:bf16[1,128,2,64] g=full(-0.1):f32[1,128,2,64] beta=rand:f32[1,128,2] Aqk=empty:bf16[1,128,2,64] Akkd=randn:f32[1,128,2,16] "
     "Akk=empty:bf16[1,128,2,64] scale=0.125 cu_seqlens=None chunk_indices=None T=128 H=2 HV=2 K=64 BT=64 BC=16 NC=4 BK=32 IS_VARLEN=False USE_SAFE_GATE=False --grid (2,2)"),
    ("ROCm+aiter", "aiter/ops/triton/_triton_kernels/gated_delta_rule/utils/solve_tril.py", "merge_16x16_to_64x64_inverse_kernel",
     "A=randn:f32[1,128,2,64] Ai=empty:f32[1,128,2,64] cu_seqlens=None sequence_ids=None chunk_ids=None T=128 H=2 BT=64 USE_TMA=False IS_VARLEN=False INDEX_STRIDE=1 "
     "'DOT_PRECISION=\"ieee\"' --num-warps 4 --grid (2,2)"),
    ("FlagOpen+FlagGems", "src/flag_gems/ops/upsample_bicubic2d_aa.py", "upsample_bicubic2d_aa_kernel",
     "ptr_o=empty:f32[1,3,32,32] ptr_i=randn:f32[1,3,64,64] N=1 C=3 OH=32 OW=32 IH=64 IW=64 reciprocal_scale_h=2.0 reciprocal_scale_w=2.0 BLOCK_X=32 BLOCK_Y=16 --num-warps 4 --grid (1,2)"),
    ("fla-org+flash-linear-attention", "fla/ops/log_linear_attn/chunk.py", "chunkwise_fwd_kernel",
     "q=randn:bf16[1,256,1,64] k=randn:bf16[1,256,1,64] v=randn:bf16[1,256,2,64] g=full(-0.1):f32[1,256,2] level_scales=rand:bf16[1,256,2,10] 'llut=randint(0,6):i32[64,64]' "
     "o=zeros:bf16[1,256,2,64] h0=None ht=None offsets=None new_offsets=zeros:i32[1] cu_seqlens=None T=256 H=2 K=64 V=64 L=10 BT=64 BK=64 L_IN=None L_OUT=None MIN_LEVEL=0 MAX_LEVEL=2 "
     "IS_VARLEN=False USE_INITIAL_STATE=False STORE_FINAL_STATE=False --num-warps 4 --grid (1,2)"),
    ("ROCm+aiter", "aiter/ops/triton/_triton_kernels/conv/conv_3x3_winograd_f4x3.py", "_winograd_f4x3_input_transform_kernel",
     "X=randn:f16[1,32,16,16] V=empty:f16[36,16,32] N=1 C=32 C_pad=32 H=16 W_in=16 tile_H=4 tile_W=4 T=16 pad_h=1 pad_w=1 BLOCK_C=32 'LAYOUT=\"nchw\"' --grid (16,1)"),
    ("ROCm+aiter", "aiter/ops/triton/_triton_kernels/attention/unified_attention.py", "kernel_unified_attention_2d",
     "output_ptr=empty:bf16[48,8,64] query_ptr=randn:bf16[48,8,64] key_cache_ptr=randn:bf16[16,16,2,64] value_cache_ptr=randn:bf16[16,16,2,64] sink_ptr=None "
     "'block_tables_ptr=randint(0,16):i32[2,8]' 'seq_lens_ptr=full(100):i32[2]' alibi_slopes_ptr=None qq_bias_ptr=None scale=0.125 q_descale_ptr=None k_descale_ptr=None "
     "v_descale_ptr=None out_scale_ptr=None softcap=0.0 num_query_heads=8 num_queries_per_kv=4 block_table_stride=8 query_stride_0=512 query_stride_1=64 output_stride_0=512 "
     "output_stride_1=64 qq_bias_stride_0=0 BLOCK_SIZE=16 TILE_SIZE=16 HEAD_SIZE=64 HEAD_SIZE_PADDED=64 USE_ALIBI_SLOPES=False USE_QQ_BIAS=False USE_SOFTCAP=False USE_SINKS=False "
     "SLIDING_WINDOW=0 stride_k_cache_0=2048 stride_k_cache_1=128 stride_k_cache_2=64 stride_k_cache_3=1 stride_v_cache_0=2048 stride_v_cache_1=128 stride_v_cache_2=64 stride_v_cache_3=1 "
     "query_start_len_ptr={steps}24.npy:i32 BLOCK_Q=4 num_seqs=2 BLOCK_M=16 FP8_MIN=-448.0 FP8_MAX=448.0 ALL_DECODE=False SHUFFLED_KV_CACHE=False K_WIDTH=0 --grid (2,14)"),
    ("fla-org+flash-linear-attention", "fla/ops/precond_kda/chunk_intra.py", "chunk_precond_kda_bwd_kernel_intra",
     "q=randn:bf16[1,128,2,64] k=randn:bf16[1,128,2,64] k_precond=randn:bf16[1,128,2,64] g=full(-0.1):f32[1,128,2,64] beta=rand:f32[1,128,2] dAqk=randn:f32[1,128,2,64] "
     "dAkk=randn:f32[1,128,2,64] dq=randn:f32[1,128,2,64] dq2=empty:f32[1,128,2,64] dk=randn:f32[1,128,2,64] dk2=empty:f32[1,128,2,64] dk_precond=randn:f32[1,128,2,64] "
     "dk_precond2=empty:f32[1,128,2,64] dg=randn:f32[1,128,2,64] dg2=empty:f32[1,128,2,64] db=empty:f32[2,1,128,2] cu_seqlens=None chunk_indices=None B=1 T=128 H=2 K=64 BT=64 BC=16 BK=32 "
     "NC=4 IS_VARLEN=False SAFE_GATE=False USE_GATHER=False --num-warps 4 --grid (8,2,2)"),
    ("sgl-project+sglang", "python/sglang/kernels/ops/attention/extend_attention.py", "_fwd_kernel",
     "Q_Extend=randn:f16[128,4,64] K_Extend=randn:f16[128,2,64] V_Extend=randn:f16[128,2,64] O_Extend=empty:f16[128,4,64] LSE_Extend=None K_Buffer=randn:f16[128,2,64] "
     "V_Buffer=randn:f16[128,2,64] qo_indptr={steps}64.npy:i32 kv_indptr={steps}64.npy:i32 kv_indices=arange:i64[128] mask_ptr=None mask_indptr=None sink_ptr=None "
     "window_kv_offset_ptr=None sm_scale=0.125 k_scale=1.0 v_scale=1.0 kv_group_num=2 stride_qbs=256 stride_qh=64 stride_kbs=128 stride_kh=64 stride_vbs=128 stride_vh=64 stride_obs=256 "
     "stride_oh=64 stride_lse_bs=0 stride_lse_h=0 stride_buf_kbs=128 stride_buf_kh=64 stride_buf_vbs=128 stride_buf_vh=64 stride_buf_kpage=0 stride_buf_ktok=0 stride_buf_vpage=0 "
     "stride_buf_vtok=0 compact_batch_size=0 SLIDING_WINDOW_SIZE=-1 logit_cap=0.0 xai_temperature_len=-1 Lq=64 Lv=64 BLOCK_DMODEL=64 BLOCK_DPE=0 BLOCK_DV=64 BLOCK_M=64 BLOCK_N=64 "
     "USE_CUSTOM_MASK=False IS_CAUSAL=True SKIP_PREFIX_CUSTOM_MASK=True STORE_LSE=False SKIP_PREFIX=False SKIP_EXTEND=False STORE_TRANSPOSE=False HAS_SINK=False "
     "USE_COMPACT_TILE_GRID=False PAGE_SIZE=1 --num-warps 4 --grid (2,4,1)"),
    ("fla-org+flash-linear-attention", "fla/ops/common/chunk_delta_h.py", "chunk_gated_delta_rule_bwd_kernel_dhu_blockdim64",
     "q=randn:bf16[1,128,2,64] k=randn:bf16[1,128,2,64] w=randn:bf16[1,128,2,64] g=full(-0.1):f32[1,128,2] gk=None dht=None dh0=None do=randn:bf16[1,128,2,64] dh=empty:bf16[1,2,2,64,64] "
     "dv=randn:bf16[1,128,2,64] dv2=empty:bf16[1,128,2,64] cu_seqlens=None chunk_offsets=None scale=0.125 T=128 H=2 HV=2 K=64 V=64 BT=64 BV=32 USE_G=True USE_GK=False "
     "USE_INITIAL_STATE=False USE_FINAL_STATE_GRADIENT=False STATE_V_FIRST=False IS_VARLEN=False --grid (2,2)"),
)  # yapf: disable


def write_steps(folder, step):
    """0, step and 2 step as a file of numpy's."""
    header = b"{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }"
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    with open(os.path.join(folder, f"steps{step}.npy"), "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack("<3q", 0, step, 2 * step))


def launches(checkouts, folder):
    """(name, words of a launch) of those whose files are there; what they read lies in `folder`."""
    for step in (24, 64):
        write_steps(folder, step)
    for project, path, kernel, words in LAUNCHES:
        file = os.path.join(checkouts, project, path)
        if os.path.exists(file):
            yield f"{project.split('+')[1]} {kernel}", [f"{file}:{kernel}", *shlex.split(words.replace("{steps}", os.path.join(folder, "steps")))]
