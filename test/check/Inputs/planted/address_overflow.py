"""Planted bugs: 32-bit arithmetic that wraps on the way to an address. Most wrapped addresses are out of bounds as well,
and may be reported so on the line of the access. The comments are explained in out_of_bounds_masks.py."""
import triton
import triton.language as tl


# check: x=randn:f32[64] y=zeros:f32[4] stride=1073741824 --grid 4
@triton.jit
def row_times_stride(x, y, stride):
    row = tl.program_id(0)
    start = row * stride  # bug: address-overflow
    value = tl.load(x + start, mask=row >= 2, other=0.0)  # bug: out-of-bounds
    tl.store(y + row, value)


# check: x=randn:f32[64] y=zeros:f32[64] stride=134217728 --grid 1
@triton.jit
def block_of_rows_times_stride(x, y, stride):
    r = tl.arange(0, 64)
    start = r * stride  # bug: address-overflow
    value = tl.load(x + start, mask=start == 0, other=0.0)
    tl.store(y + r, value)


# check: x=randn:f32[64] y=zeros:f32[64] base=2147483600 --grid 1
@triton.jit
def sum_wraps_to_a_negative(x, y, base):
    i = tl.arange(0, 64)
    offset = base + i  # bug: address-overflow
    value = tl.load(x + offset, mask=offset < 0, other=0.0)  # bug: out-of-bounds
    tl.store(y + i, value)


# check: x=randn:f32[64] y=zeros:f32[64] batch=65536 --grid 1
@triton.jit
def product_wraps_to_zero(x, y, batch):
    i = tl.arange(0, 64)
    start = batch * batch  # bug: address-overflow
    tl.store(y + i, tl.load(x + start + i))


# check: x=randn:f32[64] y=zeros:f32[64] rows=50000 --grid 1
@triton.jit
def widened_too_late(x, y, rows):
    i = tl.arange(0, 64)
    start = (rows * rows).to(tl.int64)  # bug: address-overflow
    value = tl.load(x + start + i)  # bug: out-of-bounds
    tl.store(y + i, value)


# check: x=randn:f32[64] y=zeros:f32[64] stride=16777216 --grid 1
@triton.jit
def loop_counter_times_stride(x, y, stride):
    total = tl.zeros([64], dtype=tl.float32)
    i = tl.arange(0, 64)
    for k in range(0, 257):
        offset = k * stride + i  # bug: address-overflow
        total += tl.load(x + offset, mask=offset < 64, other=0.0)  # also: out-of-bounds
    tl.store(y + i, total)


# check: x=randn:f32[64] y=zeros:f32[1] index=full(2000000000):i32[1] --grid 1
@triton.jit
def index_from_memory_doubled(x, y, index):
    at = tl.load(index) * 2  # bug: address-overflow
    tl.store(y, tl.load(x + at))  # bug: out-of-bounds


# check: x=randn:f32[64] y=zeros:f32[64] small=-2147483000 --grid 1
@triton.jit
def difference_wraps(x, y, small):
    i = tl.arange(0, 64)
    offset = small - 1000 - i  # bug: address-overflow
    value = tl.load(x + offset)  # bug: out-of-bounds
    tl.store(y + i, value)


# check: x=randn:f32[64] y=zeros:f32[64] one=16777217 --grid 1
@triton.jit
def shift_loses_the_top(x, y, one):
    i = tl.arange(0, 64)
    offset = (one << 8) - 256 + i  # bug: address-overflow
    tl.store(y + i, tl.load(x + offset))
