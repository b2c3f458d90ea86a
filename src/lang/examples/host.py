import triton
import triton.language as tl

# triton.jit: run x=randn:f32[8] --grid 1 --expect 'x=x * x'
@triton.jit
def square(value):  # called by another: compiled into it
    return value * value


@triton.jit
def jit(x):
    i = tl.arange(0, 8)
    tl.store(x + i, square(tl.load(x + i)))


# triton.autotune, triton.Config: run x=randn:f32[64] out=empty:f32[64] n=64 --grid 'cdiv(n, BLOCK)' --expect 'out=x'
@triton.autotune(configs=[triton.Config({"BLOCK": 16}, num_warps=1), triton.Config({"BLOCK": 64}, num_warps=4)], key=["n"])
@triton.jit
def autotune(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)


# triton.heuristics, triton.next_power_of_2: run x=randn:f32[6] out=empty:f32[1] n=6 --grid 1 --expect 'out=sum(x)'
@triton.heuristics({"BLOCK": lambda arguments: triton.next_power_of_2(arguments["n"])})
@triton.jit
def heuristics(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out, tl.sum(tl.load(x + i, mask=i < n, other=0.0)))


# triton.cdiv: run x=randn:f32[100] out=empty:f32[100] n=100 --grid 'triton.cdiv(n, 16)' --expect 'out=x'
@triton.jit
def cdiv(x, out, n):
    tl.static_assert(triton.cdiv(100, 16) == 7)
    i = tl.program_id(0) * 16 + tl.arange(0, 16)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)


# triton.constexpr_function: run out=empty:i32[1] --grid 1 --expect out=6
@triton.constexpr_function
def log2(n):  # runs while the kernel is compiled
    return n.bit_length() - 1


@triton.jit
def constexpr_function(out):
    tl.store(out, log2(64))


# triton.aggregate, tl.aggregate_replace: run out=empty:i32[1] --grid 1 --expect out=42
@triton.aggregate
class Pair:
    first: tl.tensor
    second: tl.tensor

    def __init__(self, first, second):
        self.first = first
        self.second = second


@triton.jit
def aggregate(out):
    pair = Pair(tl.to_tensor(1), tl.to_tensor(2))
    pair = tl.aggregate_replace(pair, first=tl.to_tensor(40))
    tl.store(out, pair.first + pair.second)


# triton.must_use_result: run out=empty:i32[1] --grid 1 --expect out=3
@triton.must_use_result
@triton.jit
def next_of(value):  # dropping what it gives is an error
    return value + 1


@triton.jit
def must_use_result(out):
    tl.store(out, next_of(2))


# tl.constexpr: run out=empty:i32[4] --grid 1 N=4 --expect out=4
WIDTH = tl.constexpr(4)


@triton.jit
def constexpr(out, N: tl.constexpr):
    width: tl.constexpr = WIDTH
    tl.store(out + tl.arange(0, width), N)


# tl.dtype, tl.pointer_type: run x=full(1):f32[4] out=empty:i32[4] --grid 1 --expect out=1065353216
@triton.jit
def pointer_type(x, out):
    i = tl.arange(0, 4)
    bits = x.to(tl.pointer_type(tl.dtype("int32")))
    tl.store(out + i, tl.load(bits + i))


# tl.block_type: run x=arange:f32[4] out=empty:i32[1] --grid 1 --expect out=1
@triton.jit
def block_type(x, out):
    tile = tl.load(x + tl.arange(0, 4))
    tl.store(out, tile.type == tl.block_type(tl.float32, [4]))


# tl.core.extern, tl.core.builtin: run x=randn:f32[8] out=empty:f32[8] --grid 1 --expect 'out=exp(-x)'
@tl.core.extern
def my_exp(value, _semantic=None):
    return tl.extern_elementwise("", "", [value], {(tl.float32,): ("__nv_expf", tl.float32)}, is_pure=True, _semantic=_semantic)


@tl.core.builtin
def my_minus(value, _semantic=None):
    return tl.sub(0, value)


@triton.jit
def extern(x, out):
    i = tl.arange(0, 8)
    tl.store(out + i, my_exp(my_minus(tl.load(x + i))))
