"""Correct kernels on which there must be no report: integers that wrap on purpose, casts of pointers, infinities and
assertions that hold. The comments are explained in masks.py."""
import triton
import triton.language as tl


# check: x=randn:f32[64] y=zeros:f32[64] stride=1073741824 --grid 1
@triton.jit
def long_offsets_masked_out(x, y, stride):
    i = tl.arange(0, 64)
    far = i.to(tl.int64) * stride
    tl.store(y + i, tl.load(x + far, mask=i < 1, other=0.0))


# check: x=randn:f32[64] y=zeros:f32[64] stride=1073741824 --grid 1
@triton.jit
def wrapped_lanes_masked_out(x, y, stride):
    i = tl.arange(0, 64)
    tl.store(y + i, tl.load(x + i * stride, mask=i < 1, other=0.0))


# check: x=randint(0,1000000):i32[64] y=zeros:i32[64] --grid 1
@triton.jit
def hash_stored_as_a_value(x, y):
    i = tl.arange(0, 64)
    key = tl.load(x + i)
    key = key * 1103515245 + 12345
    tl.store(y + i, key ^ (key >> 16))


# check: x=randint(0,1000000):i32[64] bins=zeros:i32[16] --grid 1
@triton.jit
def unsigned_hash_as_an_index(x, bins):
    key = tl.load(x + tl.arange(0, 64)).to(tl.uint32)
    bin = (key * 2654435761) >> 28
    tl.atomic_add(bins + bin, 1)


# check: y=zeros:f32[100] seed=123 n=100 --grid 2
@triton.jit
def random_numbers(y, seed, n):
    i = tl.program_id(0) * 64 + tl.arange(0, 64)
    tl.store(y + i, tl.rand(seed, i), mask=i < n)


# check: x=randn:f32[100] y=zeros:f32[100] seed=7 p=0.5 n=100 --grid 2
@triton.jit
def seeded_dropout(x, y, seed, p, n):
    i = tl.program_id(0) * 64 + tl.arange(0, 64)
    value = tl.load(x + i, mask=i < n)
    tl.store(y + i, tl.where(tl.rand(seed, i) > p, value / (1 - p), 0.0), mask=i < n)


# check: x=arange:i8[64] y=zeros:i32[16] --grid 1
@triton.jit
def words_over_bytes(x, y):
    i = tl.arange(0, 16)
    tl.store(y + i, tl.load(x.to(tl.pointer_type(tl.int32)) + i))


# check: x=randn:f32[64] y=zeros:f32[32] --grid 1
@triton.jit
def pointer_through_an_integer(x, y):
    i = tl.arange(0, 32)
    address = x.to(tl.int64) + 32 * 4
    tl.store(y + i, tl.load(address.to(tl.pointer_type(tl.float32)) + i))


# check: x=zeros:f32[64] y=zeros:f32[64] --grid 1
@triton.jit
def infinities_without_the_option(x, y):
    i = tl.arange(0, 64)
    tl.store(y + i, 1.0 / tl.load(x + i))


# check: x=randn:f32[4,50] y=zeros:f32[4,50] --grid 4 --finite
@triton.jit
def running_maximum_from_minus_infinity(x, y):
    row = tl.program_id(0)
    c = tl.arange(0, 64)
    top = tl.full([64], float("-inf"), dtype=tl.float32)
    value = tl.load(x + row * 50 + c, mask=c < 50, other=float("-inf"))
    top = tl.maximum(top, value)
    weight = tl.exp(value - tl.max(top, axis=0))
    tl.store(y + row * 50 + c, weight / tl.sum(weight, axis=0), mask=c < 50)


# check: x=randn:f32[50] y=zeros:f32[50] n=50 --grid 1 --finite
@triton.jit
def nothing_wrong_in_the_padding(x, y, n):
    i = tl.arange(0, 64)
    value = tl.load(x + i, mask=i < n, other=0.0)
    weight = value / tl.where(i < n, 2.0, 1.0)
    tl.store(y + i, weight, mask=i < n)


# check: x=randint(0,10):i32[50] y=zeros:i32[50] n=50 --grid 1
@triton.jit
def assertions_that_hold(x, y, n):
    i = tl.arange(0, 64)
    value = tl.load(x + i, mask=i < n, other=0)
    tl.device_assert(value < 10, "value over 10")
    tl.device_assert(i < n, "outside", mask=i < n)
    assert n > 0, "empty"
    tl.store(y + i, value, mask=i < n)


# check: x=randn:f32[64] y=zeros:f32[64] --grid 1
@triton.jit
def sorted_and_flipped(x, y):
    i = tl.arange(0, 64)
    tl.store(y + i, tl.flip(tl.sort(tl.load(x + i))))


# check: x=randn:f32[10] y=zeros:f32[1] n=0 --grid 1
@triton.jit
def loop_that_never_runs(x, y, n):
    total = 0.0
    for k in range(n):
        total += tl.load(x + 100 + k)
    tl.store(y, total)


# check: x=randn:f32[3,70] y=zeros:f32[3,70] w=randn:f32[70] mean=zeros:f32[3] n=70 --grid 3
@triton.jit
def layer_norm(x, y, w, mean, n):
    row = tl.program_id(0)
    x += row * n
    y += row * n
    total = tl.zeros([32], dtype=tl.float32)
    for start in range(0, n, 32):
        c = start + tl.arange(0, 32)
        total += tl.load(x + c, mask=c < n, other=0.0)
    average = tl.sum(total, axis=0) / n
    squares = tl.zeros([32], dtype=tl.float32)
    for start in range(0, n, 32):
        c = start + tl.arange(0, 32)
        value = tl.where(c < n, tl.load(x + c, mask=c < n, other=0.0) - average, 0.0)
        squares += value * value
    scale = 1 / tl.sqrt(tl.sum(squares, axis=0) / n + 1e-5)
    tl.store(mean + row, average)
    for start in range(0, n, 32):
        c = start + tl.arange(0, 32)
        weight = tl.load(w + c, mask=c < n)
        value = tl.load(x + c, mask=c < n, other=0.0)
        tl.store(y + c, (value - average) * scale * weight, mask=c < n)
