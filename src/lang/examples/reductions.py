import triton
import triton.language as tl

# tl.reduce: run x=randn:f32[4,8] out=empty:f32[4] --grid 1 --expect 'out=max(abs(x), axis=1)'
@triton.jit
def larger(a, b):
    return tl.maximum(tl.abs(a), tl.abs(b))


@triton.jit
def reduce(x, out):
    i = tl.arange(0, 4)
    rows = tl.load(x + i[:, None] * 8 + tl.arange(0, 8)[None, :])
    tl.store(out + i, tl.reduce(rows, 1, larger))


# tl.sum: run x=randn:f32[4,8] out=empty:f32[4] --grid 1 --expect 'out=sum(x, axis=1)'
@triton.jit
def sum(x, out):
    i = tl.arange(0, 4)
    tl.store(out + i, tl.sum(tl.load(x + i[:, None] * 8 + tl.arange(0, 8)[None, :]), axis=1))


# tl.max, tl.min: run x=randn:f32[4,8] out=empty:f32[4] --grid 1 --expect 'out=max(x, axis=1) - min(x, axis=1)'
@triton.jit
def spread(x, out):
    i = tl.arange(0, 4)
    rows = tl.load(x + i[:, None] * 8 + tl.arange(0, 8)[None, :])
    tl.store(out + i, tl.max(rows, axis=1) - tl.min(rows, axis=1))


# tl.argmax, tl.argmin: run x=arange:f32[8] high=empty:i32[1] low=empty:i32[1] --grid 1 --expect high=7 --expect low=0
@triton.jit
def argmax(x, high, low):
    values = tl.load(x + tl.arange(0, 8))
    tl.store(high, tl.argmax(values, axis=0))
    tl.store(low, tl.argmin(values, axis=0))


# tl.xor_sum: run x=arange:i32[8] out=empty:i32[1] --grid 1 --expect out=0
@triton.jit
def xor_sum(x, out):
    tl.store(out, tl.xor_sum(tl.load(x + tl.arange(0, 8)), axis=0))


# tl.reduce_or: run x=arange:i32[8] out=empty:i32[1] --grid 1 --expect out=7
@triton.jit
def reduce_or(x, out):
    tl.store(out, tl.reduce_or(tl.load(x + tl.arange(0, 8)), axis=0))


# tl.softmax: run x=randn:f32[8] out=empty:f32[8] --grid 1 --expect 'out=softmax(x)'
@triton.jit
def softmax(x, out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.softmax(tl.load(x + i)))


# tl.associative_scan: run x=randn:f32[8] out=empty:f32[8] --grid 1 --save out=running.npy
@triton.jit
def larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def associative_scan(x, out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.associative_scan(tl.load(x + i), 0, larger))


# tl.cumsum: run x=ones:f32[8] i=arange:f32[8] out=empty:f32[8] --grid 1 --expect 'out=i + 1'
@triton.jit
def cumsum(x, i, out):
    k = tl.arange(0, 8)
    tl.store(out + k, tl.cumsum(tl.load(x + k), axis=0))


# tl.cumprod: run x=full(2):f32[8] i=arange:f32[8] out=empty:f32[8] --grid 1 --expect 'out=2 ** (i + 1)'
@triton.jit
def cumprod(x, i, out):
    k = tl.arange(0, 8)
    tl.store(out + k, tl.cumprod(tl.load(x + k), axis=0))


# tl.sort: run x=arange:f32[8] out=empty:f32[8] --grid 1 --expect 'out=x - 7'
@triton.jit
def sort(x, out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.sort(-tl.load(x + i)))


# tl.topk: run x=arange:f32[8] out=empty:f32[2] --grid 1 --expect 'out=7 - x[:2]'
@triton.jit
def topk(x, out):
    tl.store(out + tl.arange(0, 2), tl.topk(tl.load(x + tl.arange(0, 8)), 2))


# tl.bitonic_merge: run x=arange:f32[8] out=empty:f32[8] --grid 1 --expect 'out=x'
@triton.jit
def bitonic_merge(x, out):
    i = tl.arange(0, 8)
    values = tl.load(x + tl.where(i < 4, 2 * i, 15 - 2 * i))  # up and then down
    tl.store(out + i, tl.bitonic_merge(values))


# tl.sort_impl: run x=arange:f32[8] out=empty:f32[8] --grid 1 --expect 'out=7 - x'
@triton.jit
def sort_impl(x, out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.sort_impl(tl.load(x + i), descending=True))


# tl.histogram: run x=arange:i32[8] out=empty:i32[4] --grid 1 --expect out=2
@triton.jit
def histogram(x, out):
    remainders = tl.load(x + tl.arange(0, 8)) % 4
    tl.store(out + tl.arange(0, 4), tl.histogram(remainders, 4))
