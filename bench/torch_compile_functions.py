"""torch_compile_functions.py: functions that force each kind of kernel and each template that Inductor writes.

A case is a row: a name, a function that makes (callable, arguments) on the GPU, and how to compile it. `CASES` is what
bench/torch_compile_against_triton.py runs.
"""
import torch
import torch.nn.functional as F

AUTOTUNE = {"max_autotune": True, "max_autotune_gemm_backends": "TRITON", "max_autotune_conv_backends": "TRITON"}


class Case:
    """`make` gives the function and its arguments; `options` are Inductor's; `grad`: the step includes a backward pass."""

    def __init__(self, name, make, options=None, grad=False, dynamic=None, mode=None, check=None):
        self.name, self.make, self.options, self.grad = name, make, options, grad
        self.dynamic, self.mode, self.check = dynamic, mode, check


def _randn(*shape, dtype=torch.float32, grad=False):
    return torch.randn(*shape, device="cuda", dtype=dtype, requires_grad=grad)


def pointwise():
    return lambda x, y: torch.where(x > 0, x.sigmoid() * y, torch.exp(-y.abs()) + x.sin()).to(torch.bfloat16), (_randn(1001, 517), _randn(1001, 517))


def broadcast():
    return lambda x, y, z: (x[:, None] * y[None, :] + z).relu().transpose(0, 1).contiguous(), (_randn(333), _randn(1025), _randn(333, 1025))


def integers():
    x = torch.randint(-100, 100, (4097, ), device="cuda")
    return lambda x: ((x // 7) * (x % 5) ^ (x << 2)) | (x >> 1), (x, )


def float64():
    return lambda x: torch.tanh(x) * torch.log1p(x.abs()) + torch.erf(x) + torch.lgamma(x.abs() + 1), (_randn(4099, dtype=torch.float64), )


def special_functions():
    x = _randn(8193)
    return lambda x: torch.special.i0(x) + torch.special.ndtri(x.sigmoid() * 0.8 + 0.1) + torch.atan2(x, x + 1) + torch.pow(x.abs(), 1.7) + torch.fmod(x, 0.3), (x, )


def inner_reduction():
    return lambda x: (x.sum(-1), x.amax(-1), x.mean(-1), x.prod(-1)), (_randn(300, 3001) * 0.1 + 1, )


def outer_reduction():
    return lambda x: (x.sum(0), x.amin(0), x.norm(dim=0)), (_randn(3001, 300), )


def whole_reduction():
    return lambda x: (x.sum(), (x > 0).any(), x.abs().max()), (_randn(2000, 2001), )


def arg_reductions():
    return lambda x: (x.argmax(-1), x.argmin(0), x.max(dim=1)), (_randn(513, 2049), )


def welford():
    return lambda x: torch.var_mean(x, dim=(-1, )), (_randn(700, 5000), )


def persistent_softmax():
    return lambda x: torch.softmax(x * 1.3, -1) + torch.log_softmax(x, -1), (_randn(2048, 512, dtype=torch.float16), )


def looped_softmax():
    return lambda x: torch.softmax(x, -1), (_randn(64, 50257, dtype=torch.bfloat16), )


def norms():
    w, b = _randn(768, grad=True), _randn(768, grad=True)
    return lambda x: F.layer_norm(F.gelu(x), (768, ), w, b) + x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5), (_randn(1024, 768, grad=True), )


def group_norm():
    w, b = _randn(64, grad=True), _randn(64, grad=True)
    return lambda x: F.silu(F.group_norm(x, 8, w, b)), (_randn(4, 64, 31, 33, grad=True), )


def batch_norm():
    layer = torch.nn.BatchNorm2d(32).cuda()
    return lambda x: F.relu(layer(x)), (_randn(8, 32, 28, 28, grad=True), )


def scans():
    return lambda x: (torch.cumsum(x, -1), torch.cumprod(x * 0.01 + 1, -1), torch.logcumsumexp(x, -1), torch.cummax(x, -1)), (_randn(257, 1023), )


def stable_sort():
    return lambda x: torch.sort(x, dim=-1, stable=True), (_randn(130, 500), )


def gather_scatter():
    index = torch.randint(0, 1000, (5000, ), device="cuda")
    return lambda x, index, y: (x[index] * 2, torch.zeros_like(x).index_add(0, index, y), torch.zeros_like(x).index_put((index, ), y, accumulate=True)), (_randn(1000, 64), index, _randn(5000, 64))


def embedding():
    index = torch.randint(0, 3000, (16, 77), device="cuda")
    return lambda table, index: F.embedding(index, table) * 1.5, (_randn(3000, 96, grad=True), index)


def cross_entropy():
    target = torch.randint(0, 5003, (511, ), device="cuda")
    return lambda x, target: F.cross_entropy(x, target, label_smoothing=0.1), (_randn(511, 5003, grad=True), target)


def concatenate():
    return lambda x, y, z: torch.cat([x.relu(), y * 2, z.cos()], 1), (_randn(128, 33), _randn(128, 65), _randn(128, 17))


def pooling():
    return lambda x: (F.max_pool2d(x, 3, 2, 1), F.avg_pool2d(x, 2), F.interpolate(x, scale_factor=2, mode="bilinear")), (_randn(2, 16, 56, 57), )


def bucketize():
    edges = torch.linspace(-2, 2, 33, device="cuda")
    return lambda x: torch.bucketize(x, edges), (_randn(10007), )


def dropout():
    return lambda x: F.dropout(x, 0.3), (torch.ones(100003, device="cuda"), )


def foreach():
    values = [_randn(n) for n in (100, 2049, 33, 5000)]
    return lambda *values: torch._foreach_add(torch._foreach_mul(list(values), 2.0), 1.0), tuple(values)


def adam():
    from torch.optim.adamw import adamw
    shapes = (100, 257, 31)
    weights, gradients, means = ([_randn(n, 64) for n in shapes] for _ in range(3))
    squares, steps = [_randn(n, 64).square() for n in shapes], [torch.tensor(3.0, device="cuda") for _ in shapes]

    def step(weights, gradients, means, squares, steps):
        weights, means, squares, steps = ([value.clone() for value in values] for values in (weights, means, squares, steps))
        adamw(weights, gradients, means, squares, [], steps, foreach=True, capturable=True, amsgrad=False, beta1=0.9, beta2=0.999,
              lr=0.01, weight_decay=0.1, eps=1e-8, maximize=False)
        return weights

    return step, (weights, gradients, means, squares, steps)


def matmul_gelu():
    return lambda a, b, c: F.gelu(torch.addmm(c, a, b)), (_randn(512, 768, dtype=torch.float16), _randn(768, 1024, dtype=torch.float16), _randn(1024, dtype=torch.float16))


def matmul_bf16_odd():
    return lambda a, b: (a @ b).relu(), (_randn(333, 517, dtype=torch.bfloat16), _randn(517, 777, dtype=torch.bfloat16))


def matmul_f32():
    return lambda a, b: a @ b + 1, (_randn(256, 512), _randn(512, 384))


def batched_matmul():
    return lambda a, b: torch.bmm(a, b) * 0.5, (_randn(12, 256, 64, dtype=torch.float16), _randn(12, 64, 256, dtype=torch.float16))


def int8_matmul():
    a = torch.randint(-128, 127, (256, 512), device="cuda", dtype=torch.int8)
    b = torch.randint(-128, 127, (512, 256), device="cuda", dtype=torch.int8)
    return lambda a, b: torch._int_mm(a, b), (a, b)


def fp8_matmul():
    a = _randn(256, 512).to(torch.float8_e4m3fn)
    b = _randn(256, 512).to(torch.float8_e4m3fn).t()
    one = torch.ones((), device="cuda")
    return lambda a, b: torch._scaled_mm(a, b, one, one, out_dtype=torch.bfloat16), (a, b)


def mixed_matmul():
    weight = torch.randint(-128, 127, (512, 256), device="cuda", dtype=torch.int8)
    return lambda a, weight: a @ weight.to(torch.float16), (_randn(256, 512, dtype=torch.float16), weight)


def convolution():
    weight = _randn(64, 32, 3, 3, dtype=torch.float16)
    return lambda x: F.relu(F.conv2d(x, weight, padding=1)), (_randn(4, 32, 28, 28, dtype=torch.float16), )


def _heads(grad=False):
    return tuple(_randn(2, 4, 512, 64, dtype=torch.float16, grad=grad) for _ in range(3))


def flex_attention():
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention
    mask = create_block_mask(lambda b, h, q, k: (q >= k) & (q - k < 200), None, None, 512, 512)
    return lambda q, k, v: flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: s + 0.01 * (j - i), block_mask=mask), _heads()


def flex_attention_backward():
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention
    mask = create_block_mask(lambda b, h, q, k: q >= k, None, None, 512, 512)
    return lambda q, k, v: flex_attention(q, k, v, block_mask=mask), _heads(grad=True)


def flex_decoding():
    from torch.nn.attention.flex_attention import flex_attention
    q = _randn(2, 4, 1, 64, dtype=torch.float16)
    return lambda q, k, v: flex_attention(q, k, v), (q, *_heads()[1:])


def dynamic_shapes():
    function = lambda x: torch.softmax(x * 2, -1).sum(0)  # noqa: E731
    return function, (_randn(129, 257), )


def _user_kernel():
    import triton
    import triton.language as tl

    @triton.jit
    def scaled_add(x_ptr, y_ptr, out_ptr, n, scale, BLOCK: tl.constexpr):
        offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        mask = offsets < n
        tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) + scale * tl.load(y_ptr + offsets, mask=mask), mask=mask)

    return triton, scaled_add


def user_kernel():
    triton, scaled_add = _user_kernel()

    def function(x, y):
        out = torch.empty_like(x)
        scaled_add[(triton.cdiv(x.numel(), 256), )](x, y, out, x.numel(), 3.0, BLOCK=256)
        return out.relu() + 1

    return function, (_randn(10001), _randn(10001))


def triton_op():
    triton, scaled_add = _user_kernel()

    @torch.library.triton_op("nereidbench::scaled_add", mutates_args={})
    def op(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(x)
        torch.library.wrap_triton(scaled_add)[(triton.cdiv(x.numel(), 256), )](x, y, out, x.numel(), 3.0, BLOCK=256)
        return out

    return lambda x, y: op(x * 2, y).sum(), (_randn(10001), _randn(10001))


def training_block():
    layer = torch.nn.TransformerEncoderLayer(256, 4, 512, dropout=0.0, batch_first=True, norm_first=True).cuda()
    return lambda x: layer(x), (_randn(4, 128, 256, grad=True), )


def _is_dropout(expected, found):
    kept = (found != 0).float().mean().item()
    return abs(kept - 0.7) < 0.02 and torch.allclose(found[found != 0], torch.tensor(1 / 0.7, device="cuda"))


CASES = [
    Case("pointwise", pointwise), Case("broadcast", broadcast), Case("integers", integers), Case("float64", float64),
    Case("special functions", special_functions), Case("inner reduction", inner_reduction), Case("outer reduction", outer_reduction),
    Case("whole reduction", whole_reduction), Case("arg reductions", arg_reductions), Case("welford", welford),
    Case("persistent softmax", persistent_softmax), Case("looped softmax", looped_softmax), Case("norms, training", norms, grad=True),
    Case("group norm, training", group_norm, grad=True), Case("batch norm, training", batch_norm, grad=True), Case("scans", scans),
    Case("stable sort", stable_sort), Case("gather and scatter", gather_scatter), Case("embedding, training", embedding, grad=True),
    Case("cross entropy, training", cross_entropy, grad=True), Case("concatenate", concatenate), Case("pooling", pooling),
    Case("bucketize", bucketize), Case("dropout", dropout, check=_is_dropout), Case("foreach", foreach), Case("AdamW step", adam),
    Case("combo kernels", foreach, {"combo_kernels": True}), Case("cooperative reduction", whole_reduction, {"triton.cooperative_reductions": True}),
    Case("multi kernel", persistent_softmax, {"triton.multi_kernel": 1}),
    Case("matmul + gelu, max-autotune", matmul_gelu, AUTOTUNE), Case("matmul bf16 odd, max-autotune", matmul_bf16_odd, AUTOTUNE),
    Case("matmul f32, max-autotune", matmul_f32, AUTOTUNE), Case("bmm, max-autotune", batched_matmul, AUTOTUNE),
    Case("matmul, persistent TMA", matmul_gelu, {**AUTOTUNE, "triton.enable_persistent_tma_matmul": True}),
    Case("int8 matmul, max-autotune", int8_matmul, AUTOTUNE), Case("fp8 scaled matmul, max-autotune", fp8_matmul, AUTOTUNE),
    Case("mixed matmul, max-autotune", mixed_matmul, AUTOTUNE), Case("convolution, max-autotune", convolution, AUTOTUNE),
    Case("FlexAttention", flex_attention), Case("FlexAttention, training", flex_attention_backward, grad=True), Case("FlexDecoding", flex_decoding),
    Case("dynamic shapes", dynamic_shapes, dynamic=True), Case("user kernel", user_kernel), Case("triton_op", triton_op),
    Case("CUDA graphs", norms, mode="reduce-overhead"), Case("transformer layer, training", training_block, grad=True),
    Case("C++ wrapper", persistent_softmax, {"cpp_wrapper": True}),
]  # yapf: disable
