"""library_calls.py: calls of other projects' operators at sizes of real models, for corpus_against_triton.py: Liger, flash-linear-attention (by its own list of
operators and inputs), FlagGems under torch's names, mamba. Each is a function that runs forward and, where there is one, backward. The projects are
checkouts in one folder; nothing of them is part of this repository."""
import contextlib
import importlib
import os
import sys

import torch

TOKENS, WIDTH, VOCABULARY = 4096, 4096, 32000


def random(*shape, dtype=torch.bfloat16, grad=True):
    return torch.randn(shape, dtype=dtype, device="cuda", requires_grad=grad and dtype.is_floating_point)


def both_ways(result):
    """Backward from every result that has one."""
    results = [each for each in (result if isinstance(result, (tuple, list)) else [result]) if isinstance(each, torch.Tensor) and each.requires_grad]
    if results:
        torch.autograd.backward(results, [torch.randn_like(each) for each in results])


def liger_calls():
    """name: (module of liger_kernel.ops, its autograd function, arguments)"""
    x = lambda *shape: random(*(shape or (TOKENS, WIDTH)))  # noqa: E731
    weight = lambda width=WIDTH: random(width)  # noqa: E731
    logits = lambda: random(TOKENS, VOCABULARY)  # noqa: E731
    shares = lambda: torch.softmax(random(TOKENS, VOCABULARY, dtype=torch.float32, grad=False), -1)  # noqa: E731
    labels = lambda: torch.randint(0, VOCABULARY, (TOKENS, ), device="cuda")  # noqa: E731
    angles = lambda: random(1, TOKENS, 128, grad=False)  # noqa: E731
    heads = lambda count: random(2, count, TOKENS // 2, 128)  # noqa: E731
    half = lambda: random(1, TOKENS // 2, 128, grad=False)  # noqa: E731
    return {
        "rms_norm": ("rms_norm", "LigerRMSNormFunction", lambda: (x(), weight(), 1e-6)),
        "rms_norm wide": ("rms_norm", "LigerRMSNormFunction", lambda: (x(2048, 16384), weight(16384), 1e-6)),
        "layer_norm": ("layer_norm", "LigerLayerNormFunction", lambda: (x(), weight(), weight(), 1e-6)),
        "group_norm": ("group_norm", "LigerGroupNormFunction", lambda: (x(128, 512, 1024), weight(512), weight(512), 512, 32, 1e-6)),
        "fused_add_rms_norm": ("fused_add_rms_norm", "LigerFusedAddRMSNormFunction", lambda: (x(), x(), weight(), 1e-6)),
        "modulated_rms_norm": ("modulated_rms_norm", "LigerModulatedRMSNormFunction", lambda: (x(4, 1024, WIDTH), weight(), x(4, WIDTH), x(4, WIDTH), 1e-6)),
        "poly_norm": ("poly_norm", "LigerPolyNormFunction", lambda: (x(), random(3), random())),
        "swiglu": ("swiglu", "LigerSiLUMulFunction", lambda: (x(TOKENS, 11008), x(TOKENS, 11008))),
        "geglu": ("geglu", "LigerGELUMulFunction", lambda: (x(TOKENS, 11008), x(TOKENS, 11008))),
        "relu_squared": ("relu_squared", "LigerReLUSquaredFunction", lambda: (x(TOKENS, 11008), )),
        "dyt": ("dyt", "LigerDyTFunction", lambda: (x(), random(1), weight(), weight())),
        "rope": ("rope", "LigerRopeFunction", lambda: (heads(32), heads(8), half(), half())),
        "llama4_rope": ("llama4_rope", "LigerLlama4RopeFunction", lambda: (random(2, 2048, 32, 128), random(2, 2048, 8, 128), torch.polar(torch.ones(2048, 64, device="cuda"), torch.rand(2048, 64, device="cuda")))),
        "qwen2vl_mrope": ("qwen2vl_mrope", "LigerQwen2VLMRopeFunction", lambda: (heads(32), heads(8), random(3, 2, 2048, 128, grad=False), random(3, 2, 2048, 128, grad=False), [16, 24, 24])),
        "cross_entropy": ("cross_entropy", "LigerCrossEntropyFunction", lambda: (logits(), labels(), None)),
        "cross_entropy smooth": ("cross_entropy", "LigerCrossEntropyFunction", lambda: (logits(), labels(), None, -100, 1e-4, 0.1, "mean", 30.0)),
        "fused_linear_cross_entropy": ("fused_linear_cross_entropy", "LigerFusedLinearCrossEntropyFunction", lambda: (x(), x(VOCABULARY, WIDTH), labels())),
        "kl_div": ("kl_div", "LigerKLDivLossFunction", lambda: (shares().log().requires_grad_(), shares())),
        "jsd": ("jsd", "LigerJSDFunction", lambda: (shares().log().requires_grad_(), shares().log())),
        "tvd": ("tvd", "LigerTVDLossFunction", lambda: (shares().requires_grad_(), shares())),
        "softmax": ("softmax", "LigerSoftmaxFunction", lambda: (x(), )),
        "sparsemax": ("sparsemax", "LigerSparsemaxFunction", lambda: (x(), -1)),
        "embedding": ("experimental.embedding", "LigerEmbeddingFunction", lambda: (x(VOCABULARY, WIDTH), labels())),
        "neighborhood attention": ("fused_neighborhood_attention", "LigerFusedNeighborhoodAttentionFunction", lambda: (heads(8), heads(8), heads(8))),
        "multi_token_attention": ("multi_token_attention", "LigerMultiTokenAttentionFunction", lambda: (random(2, 16, 512, 512), random(16, 16, 3, 3), None, 1, 1)),
    }  # yapf: disable


def flag_gems_calls():
    """torch's names: under FlagGems its kernels answer them."""
    F = torch.nn.functional
    flat = lambda dtype=torch.bfloat16, grad=False: random(1 << 25, dtype=dtype, grad=grad)  # noqa: E731
    square = lambda dtype=torch.bfloat16, grad=False: random(TOKENS, WIDTH, dtype=dtype, grad=grad)  # noqa: E731
    indices = lambda rows, columns: torch.randint(0, rows, (columns, ), device="cuda")  # noqa: E731
    calls = {}
    for name in ("abs", "cos", "erf", "exp", "exp2", "isnan", "neg", "reciprocal", "rsqrt", "sigmoid", "sin", "sqrt", "tanh", "relu", "atan", "log", "nan_to_num", "logical_not"):
        calls[name] = lambda name=name: getattr(torch, name)(flat())
        calls[name + " fp32"] = lambda name=name: getattr(torch, name)(flat(torch.float32))
    for name in ("gelu", "silu", "elu", "celu", "softplus", "logsigmoid"):
        calls[name] = lambda name=name: getattr(F, name)(flat(grad=True))
    for name in ("add", "sub", "mul", "div", "maximum", "minimum", "eq", "gt", "pow", "remainder", "floor_divide", "logical_and", "isclose"):
        calls[name] = lambda name=name: getattr(torch, name)(flat(), flat().abs() + 0.5)
    calls["add of a row"] = lambda: torch.add(square(), random(WIDTH, grad=False))
    calls["where of a column"] = lambda: torch.where(random(TOKENS, 1, grad=False) > 0, square(), square())
    for name in ("sum", "mean", "amax", "argmax", "argmin", "any", "all", "prod", "std", "var_mean", "max", "count_nonzero"):
        for axis in (0, 1):
            calls[f"{name} of axis {axis}"] = lambda name=name, axis=axis: getattr(torch, name)(square(torch.float32), axis)
    for name in ("sum", "mean", "max", "argmax", "prod", "any"):
        calls[f"{name} of all"] = lambda name=name: getattr(torch, name)(flat(torch.float32))
    for axis in (0, 1):
        calls[f"softmax of axis {axis}"] = lambda axis=axis: torch.softmax(square(grad=True), axis)
        calls[f"log_softmax of axis {axis}"] = lambda axis=axis: torch.log_softmax(square(grad=True), axis)
        calls[f"cumsum of axis {axis}"] = lambda axis=axis: torch.cumsum(square(torch.float32), axis)
        calls[f"index_select of axis {axis}"] = lambda axis=axis: torch.index_select(square(), axis, indices(TOKENS, 2048))
        calls[f"flip of axis {axis}"] = lambda axis=axis: torch.flip(square(), (axis, ))
        calls[f"gather of axis {axis}"] = lambda axis=axis: torch.gather(square(), axis, torch.randint(0, TOKENS, (TOKENS, WIDTH), device="cuda"))
    calls.update({
        "cummax": lambda: torch.cummax(square(torch.float32), 1),
        "layer_norm": lambda: F.layer_norm(square(grad=True), (WIDTH, ), random(WIDTH), random(WIDTH)),
        "group_norm": lambda: F.group_norm(random(32, 256, 64, 64), 32, random(256), random(256)),
        "batch_norm": lambda: F.batch_norm(random(64, 128, 56, 56), None, None, random(128), random(128), True),
        "rms_norm": lambda: F.rms_norm(square(grad=True), (WIDTH, ), random(WIDTH)),
        "vector_norm": lambda: torch.linalg.vector_norm(square(torch.float32), dim=1),
        "cross_entropy": lambda: F.cross_entropy(random(TOKENS, VOCABULARY), indices(VOCABULARY, TOKENS)),
        "mse_loss": lambda: F.mse_loss(square(), square()),
        "glu": lambda: F.glu(square(grad=True)),
        "dropout": lambda: F.dropout(flat(grad=True), 0.3),
        "embedding": lambda: F.embedding(indices(VOCABULARY, TOKENS), random(VOCABULARY, WIDTH)),
        "mm": lambda: torch.mm(random(2048, 2048, grad=False), random(2048, 2048, grad=False)),
        "mm large": lambda: torch.mm(square(), square()),
        "mm fp32": lambda: torch.mm(random(1024, 1024, dtype=torch.float32, grad=False), random(1024, 1024, dtype=torch.float32, grad=False)),
        "mm transposed": lambda: torch.mm(square(), random(1024, WIDTH, grad=False).T),
        "addmm": lambda: torch.addmm(random(4096, grad=False), random(1024, WIDTH, grad=False), square()),
        "bmm": lambda: torch.bmm(random(16, 1024, 1024, grad=False), random(16, 1024, 1024, grad=False)),
        "mv": lambda: torch.mv(square(), random(WIDTH, grad=False)),
        "dot": lambda: torch.dot(flat(torch.float32), flat(torch.float32)),
        "outer": lambda: torch.outer(random(TOKENS, grad=False), random(WIDTH, grad=False)),
        "conv2d": lambda: F.conv2d(random(32, 64, 56, 56, grad=False), random(128, 64, 3, 3, grad=False), None, 1, 1),
        "conv1d": lambda: F.conv1d(random(32, 64, 4096, grad=False), random(128, 64, 3, grad=False), None, 1, 1),
        "depthwise": lambda: F.conv2d(random(16, 64, 56, 56, grad=False), random(64, 1, 3, 3, grad=False), None, 1, 1, 1, 64),
        "avg_pool2d": lambda: F.avg_pool2d(random(32, 64, 112, 112, grad=False), 3, 2, 1),
        "upsample_nearest2d": lambda: F.interpolate(random(16, 64, 56, 56, grad=False), scale_factor=2.0),
        "sort": lambda: torch.sort(random(64, 8192, dtype=torch.float32, grad=False)),
        "topk": lambda: torch.topk(random(256, 8192, dtype=torch.float32, grad=False), 16),
        "unique": lambda: torch.unique(torch.randint(0, 1000, (1 << 20, ), device="cuda")),
        "nonzero": lambda: torch.nonzero(random(1 << 22, grad=False) > 0),
        "masked_fill": lambda: square().masked_fill(torch.rand(TOKENS, WIDTH, device="cuda") > 0.5, 0.0),
        "masked_select": lambda: torch.masked_select(square(), torch.rand(TOKENS, WIDTH, device="cuda") > 0.5),
        "triu": lambda: torch.triu(square()),
        "scatter": lambda: torch.scatter(square(), 1, torch.randint(0, WIDTH, (TOKENS, WIDTH), device="cuda"), square()),
        "index_add": lambda: torch.index_add(square(torch.float32), 0, indices(TOKENS, 2048), random(2048, WIDTH, dtype=torch.float32, grad=False)),
        "cat": lambda: torch.cat([square(), square()], 1),
        "stack": lambda: torch.stack([square(), square()], 1),
        "repeat": lambda: random(1024, 1024, grad=False).repeat(4, 4),
        "pad": lambda: F.pad(square(), (3, 5, 1, 2)),
        "kron": lambda: torch.kron(random(64, 64, grad=False), random(64, 64, grad=False)),
        "transposed copy": lambda: square().T.contiguous(),
        "to fp32": lambda: flat().to(torch.float32),
        "rand": lambda: torch.rand(1 << 25, device="cuda"),
        "randn": lambda: torch.randn(1 << 25, device="cuda"),
        "arange": lambda: torch.arange(1 << 25, device="cuda"),
        "multinomial": lambda: torch.multinomial(torch.rand(64, VOCABULARY, device="cuda"), 8),
        "isin": lambda: torch.isin(torch.randint(0, 100000, (1 << 20, ), device="cuda"), torch.randint(0, 100000, (1000, ), device="cuda")),
        "quantile": lambda: torch.quantile(random(1024, 4096, dtype=torch.float32, grad=False), 0.3, dim=1),
    })  # yapf: disable
    return calls


def mamba_calls():
    from mamba_ssm.ops.triton.layer_norm import layer_norm_fn
    from mamba_ssm.ops.triton.layernorm_gated import rmsnorm_fn
    from mamba_ssm.ops.triton.selective_state_update import selective_state_update
    from mamba_ssm.ops.triton.ssd_combined import mamba_chunk_scan_combined

    def chunk_scan():
        x, dt = random(2, 4096, 64, 64), random(2, 4096, 64)
        a = -torch.rand(64, device="cuda")
        b, c = random(2, 4096, 1, 128), random(2, 4096, 1, 128)
        return mamba_chunk_scan_combined(x, dt, a, b, c, 256, D=random(64), dt_bias=random(64, dtype=torch.float32), dt_softplus=True)

    def state_update():
        return selective_state_update(random(64, 64, 64, 128, grad=False), random(64, 64, 64, grad=False), random(64, 64, 64, grad=False), -torch.rand(64, 64, 128, device="cuda"), random(64, 1, 128, grad=False), random(64, 1, 128, grad=False))

    return {"chunk scan": chunk_scan, "state update": state_update, "layer norm": lambda: layer_norm_fn(random(TOKENS, WIDTH), random(WIDTH), random(WIDTH)),
            "gated norm": lambda: rmsnorm_fn(random(TOKENS, WIDTH), random(WIDTH), None, z=random(TOKENS, WIDTH))}  # yapf: disable


class Libraries:
    """Checkouts below one folder, by their names: Liger-Kernel, flash-linear-attention, FlagGems, mamba."""
    together = 12  # their imports take seconds
    PATHS = {"Liger": "Liger-Kernel/src", "fla": "flash-linear-attention", "FlagGems": "FlagGems/src", "mamba": "mamba"}
    MAMBA = ("chunk scan", "state update", "layer norm", "gated norm")

    def __init__(self, checkouts):
        self.checkouts = os.path.abspath(checkouts)

    def items(self):
        found = {"Liger": liger_calls(), "FlagGems": flag_gems_calls(), "mamba": self.MAMBA, "fla": self.registry().list_ops() if self.has("fla") else ()}
        return [f"{library}: {name}" for library, names in found.items() if self.has(library) for name in names]

    def has(self, library):
        return os.path.isdir(os.path.join(self.checkouts, self.PATHS[library]))

    def registry(self):
        """flash-linear-attention's own list of what it measures."""
        folder = os.path.join(self.checkouts, self.PATHS["fla"], "benchmarks", "ops")
        if folder not in sys.path:
            sys.path.insert(0, folder)
        return importlib.import_module("registry")

    def run(self, item, recorder):
        library, name = item.split(": ", 1)
        sys.path.insert(0, os.path.join(self.checkouts, self.PATHS[library]))
        call, around = self.call_of(library, name)
        with around, recorder.alone(), recorder.on():
            both_ways(call())  # once: FlagGems launches what it has compiled in a way that Triton 3.6 refuses
            torch.cuda.synchronize()

    def call_of(self, library, name):
        nothing = contextlib.nullcontext()
        if library == "Liger":
            module, function, arguments = liger_calls()[name]
            function = getattr(importlib.import_module("liger_kernel.ops." + module), function)
            return lambda: function.apply(*arguments()), nothing
        if library == "FlagGems":
            return flag_gems_calls()[name], importlib.import_module("flag_gems").use_gems()
        if library == "mamba":
            return mamba_calls()[name], nothing
        registry = self.registry()
        config = registry.get_op(name)
        shape = next(iter(config.default_shapes.values())) if config.default_shapes else registry.SHAPE_CONFIGS["B4_T2048_H16_D128"]
        function = getattr(importlib.import_module(config.import_path), config.func_name or config.name)

        def operator():
            result = function(**registry.generate_inputs(config, **shape), **config.extra_kwargs)
            result = result[0] if config.output_is_tuple else result
            return result.detach() if config.skip_backward else result

        return operator, nothing
