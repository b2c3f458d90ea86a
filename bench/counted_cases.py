"""counted_cases.py: the launches of count_against_ncu.py: kernels of the library, of Triton's tutorials and of TritonBench-G, in sizes that the
interpreter runs in seconds. A case is a name and a function that prepares it and gives the call."""
import contextlib
import importlib
import json
import math
import os
import re
import sys
import types

import torch
from counted_sizes import FOURTH, LIBRARY, SECOND, THIRD

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64,
         "u8": torch.uint8, "fp8e4nv": torch.float8_e4m3fn}  # yapf: disable

TRITONBENCH = ("add_example", "relu_triton_kernel", "softmax_triton1", "rms_norm_triton", "l2_norm_triton1", "matrix_transpose", "swiglu_fwd", "matmul_triton1",
               "logsumexp_fwd", "layernorm_fwd_triton", "kldiv_compute", "mean_reduction", "rowwise_quantization_triton", "matrix_vector_multip",
               "bmm_chunk_fwd")  # yapf: disable
# Of these no launch was looked at before its list was measured first.
SECOND_TRITONBENCH = ("apply_penalty", "bgmv_shrink_kernel", "chunk_cumsum_vector", "cross_entropy1", "dequantize_rowwise", "embedding_triton_kernel",
                      "fast_rope_embedding", "flash_attn", "fused_recurrent_retention", "geglu_tanh_triton", "int8_quantization", "kldiv_triton", "l2_norm_bwd",
                      "lightning_attention", "log_softmax", "matmul_leakyrelu", "matmul_triton2", "max_reduction", "rmsnorm_fused", "rotary_emb", "softmax_optimize",
                      "swiglu_backward", "triton_argmax")  # yapf: disable
THIRD_TRITONBENCH = ("adam_update_triton", "attention_score", "batched_vecmat_mult", "bmm_optimized", "cosine_compute", "destindex_copy", "diag_ssm_triton",
                     "fast_rms_layernorm", "index_select_cat", "int8_matmul_kernel", "kv_cache_filling", "l2_norm_triton2",
                     "layer_norm_liger", "masked_add_cuda", "reversed_cumsum", "rope_embedding", "softmax_triton3", "square_matrix",
                     "triton_conv2d_fwd", "var_len_copy")  # yapf: disable
FOURTH_TRITONBENCH = ("attention_kernel", "bgmv_expand_slice", "chunk_retention_ops", "context_attn_bloom", "cross_entropy2", "decay_cumsum", "dequantize_matmul",
                      "dropout_triton", "fast_ce_loss", "fast_layernorm", "int4_matmul", "kldiv_ops", "llama_ff_triton", "matmul_dequantize_int4", "matrix_reduction",
                      "multinomial_sampling", "rms_matmul_rbe", "rmsnorm_implementation", "rotary_transform", "sin_kernel", "swiglu_triton",
                      "triton_mul2")  # yapf: disable
MOST_ELEMENTS = 1 << 23  # of the inputs of a TritonBench kernel


def cdiv(a, b):
    return -(-a // b)


class Cases:
    """All cases for tensors on a device."""

    def __init__(self, device, tutorials=None, tritonbench=None, liger=None):
        self.device, self.tutorials, self.tritonbench, self.liger = device, tutorials, tritonbench, liger
        self.seen = lambda call, inputs: None  # is told what a file of TritonBench calls, and with what

    def first(self):
        """(name, prepare): `prepare()` gives the call to watch."""
        for folder, start, sizes, warps in LIBRARY:
            yield f"library {self.entry_of(folder, start)['kernel']}" + (" " + start.split()[-1] if start.endswith("16") else ""), \
                lambda f=folder, s=start, z=sizes, w=warps: self.library(f, s, z, w)
        for name, make in (("matmul f16", self.product), ("matmul f8", self.product), ("matmul int8", self.product), ("matmul tf32", self.tf32_product),
                           ("persistent_matmul", self.persistent_product), ("attention", self.attention), ("causal attention", self.attention),
                           ("attention backward", self.attention_backward)):  # yapf: disable
            yield f"library {name}", lambda n=name, m=make: m(n)
        for name in TUTORIALS if self.tutorials else ():
            yield f"tutorial {name}", lambda n=name: TUTORIALS[n](self)
        for name in TRITONBENCH if self.tritonbench else ():
            yield f"tritonbench {name}", lambda n=name: self.bench(n)

    def held_out(self, which):
        """The same, of launches that are in no other list."""
        sizes, more, of_liger, of_tritonbench = HELD_OUT[which]
        for folder, start, own, warps in sizes:
            yield f"{which} {folder}: {start}", lambda f=folder, s=start, z=own, w=warps: self.library(f, s, z, w)
        for name, make in more.items():
            yield f"{which} {name}", lambda m=make: m(self)
        for name, call in of_liger.items() if self.liger else ():
            yield f"{which} Liger {name}", lambda n=name, c=call: self.of_liger(n, c)
        for name in of_tritonbench if self.tritonbench else ():
            yield f"{which} tritonbench {name}", lambda n=name: self.bench(n, MOST_ELEMENTS // 4)

    # ---- The library, by its lists of sizes.
    def entry_of(self, folder, start):
        with open(os.path.join(ROOT, "kernels", folder, "bench.json"), encoding="utf-8") as file:
            return next(entry for entry in json.load(file) if entry["name"].startswith(start))

    def value(self, text, module):
        """What an argument of bench.json says: `randn:f32[4,8]`, `None`, `1e-5`, the name of a function."""
        match = re.fullmatch(r"(\w+)(?:\((.*)\))?:(\w+)\[([^\]]*)\]", text)
        if not match:
            return eval(text, dict(vars(module)))  # noqa: S307 our own file
        kind, given, dtype, extents = match.groups()
        shape = [int(extent) for extent in extents.split(",") if extent]
        numbers = [float(number) for number in given.split(",")] if given else []
        make = {"randn": lambda: torch.randn(shape), "rand": lambda: torch.rand(shape), "ones": lambda: torch.ones(shape),
                "zeros": lambda: torch.zeros(shape), "empty": lambda: torch.zeros(shape), "arange": lambda: torch.arange(math.prod(shape)).reshape(shape),
                "full": lambda: torch.full(shape, numbers[0]), "randint": lambda: torch.randint(int(numbers[0]), int(numbers[1]), shape)}[kind]  # yapf: disable
        return make().to(TYPES[dtype]).to(self.device)

    def module(self, folder):
        from library_cases import module
        return module(folder)

    def library(self, folder, start, sizes, warps):
        entry, module = self.entry_of(folder, start), self.module(folder)
        known = {**entry["sizes"], **sizes}
        filled = lambda text: re.sub(r"\{(\w+)\}", lambda match: str(known[match.group(1)]), text)
        arguments = {name: self.value(text, module) for name, text in (filled(argument).split("=", 1) for argument in entry["arguments"])}
        grid = eval(filled(entry["grid"]), {"cdiv": cdiv})  # noqa: S307
        grid = grid if isinstance(grid, tuple) else (grid, )
        return lambda: getattr(module, entry["kernel"])[grid](**arguments, num_warps=warps)

    # ---- The library in its configurations for the H200.
    def random(self, *shape, dtype=torch.float16):
        return torch.randn(shape).to(dtype).to(self.device)

    def product(self, name, size=1024):
        from library_cases import kernel
        kind = name.split()[1]
        dtype = {"f16": torch.float16, "f8": torch.float8_e4m3fn, "int8": torch.int8}[kind]
        a, b = ((4 * torch.randn(size, size)).to(dtype).to(self.device) for _ in range(2))
        b = b if kind == "f16" else b.T
        out = torch.empty(size, size, dtype=torch.int32 if kind == "int8" else torch.float16, device=self.device)
        between = (None, None) if kind == "int8" else (None, )
        launch = kernel(f"matmul {kind.replace('f8', 'fp8')} 1024")
        tiles = lambda c: cdiv(size, c["BLOCK_M"]) * cdiv(size, c["BLOCK_N"])
        return lambda: launch(lambda c: (min(tiles(c), c.get("programs", tiles(c))), ), a, b, *between, out, size, size, size, *a.stride(), *b.stride(), *out.stride())

    def tf32_product(self, name, size=512):
        a, b, out = (self.random(size, size, dtype=torch.float32) for _ in range(3))
        kernel = self.module("matmul").matmul
        return lambda: kernel[(cdiv(size, 64)**2, )](a, b, None, out, size, size, size, size, 1, size, 1, size, 1, BLOCK_M=64, BLOCK_N=64, BLOCK_K=32,
                                                     GROUP_M=8, PRECISION="tf32", num_warps=4, num_stages=3)

    def persistent_product(self, name, size=1024):
        from library_cases import kernel
        a, b, out = (self.random(size, size) for _ in range(3))
        launch = kernel("persistent matmul f16")
        return lambda: launch(lambda c: (min(c["programs"], cdiv(size, c["BLOCK_M"]) * cdiv(size, c["BLOCK_N"])), ), a, b, out, size, size, size)

    def attention_arguments(self, heads=4, length=1024, width=64):
        q, k, v, out = (self.random(1, heads, length, width) for _ in range(4))
        lse = torch.randn(1, heads, length, device=self.device)
        return q, k, v, out, lse, [stride for _ in range(4) for stride in q.stride()[:3]] + [heads, 1, length, length]

    def attention(self, name, heads=4, length=1024, width=64):
        from library_cases import kernel
        q, k, v, out, lse, rest = self.attention_arguments(heads, length, width)
        launch = kernel(f"{name} f16 d{width}")
        return lambda: launch(lambda c: (cdiv(length, c["BLOCK_M"]), heads), q, k, v, out, lse, 0.125, *rest)

    def attention_backward(self, name):
        from library_cases import kernel
        q, k, v, gradient, lse, rest = self.attention_arguments()
        grad_k, grad_v, delta = torch.empty_like(k), torch.empty_like(v), torch.zeros_like(lse)
        launch = kernel("attention backward of k and v f16 d64")
        return lambda: launch(lambda c: (cdiv(1024, c["BLOCK_N"]), 4), q, k, v, gradient, lse, delta, grad_k, grad_v, 0.125, *rest)

    # ---- Triton's tutorials.
    def tutorial(self, name):
        from triton_cases import Tutorial
        found = Tutorial(os.path.join(self.tutorials, name))
        found._names["DEVICE"] = torch.empty(0, device=self.device).device
        return found

    def add(self):
        one = self.tutorial("01-vector-add.py")
        x, y = (self.random(1 << 21, dtype=torch.float32) for _ in range(2))
        return lambda: one.add(x, y)

    def tutorial_product(self):
        from triton_cases import fix_config
        three = self.tutorial("03-matrix-multiplication.py")
        fix_config(three.matmul_kernel, {"BLOCK_SIZE_M": 64, "BLOCK_SIZE_N": 128, "BLOCK_SIZE_K": 32, "GROUP_SIZE_M": 8}, 4, 4)
        a, b = self.random(512, 512), self.random(512, 512)
        return lambda: three.matmul(a, b)

    def tutorial_dropout(self):
        four = self.tutorial("04-low-memory-dropout.py")
        x = self.random(1 << 20, dtype=torch.float32)
        return lambda: four.seeded_dropout(x, p=0.5, seed=123)

    def tutorial_norm(self):
        five = self.tutorial("05-layer-norm.py")
        x = self.random(512, 2048).requires_grad_(True)
        weight, bias = (self.random(2048).requires_grad_(True) for _ in range(2))
        gradient = self.random(512, 2048)
        return lambda: five.layer_norm(x, (2048, ), weight, bias, 1e-5).backward(gradient)

    def tutorial_attention(self):
        from triton_cases import fix_config
        six = self.tutorial("06-fused-attention.py")
        fix_config(six._attn_fwd, {"BLOCK_M": 128, "BLOCK_N": 64}, 4, 3)
        q, k, v = (self.random(1, 4, 1024, 64) for _ in range(3))
        return lambda: six.attention(q, k, v, True, 0.125, False)

    # ---- Liger's functions.
    def of_liger(self, name, call):
        sys.path.insert(0, os.path.join(self.liger, "src"))
        for package in ("liger_kernel", "liger_kernel.ops"):  # their own __init__ imports every operation
            sys.modules[package] = types.ModuleType(package)
            sys.modules[package].__path__ = [os.path.join(self.liger, "src", *package.split("."))]
        return call(importlib.import_module("liger_kernel.ops." + name), self.random)

    # ---- TritonBench-G: the largest of a kernel's own inputs that is not too large.
    def bench(self, name, most=MOST_ELEMENTS):
        folder = os.path.join(self.tritonbench, "performance_metrics", "perf_G")
        package = types.ModuleType("TritonBench_v1")
        package.__path__ = [os.path.join(self.tritonbench, "data", "TritonBench_G_v1")]
        sys.modules["TritonBench_v1"] = package
        sys.path[:0] = [folder, os.path.join(folder, "golden_metrics")]
        module = importlib.import_module(name + "_perf")  # runs the kernel's own test too
        case = bounded(module.performance_metrics, most)()
        with contextlib.suppress(Enough):
            case.get_input_tensors()
        inputs = case.input_tensors.largest()
        inputs = inputs if self.device == "cpu" else case.to_cuda(inputs)
        self.seen(case.call_op, inputs)
        return lambda: case.call_op(inputs)


TUTORIALS = {"01 add": Cases.add, "03 matmul": Cases.tutorial_product, "04 dropout": Cases.tutorial_dropout, "05 layer norm": Cases.tutorial_norm,
             "06 attention": Cases.tutorial_attention}  # yapf: disable


def liger_loss(module, random):
    p, q = (random(96, 8192, dtype=torch.float32).log_softmax(-1) for _ in range(2))
    return lambda: module.tv_distance_forward_triton(p.exp(), q.exp(), None, "batchmean", -100, False)


def liger_rows(function, *more):
    """A function of a matrix, a weight and more."""

    def prepare(module, random):
        x, weight = random(600, 3072, dtype=torch.float32), random(3072, dtype=torch.float32)
        return lambda: getattr(module, function)(x, *([weight] if more else ()), *more)

    return prepare


def liger_norm_of_powers(module, random):
    x, weight, bias = random(600, 3072, dtype=torch.float32), random(3, dtype=torch.float32), random(1, dtype=torch.float32)
    return lambda: module.poly_norm_forward(x, weight, bias)


def liger_gate(module, random):
    a, b = (random(300, 5632, dtype=torch.float32) for _ in range(2))
    return lambda: module.geglu_forward(a, b)


def liger_pair(function, *more):
    """A function of two matrices and more."""

    def prepare(module, random):
        a, b = (random(256, 4096, dtype=torch.float32) for _ in range(2))
        return lambda: getattr(module, function)(a, b, *more)

    return prepare


def liger_rope(module, random):
    q, k = random(1, 512, 8, 64).transpose(1, 2), random(1, 512, 2, 64).transpose(1, 2)
    cos, sin = (random(1, 512, 64) for _ in range(2))
    return lambda: module.rope_forward(q, k, cos, sin)


def liger_groups(module, random):
    x, weight, bias = random(8, 64, 2048, dtype=torch.float32), random(64, dtype=torch.float32), random(64, dtype=torch.float32)
    return lambda: module.group_norm_forward(x, 64, 16, weight, bias, 1e-5)


def liger_layer_norm(module, random):
    x, weight, bias = random(700, 2000), random(2000), random(2000)
    return lambda: module.layer_norm_forward(x, weight, bias, 1e-5)


def liger_sum_norm(module, random):
    x, rest, weight = random(500, 4096), random(500, 4096), random(4096)
    return lambda: module.fused_add_rms_norm_forward(x, rest, weight, 1e-5, 0.0, "llama")


def liger_tanh(module, random):
    x, alpha, weight, bias = random(400, 2048, dtype=torch.float32), random(1, dtype=torch.float32), random(2048, dtype=torch.float32), random(2048, dtype=torch.float32)
    return lambda: module.liger_dyt_fwd(x, alpha, weight, bias)


def liger_divergence(module, random):
    p, q = (random(64, 8192, dtype=torch.float32).log_softmax(-1) for _ in range(2))
    return lambda: module.jsd_forward(p, q, None, 0.5, -100, False)


def liger_kullback(module, random):
    p, q = (random(64, 8192, dtype=torch.float32).log_softmax(-1) for _ in range(2))
    return lambda: module.kldiv_forward_triton(p, q.exp(), False, "batchmean", 1e-10)


def liger_sparsemax(module, random):
    x = random(200, 1024, dtype=torch.float32)
    return lambda: module._sparsemax_forward(x, -1)


THIRD_LIGER = {"softmax": liger_rows("_softmax_forward"), "rms_norm": liger_rows("rms_norm_forward", 1e-5, 0.0, "llama", None), "poly_norm": liger_norm_of_powers,
               "relu_squared": liger_rows("relu_squared_forward"), "tvd": liger_loss, "geglu": liger_gate}  # yapf: disable
FOURTH_LIGER = {"swiglu": liger_pair("swiglu_forward"), "rope": liger_rope, "group_norm": liger_groups, "layer_norm": liger_layer_norm,
                "fused_add_rms_norm": liger_sum_norm, "dyt": liger_tanh, "jsd": liger_divergence, "kl_div": liger_kullback,
                "sparsemax": liger_sparsemax}  # yapf: disable

# Lists whose launches nothing was fitted to when they were measured first: of the library by sizes, of the library as called here, of Liger, of TritonBench-G.
HELD_OUT = {
    "second": (SECOND, {"matmul: f16, 1536": lambda cases: cases.product("matmul f16", 1536), "matmul: tf32, 768": lambda cases: cases.tf32_product("matmul tf32", 768),
                        "attention: causal, d128": lambda cases: cases.attention("causal attention", 2, 2048, 128)}, {}, SECOND_TRITONBENCH),
    "third": (THIRD, {"matmul: f16, 1280": lambda cases: cases.product("matmul f16", 1280), "matmul: int8, 768": lambda cases: cases.product("matmul int8", 768),
                      "attention: d128": lambda cases: cases.attention("attention", 2, 1536, 128),
                      "attention: d64": lambda cases: cases.attention("attention", 3, 1280, 64)}, THIRD_LIGER, THIRD_TRITONBENCH),
    "fourth": (FOURTH, {"matmul: f8, 1152": lambda cases: cases.product("matmul f8", 1152), "matmul: tf32, 640": lambda cases: cases.tf32_product("matmul tf32", 640),
                        "attention: causal, d64": lambda cases: cases.attention("causal attention", 3, 1920, 64)}, FOURTH_LIGER, FOURTH_TRITONBENCH),
}  # yapf: disable


class Enough(Exception):
    """The next inputs are too large, and there are some that are not."""


class Inputs(list):
    """Of a kernel of TritonBench, in the order in which its file makes them: mostly ever larger ones, up to many gigabytes, which are not made."""

    def __init__(self, inputs, most):
        super().__init__(inputs)
        self.most = most

    def sizes(self):
        return [sum(part.numel() for part in leaves(each)) for each in self]

    def append(self, inputs):
        super().append(inputs)
        if self.sizes()[-1] > self.most >= min(self.sizes()):
            raise Enough

    def largest(self):
        """Of those that are not too large; the smallest where all are."""
        sizes = self.sizes()
        return self[sizes.index(max((size for size in sizes if size <= self.most), default=min(sizes)))]


def bounded(metrics, most):
    """The class of a file of TritonBench, with its inputs in such a list."""

    def keep(case, inputs):
        case.made = Inputs(inputs, most)

    return type(metrics.__name__, (metrics, ), {"input_tensors": property(lambda case: case.made, keep)})


def leaves(value):
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from leaves(each)
    elif isinstance(value, dict):
        yield from leaves(list(value.values()))


def stay_on_cpu():
    """Programs that ask for CUDA's memory get the host's: kernels can be counted on a machine without a GPU."""
    from nereid import as_cuda
    from torch.overrides import TorchFunctionMode

    class OnCpu(TorchFunctionMode):

        def __torch_function__(self, function, types, args=(), kwargs=None):
            is_cuda = lambda value: isinstance(value, (str, torch.device)) and str(value).startswith("cuda")
            args = tuple("cpu" if is_cuda(value) else value for value in args)
            return function(*args, **{name: "cpu" if is_cuda(value) else value for name, value in (kwargs or {}).items()})

    as_cuda.enable()
    torch.Tensor.cuda = lambda self, *args, **kwargs: self
    torch.cuda.synchronize = lambda *args: None
    torch.cuda.device = torch.cuda.device_of = lambda *args: contextlib.nullcontext()
    OnCpu().__enter__()
