import triton
import triton.language as tl

# tl.range: run x=randn:f32[64] out=empty:f32[8] --grid 1 --save out=sums.npy
@triton.jit
def range(x, out):
    i = tl.arange(0, 8)
    total = tl.zeros((8,), tl.float32)
    for k in tl.range(0, 64, 8, num_stages=3):
        total += tl.load(x + k + i)
    tl.store(out + i, total)


# tl.static_range: run out=empty:i32[4] x=arange:i32[4] --grid 1 --expect 'out=x * x'
@triton.jit
def static_range(x, out):
    for k in tl.static_range(4):  # unrolled: `k` is a constant
        tl.store(out + k, k * k)


# tl.condition: run out=empty:i32[1] n=100 --grid 1 --expect out=7
@triton.jit
def condition(out, n):
    bits = 0
    while tl.condition(n > 0):
        n = n // 2
        bits += 1
    tl.store(out, bits)


# tl.multiple_of, tl.max_contiguous: run x=randn:f32[64] out=empty:f32[64] --grid 4 --expect 'out=x'
@triton.jit
def multiple_of(x, out):
    offsets = tl.program_id(0) * 16 + tl.arange(0, 16)
    offsets = tl.max_contiguous(tl.multiple_of(offsets, 16), 16)  # wide accesses, where the compiler cannot see it
    tl.store(out + offsets, tl.load(x + offsets))


# tl.max_constancy: run x=randn:f32[2] out=empty:f32[16] --grid 1 --save out=repeated.npy
@triton.jit
def max_constancy(x, out):
    i = tl.arange(0, 16)
    group = tl.max_constancy(i // 8, 8)
    tl.store(out + i, tl.load(x + group))


# tl.assume: run x=randn:f32[16] n=16 --grid 1 --expect 'x=-x'
@triton.jit
def assume(x, n):
    tl.assume(n >= 16)
    i = tl.arange(0, 16)
    tl.store(x + i, -tl.load(x + i, mask=i < n), mask=i < n)


# tl.debug_barrier: run x=arange:f32[8] --grid 1 --expect 'x=7 - x'
@triton.jit
def debug_barrier(x):
    i = tl.arange(0, 8)
    values = tl.load(x + 7 - i)
    tl.debug_barrier()  # all have read before anyone writes
    tl.store(x + i, values)


# tl.static_print: run out=zeros:i32[8] --grid 1 --expect out=0
@triton.jit
def static_print(out):
    tile = tl.zeros((8,), tl.int32)
    tl.static_print("the tile is", tile.shape, tile.dtype)
    tl.store(out + tl.arange(0, 8), tile)


# tl.static_assert: run out=empty:i32[8] --grid 1 BLOCK=8 --expect out=8
@triton.jit
def static_assert(out, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK % 4 == 0, "BLOCK must be a multiple of 4")
    tl.store(out + tl.arange(0, BLOCK), BLOCK)


# tl.device_print: run x=arange:f32[4] out=empty:f32[4] --grid 1 --expect 'out=x'
@triton.jit
def device_print(x, out):
    i = tl.arange(0, 4)
    values = tl.load(x + i)
    tl.device_print("loaded", values)
    tl.store(out + i, values)


# tl.device_assert: run x=arange:f32[4] out=empty:f32[4] --grid 1 --debug --expect 'out=sqrt(x)'
@triton.jit
def device_assert(x, out):
    i = tl.arange(0, 4)
    values = tl.load(x + i)
    tl.device_assert(values >= 0, "no square root")
    tl.store(out + i, tl.sqrt(values))


# tl.expect_zero: run x=arange:i32[8] out=empty:i32[8] --grid 1 --expect 'out=where(x < 4, x, 0)'
@triton.jit
def expect_zero(x, out):
    i = tl.arange(0, 8)
    values = tl.where(i < 4, tl.load(x + i), 0)
    tl.store(out + i, tl.expect_zero(values, i >= 4))


# triton.profiler.language.scope: run x=randn:f32[8] out=empty:f32[8] --grid 1 --expect 'out=exp(x)'
import triton.profiler.language as pl


@triton.jit
def scope(x, out):
    i = tl.arange(0, 8)
    with pl.scope("load"):
        values = tl.load(x + i)
    with pl.scope("store"):
        tl.store(out + i, tl.exp(values))


# triton.profiler.language.enter_scope, triton.profiler.language.exit_scope: run x=randn:f32[8] --grid 1 --expect 'x=2 * x'
import triton.profiler.language as pl


@triton.jit
def enter_scope(x):
    i = tl.arange(0, 8)
    pl.enter_scope("twice")
    tl.store(x + i, 2 * tl.load(x + i))
    pl.exit_scope("twice")
