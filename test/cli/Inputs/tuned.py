import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": 64}, num_warps=2), triton.Config({"BLOCK": 128})], key=["n"])
@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0, "HAS_BIAS": lambda args: args["bias_ptr"] is not None})
@triton.jit
def tuned(x_ptr, bias_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr, HAS_BIAS: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.full((BLOCK,), BLOCK, tl.float32)
    if HAS_BIAS:
        value += tl.load(bias_ptr + offsets, mask=offsets < n, other=0.0)
    if EVEN:
        tl.store(x_ptr + offsets, value)
    else:
        tl.store(x_ptr + offsets, -value, mask=offsets < n)
