"""project_operators.py: what other projects compute besides attention: norms, losses, sparse products, quantized weights, optimizers, graphs (project_calls.py)."""
import types

import torch

from project_attention import hstu
from project_calls import absent, below, both_ways, call, module, random, size, steps

HALF, FLOAT = torch.float16, torch.float32
ROWS, WIDTH = size(4096, 32), size(4096, 128)


@call("openai+sparse_autoencoder")
def sparse_decoder():
    kernels = module(":sparse_autoencoder.kernels", "sparse_autoencoder")
    latents, width, chosen = size((32768, 1024, 32), (512, 64, 8))
    values, decoder = random(ROWS, chosen, dtype=FLOAT), random(latents, width, dtype=FLOAT, grad=False).T.requires_grad_()
    return both_ways(lambda values, decoder: kernels.TritonDecoderAutograd.apply(below(latents, ROWS, chosen), values, decoder), values, decoder)


@call("openai+sparse_autoencoder")
def sums_in_fp32_and_errors():
    kernels = module(":sparse_autoencoder.kernels", "sparse_autoencoder")
    made = random(ROWS, WIDTH, dtype=HALF, grad=False)
    target = random(ROWS, WIDTH, dtype=HALF, grad=False)
    return [kernels.triton_sum_dim0_in_fp32(made), kernels.mse(made, target), kernels.triton_add_mul_(made.clone(), random(ROWS, WIDTH, dtype=HALF, grad=False), target, 0.5)]


@call("EleutherAI+sparsify")
def bags_of_embeddings():
    latents, width, chosen = size((32768, 1024, 32), (512, 64, 8))
    function = module(":sparsify.xformers", "sparsify").xformers_embedding_bag
    return both_ways(lambda weight, shares: function(below(latents, ROWS, chosen), weight, shares), random(latents, width, dtype=FLOAT), random(ROWS, chosen, dtype=FLOAT))


@call("Vahe1994+AQLM")
def weights_of_codebooks():
    file = module("inference_lib/src:aqlm.inference_kernels.triton_kernel", "aqlm", "aqlm.inference_kernels")
    codes = below(256, WIDTH, WIDTH // 8, 2, dtype=torch.int16)
    return file.aqlm_gemm_stupid(random(2, WIDTH, dtype=HALF, grad=False), codes, random(2, 256, 1, 8, dtype=HALF, grad=False), random(WIDTH, 1, 1, 1, dtype=HALF, grad=False), None)


@call("casper-hansen+AutoAWQ")
def weights_of_four_bits():
    file = module(":awq.modules.triton.gemm", "awq", "awq.modules", "awq.modules.triton")
    weights, zeros = below(2**31 - 1, WIDTH, WIDTH // 8, dtype=torch.int32), below(2**31 - 1, WIDTH // 128, WIDTH // 8, dtype=torch.int32)
    scales = random(WIDTH // 128, WIDTH, dtype=HALF, grad=False, scale=0.01)
    return [file.awq_gemm_triton(random(16, WIDTH, dtype=HALF, grad=False), weights, scales, zeros, 8), file.awq_dequantize_triton(weights, scales, zeros)]


@call("qwopqwop200+GPTQ-for-LLaMa")
def weights_of_four_bits_in_groups():
    import triton
    absent("quant.custom_autotune", autotune=lambda configs, key, **_: triton.autotune(configs, key), matmul248_kernel_config_pruner=None)
    file = module(":quant.quant_linear", "quant")
    weights, zeros = below(2**31 - 1, WIDTH // 8, WIDTH, dtype=torch.int32), below(2**31 - 1, WIDTH // 128, WIDTH // 8, dtype=torch.int32)
    scales = random(WIDTH // 128, WIDTH, dtype=HALF, grad=False, scale=0.01)
    groups = (torch.arange(2 * WIDTH, device="cuda") // 128 % (WIDTH // 128)).int()  # its last block reads behind
    x = random(size(512, 32), WIDTH, dtype=HALF, grad=False)
    return [file.matmul248(x, weights, scales, zeros, groups, 4, 15), file.transpose_matmul248(x, weights, scales, zeros, groups, 4, 15)]


@call("qwopqwop200+GPTQ-for-LLaMa")
def rotations_in_place():
    absent("transformers"), absent("transformers.models"), absent("transformers.models.llama"), absent("transformers.models.llama.modeling_llama", LlamaAttention=object, LlamaRMSNorm=object, LlamaMLP=object)
    qk = random(2, size(2048, 16), 2, size(32, 4), 128, dtype=HALF, grad=False)
    module(":quant.fused_attn", "quant").triton_rotate_half_(qk, torch.arange(qk.shape[1], device="cuda").expand(2, -1).contiguous())
    return qk


@call("jy-yuan+KIVI")
def caches_of_two_bits():
    absent("kivi_gemv")
    pack, products = module("quant:new_pack"), module("quant:matmul")
    cache = random(size(4, 1), size(32, 2), 128, size(4096, 128), dtype=HALF, grad=False)
    packed, scale, least = pack.triton_quantize_and_pack_along_last_dim(cache, 64, 2)
    return [packed, scale, least, products.triton_bmm_fA_qB_outer(64, random(*cache.shape[:2], 1, 128, dtype=HALF, grad=False), packed, scale, least, 2)]


@call("andy-yang-1+DoubleSparse")
def scores_of_labels():
    folder = "models/triton_kernels:"
    batch, count, length = size((8, 32, 2048), (2, 2, 128))
    labels = random(batch, count, 16, dtype=HALF, grad=False), random(batch * length, count, 16, dtype=HALF, grad=False)
    out = torch.empty(batch, count, length, dtype=HALF, device="cuda")
    module(folder + "bgemv").bgemv(*labels, out)
    q, k, v = random(batch, count, 128, dtype=HALF, grad=False), *(random(batch * length, count, 128, dtype=HALF, grad=False) for _ in range(2))
    made, chosen = torch.empty_like(q), below(length, batch, count, size(256, 64))
    module(folder + "sparse").fwd_sparse_no_mask(q, k, v, made, chosen)
    return [out, made]


@call("chengzeyi+stable-fast")
def group_norm_of_pictures():
    file = module("src:sfast.triton.ops.group_norm", "sfast", "sfast.utils", "sfast.triton", "sfast.triton.ops")
    x, weight, bias = random(2, size(320, 32), size(64, 8), size(64, 8), dtype=HALF, grad=False), random(size(320, 32), dtype=HALF, grad=False), random(size(320, 32), dtype=HALF, grad=False)
    function = file.create_group_norm_forward(file.activation.silu)
    return [*function(x, 32, weight, bias), *function(x.contiguous(memory_format=torch.channels_last), 32, weight, bias)]


@call("chengzeyi+stable-fast")
def layer_norm_of_pictures():
    file = module("src:sfast.triton.ops.layer_norm", "sfast", "sfast.utils", "sfast.triton", "sfast.triton.ops")
    return both_ways(lambda x, weight, bias: file.LayerNorm.apply(x, (WIDTH, ), weight, bias, 1e-5), random(ROWS, WIDTH, dtype=HALF), random(WIDTH, dtype=HALF), random(WIDTH, dtype=HALF))


@call("chengzeyi+stable-fast")
def copies_of_other_orders():
    file = module("src:sfast.triton.ops.copy", "sfast", "sfast.utils", "sfast.triton", "sfast.triton.ops")
    source = random(size(16, 2), size(320, 16), size(64, 8), size(64, 8), dtype=HALF, grad=False)
    return [file.copy(torch.empty_like(source, memory_format=torch.channels_last), source), file.copy(torch.empty(ROWS, WIDTH, device="cuda"), random(WIDTH, ROWS, dtype=FLOAT, grad=False).T)]


@call("lucidrains+lion-pytorch")
def steps_of_an_optimizer():
    weights, grads, averages = (random(ROWS * WIDTH, dtype=FLOAT, grad=False) for _ in range(3))
    module(":lion_pytorch.triton", "lion_pytorch").update_fn(weights, grads, averages, 1e-3, 0.1, 0.9, 0.99)
    return weights, averages


@call("KellerJordan+modded-nanogpt")
def symmetric_products():
    file = nanogpt()
    wide = random(size(4, 1), size(1024, 128), size(4096, 256), grad=False)
    tall = random(size(4, 1), size(4096, 256), size(1024, 128), grad=False)
    made = [torch.empty(wide.shape[0], wide.shape[1], wide.shape[1], device="cuda", dtype=wide.dtype) for _ in range(3)]
    file.XXT(wide, made[0]), file.XTX(tall, made[1]), file.ba_plus_cAA(made[0], -4.0, 2.0, made[2])
    return made


def nanogpt():
    torch.cuda._compile_kernel = lambda *given, **named: types.SimpleNamespace(set_shared_memory_config=lambda size: None)  # CUDA's own
    return module(":triton_kernels")


@call("KellerJordan+modded-nanogpt")
def squares_of_a_layer():
    file = nanogpt()
    x, weight = random(size(8192, 256), size(1024, 128), grad=False), random(size(4096, 256), size(1024, 128), grad=False)
    return file.linear_relu_square(x, weight)


@call("KellerJordan+modded-nanogpt")
def transposed_copies():
    file = nanogpt()
    source, target = random(size(8192, 64), size(4096, 128), grad=False), random(size(4096, 128), size(8192, 64), grad=False)
    other = target.clone()
    file.transpose_copy(source, target), file.transpose_add(source, other)
    return target, other


@call("microsoft+ArchScale")
def newton_and_schulz():
    file = module(":lit_gpt.optim.newton_schulz_triton", "lit_gpt", "lit_gpt.optim")
    return file.newton_schulz_triton(random(size(2, 1), size(2048, 128), size(4096, 256), grad=False))


@call("microsoft+ArchScale")
def places_of_experts():
    file = module(":lit_gpt.moe_utils", "lit_gpt")
    counts = below(size(200, 9), 64, dtype=torch.int32)
    return file.generate_permute_indices(counts, 8, 8, size(16384, 1024), 16)[:2]


@call("thinking-machines-lab+batch_invariant_ops")
def products_and_means_that_repeat():
    file = module(":batch_invariant_ops.batch_invariant_ops", "batch_invariant_ops")
    a, b = random(size(2048, 128), size(2048, 128), grad=False), random(size(2048, 128), size(2048, 128), grad=False)
    logits = random(size(512, 8), size(32000, 1000), grad=False)
    return [file.matmul_persistent(a, b), file.log_softmax(logits), file.mean_dim(logits, 1), file.mean_dim(random(16, size(512, 8), WIDTH, grad=False), 1)]


@call("IntelLabs+EquiTriton")
def spherical_harmonics():
    absent("e3nn"), absent("e3nn.util"), absent("e3nn.util.jit", compile_mode=lambda mode: lambda thing: thing), absent("e3nn.o3"), absent("numba")
    results = []
    coordinates = random(size(65536, 100), 3, dtype=FLOAT)
    for order, name in (3, "Third"), (5, "Fifth"), (8, "Eighth"), (10, "Tenth"):
        file = module(f"src:equitriton.sph_harm.direct.y_{order}", "equitriton", "equitriton.sph_harm", "equitriton.sph_harm.direct")
        results.append(getattr(file, name + "OrderSphericalHarmonic").apply(coordinates))
    return both_ways(lambda coordinates: results, coordinates)


@call("facebookresearch+fairchem")
def rotations_of_edges():
    packages = [".".join("fairchem.core.models.uma.triton".split(".")[:count]) for count in range(1, 6)]
    file = module("src:fairchem.core.models.uma.triton.fused_wigner", *packages)
    nodes, edges, width = size((4000, 50000, 128), (20, 60, 128))
    wigner, places = random(edges, 9, 9, dtype=FLOAT), below(nodes, 2, edges)
    first, made = both_ways(lambda x, wigner, radial: file.wigner_conv1_fused_op(x, places, wigner, radial, width), random(nodes, 9, width, dtype=FLOAT), wigner, random(edges, 12 * width, dtype=FLOAT))
    return first, [*made, file.wigner_inv_conv2_fused_op(*(random(edges, count * width, dtype=FLOAT, grad=False) for count in (3, 4, 2)), wigner, width)]


@call("alibaba+TorchEasyRec")
def norms_of_a_recommender():
    file = hstu("layer_norm")
    x, weight, bias = random(ROWS, size(512, 128)), random(size(512, 128)), random(size(512, 128))
    return both_ways(lambda x, weight, bias: [file.triton_layer_norm(x, weight, bias, 1e-6), file.triton_rms_norm(x, weight, 1e-6), file.triton_swish_layer_norm(x, [x.shape[1]], weight, bias, 1e-6)], x, weight, bias)


@call("alibaba+TorchEasyRec")
def outputs_of_a_recommender():
    file = hstu("linear")
    width = size(512, 128)
    inputs = [random(ROWS, width), random(ROWS, width), random(ROWS, width), random(width), random(width), random(width, width)]
    return both_ways(lambda *given: file.triton_hstu_compute_output(*given, 1e-6, 0.0, False), *inputs)


@call("alibaba+TorchEasyRec")
def jagged_products():
    file = hstu("jagged_tensors")
    lengths, width = size([1000, 500, 2000, 596], [30, 40]), size(256, 64)
    inputs = [random(sum(lengths), width), random(len(lengths), width, width), random(len(lengths), width)]
    product = both_ways(lambda *given: file.triton_jagged_dense_bmm_broadcast_add(max(lengths), steps(lengths, torch.int64), *given), *inputs)
    left, right = random(sum(lengths), width, grad=False), random(sum(lengths), width, grad=False)
    return product[0], [product[1], file.triton_concat_2D_jagged(left, right, max(lengths), max(lengths), steps(lengths, torch.int64), steps(lengths, torch.int64))]


@call("alibaba+TorchEasyRec")
def sums_of_products():
    return both_ways(hstu("addmm").triton_addmm, random(size(2048, 128)), random(ROWS, size(512, 128)), random(size(512, 128), size(2048, 128)))


def primus(path):
    absent("origami"), absent("primus_turbo.pytorch.core.utils", is_gfx950=lambda: False, is_gfx942=lambda: False, get_num_cus=lambda: 132)
    absent("primus_turbo.triton.utils.triton_knobs_helper", scoped_amd_knobs=lambda function=None, **_: function or (lambda given: given))
    absent("primus_turbo.triton.utils.origami", origama_select_params=lambda *given, **named: None)
    top = "primus_turbo"
    packages = [top, top + ".triton", top + ".pytorch", top + ".pytorch.core", top + ".triton.utils", top + ".triton." + path.split(".")[0]]
    return module(f":primus_turbo.triton.{path}", *packages)


@call("AMD-AGI+Primus-Turbo")
def permutations_of_experts():
    file = primus("moe.permutation")
    experts, chosen = size((64, 8), (8, 2))
    routing = torch.zeros(ROWS, experts, device="cuda", dtype=torch.bool).scatter_(1, torch.rand(ROWS, experts, device="cuda").topk(chosen).indices, True)
    places = file.make_row_id_map(routing, ROWS, experts)
    places = places[0] if isinstance(places, tuple) else places
    x = random(ROWS, WIDTH, grad=False)
    made = file.permute_with_mask_map(x, places, torch.rand(ROWS, experts, device="cuda"), None, ROWS, experts, ROWS * chosen, WIDTH, 0)
    return [*made, *file.unpermute_with_mask_map(made[0], places, None, None, ROWS, experts, WIDTH)]


@call("aqlaboratory+openfold-3")
def softmax_with_a_mask_and_a_bias():
    file = module(":openfold3.core.kernels.triton.triton_softmax", "openfold3", "openfold3.core", "openfold3.core.kernels", "openfold3.core.kernels.triton")
    results = []
    for length in size((128, 384), (16, 200)):
        x = random(1, size(128, 4), 4, length, length, dtype=FLOAT, grad=False)
        mask, bias = random(1, size(128, 4), 1, 1, length, dtype=FLOAT, grad=False), random(1, 1, 4, length, length, dtype=FLOAT, grad=False)
        made = file.softmax_triton_kernel_wrapper(x, mask, bias, x.numel() // length, length)
        results += [made, file.softmax_grad_triton_kernel_wrapper(random(*x.shape, dtype=FLOAT, grad=False), made, x.numel() // length, length)]
    return results


@call("sgl-project+SpecForge")
def losses_of_drafts():
    file = module(":specforge.core.loss", "specforge", "specforge.core")
    rows, width = size((2048, 32000), (8, 1000))
    target = torch.softmax(random(1, rows, width, dtype=FLOAT, grad=False), -1)
    mask = below(2, 1, rows, 1)
    return both_ways(lambda logits: file.LogSoftmaxLoss.apply(logits, target, mask), random(1, rows, width, dtype=FLOAT))


@call("apple+ml-sigmoid-attention")
def losses_with_large_vocabularies():
    file = module("flash_sigmoid:flash_sigmoid.ops.triton.cross_entropy", "flash_sigmoid", "flash_sigmoid.ops", "flash_sigmoid.ops.triton")
    return both_ways(lambda logits: file.cross_entropy_loss(logits, below(logits.shape[1], logits.shape[0]), 0.1, lse_square_scale=1e-4)[0], random(size(4096, 8), size(128256, 1000)))


@call("InternLM+xtuner")
def products_of_experts_by_descriptors():
    tma = "xtuner.v1.ops.moe.cuda.triton_kernels"
    packages = [".".join(tma.split(".")[:count]) for count in range(1, 7)]
    file = module(f":{tma}.m_grouped_gemm_TMA_triton3_4", *packages)
    counts = torch.tensor(size([1000, 3000, 96, 4096], [100, 28]), device="cuda")
    return [file.m_grouped_gemm(random(int(counts.sum()), size(2048, 128), grad=False), random(len(counts), size(1536, 256), size(2048, 128), grad=False), counts, trans_b=True)]


@call("InternLM+xtuner")
def weights_of_experts_by_descriptors():
    tma = "xtuner.v1.ops.moe.cuda.triton_kernels"
    packages = [".".join(tma.split(".")[:count]) for count in range(1, 7)]
    file = module(f":{tma}.k_grouped_gemm_TMA_triton3_4", *packages)
    counts = torch.tensor(size([1000, 3000, 96, 4096], [100, 28]), device="cuda")
    rows = int(counts.sum())
    return [file.k_grouped_gemm(random(rows, size(1536, 128), grad=False), random(rows, size(2048, 256), grad=False), counts)]


@call("InternLM+xtuner")
def quantized_tiles():
    absent("loguru", logger=None), absent("xtuner.v1.utils", get_logger=lambda: None, maybe_compile=lambda function=None, **_: function)
    folder = "xtuner.v1.float8.triton_kernels"
    packages = [".".join(folder.split(".")[:count]) for count in range(1, 5)]
    x = random(ROWS, size(4096, 256), grad=False)
    results = []
    for name in ("per_tile_quant", "trans_per_tile_quant_gemm", "trans_per_block_quant_gemm", "per_block_quant_gemm"):
        results += getattr(module(f":{folder}.{name}", *packages), name)(x if "block" not in name or ROWS % 128 == 0 else random(128, 256, grad=False))
    return [each.float() for each in results]
