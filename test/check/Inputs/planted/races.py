"""Planted bugs: programs of one grid that touch the same bytes without any synchronization. The comments are explained
in out_of_bounds_masks.py."""
import triton
import triton.language as tl


# check: y=zeros:i32[1] --grid 8
@triton.jit
def everybody_writes_one_element(y):
    tl.store(y, tl.program_id(0))  # bug: race


# check: x=randn:f32[128] y=zeros:f32[128] --grid 3
@triton.jit
def overlapping_tiles(x, y):
    i = tl.program_id(0) * 32 + tl.arange(0, 64)
    tl.store(y + i, tl.load(x + i))  # bug: race


# check: x=randn:f32[128] n=128 --grid 4
@triton.jit
def stencil_in_place(x, n):
    i = tl.program_id(0) * 32 + tl.arange(0, 32)
    left = tl.load(x + i - 1, mask=i > 0, other=0.0)  # bug: race
    right = tl.load(x + i + 1, mask=i + 1 < n, other=0.0)  # bug: race
    tl.store(x + i, left + right)  # also: race


# check: counter=zeros:i32[1] --grid 16
@triton.jit
def counter_without_atomics(counter):
    value = tl.load(counter)  # also: race
    tl.store(counter, value + 1)  # bug: race


# check: x=randn:f32[64] y=zeros:f32[64] --grid 2,2
@triton.jit
def second_grid_axis_forgotten(x, y):
    i = tl.program_id(0) * 32 + tl.arange(0, 32)
    tl.store(y + i, tl.load(x + i))  # bug: race


# check: keys=randint(0,4):i32[64] bins=zeros:i32[4] --grid 64
@triton.jit
def histogram_without_atomics(keys, bins):
    key = tl.load(keys + tl.program_id(0))
    count = tl.load(bins + key)  # also: race
    tl.store(bins + key, count + 1)  # bug: race


# check: a=randn:f32[16,64] b=randn:f32[64,16] c=zeros:f32[16,16] --grid 4
@triton.jit
def split_k_without_atomics(a, b, c):
    m = tl.arange(0, 16)
    k = tl.program_id(0) * 16 + tl.arange(0, 16)
    left = tl.load(a + m[:, None] * 64 + k[None, :])
    right = tl.load(b + k[:, None] * 16 + m[None, :])
    at = c + m[:, None] * 16 + m[None, :]
    old = tl.load(at)  # also: race
    tl.store(at, old + tl.dot(left, right, input_precision="ieee"))  # bug: race


# check: x=arange:i32[64] n=64 --grid 4
@triton.jit
def reversed_in_place(x, n):
    i = tl.program_id(0) * 16 + tl.arange(0, 16)
    value = tl.load(x + n - 1 - i)  # bug: race
    tl.store(x + i, value)  # also: race


# check: x=randn:f32[8,32] y=zeros:f32[4,32] --grid 8
@triton.jit
def row_number_wraps(x, y):
    row = tl.program_id(0)
    c = tl.arange(0, 32)
    value = tl.load(x + row * 32 + c)
    tl.store(y + (row % 4) * 32 + c, value)  # bug: race


# check: x=randn:f32[32,32] --grid 2,2
@triton.jit
def transposed_in_place(x):
    r = tl.program_id(0) * 16 + tl.arange(0, 16)
    c = tl.program_id(1) * 16 + tl.arange(0, 16)
    tile = tl.load(x + r[:, None] * 32 + c[None, :])  # also: race
    tl.store(x + c[:, None] * 32 + r[None, :], tl.trans(tile))  # bug: race


# check: x=ones:f32[128] y=zeros:f32[129] --grid 4
@triton.jit
def carry_read_from_the_neighbour(x, y):
    pid = tl.program_id(0)
    i = pid * 32 + tl.arange(0, 32)
    carry = tl.load(y + pid * 32)  # bug: race
    total = tl.cumsum(tl.load(x + i), axis=0) + carry
    tl.store(y + 1 + i, total)  # also: race  # also: unwritten


# check: x=randn:f32[100] y=zeros:f32[128] step=50 --grid 2
@triton.jit
def tile_larger_than_its_step(x, y, step):
    i = tl.program_id(0) * step + tl.arange(0, 64)
    tl.store(y + i, tl.load(x + i, mask=i < 100, other=0.0))  # bug: race  # also: unwritten


# check: x=ones:f32[64] total=zeros:f32[1] --grid 4
@triton.jit
def cleared_by_one_program_added_by_all(x, total):
    pid = tl.program_id(0)
    if pid == 0:
        tl.store(total, 0.0)  # also: race
    part = tl.sum(tl.load(x + pid * 16 + tl.arange(0, 16)), axis=0)
    tl.atomic_add(total, part)  # bug: race


# check: x=zeros:i32[4] --grid 8
@triton.jit
def halves_of_one_word(x):
    pid = tl.program_id(0)
    half = (x.to(tl.pointer_type(tl.int16))) + pid
    tl.store(half, pid.to(tl.int16))  # also: race
    whole = tl.load(x + pid // 2)  # bug: race
    tl.device_assert(whole >= 0)


# check: x=randn:f32[64,16] y=zeros:f32[64,16] --grid 4
@triton.jit
def block_pointers_overlap(x, y):
    start = tl.program_id(0) * 8
    source = tl.make_block_ptr(x, (64, 16), (16, 1), (start, 0), (16, 16), (1, 0))
    target = tl.make_block_ptr(y, (64, 16), (16, 1), (start, 0), (16, 16), (1, 0))
    tl.store(target, tl.load(source))  # bug: race  # also: unwritten


# check: x=randn:f32[64,16] y=zeros:f32[64,16] --grid 4
@triton.jit
def descriptor_tiles_overlap(x, y):
    source = tl.make_tensor_descriptor(x, shape=[64, 16], strides=[16, 1], block_shape=[16, 16])
    target = tl.make_tensor_descriptor(y, shape=[64, 16], strides=[16, 1], block_shape=[16, 16])
    start = tl.program_id(0) * 12
    target.store([start, 0], source.load([start, 0]))  # bug: race  # also: unwritten


# check: x=randn:f32[4,32] top=zeros:f32[1] --grid 4
@triton.jit
def maximum_without_atomics(x, top):
    row = tl.max(tl.load(x + tl.program_id(0) * 32 + tl.arange(0, 32)), axis=0)
    best = tl.load(top)  # also: race
    if row > best:
        tl.store(top, row)  # bug: race


# check: a=randn:f32[32,16] c=zeros:f32[32,16] --grid 4
@triton.jit
def grouped_order_counts_twice(a, c):
    pid = tl.program_id(0)
    tile = pid % 2 + (pid // 2) * 0
    r = tile * 16 + tl.arange(0, 16)
    k = tl.arange(0, 16)
    at = r[:, None] * 16 + k[None, :]
    tl.store(c + at, tl.load(a + at))  # bug: race


# check: keys=randint(0,4):i32[64] last=zeros:i32[4] --grid 1
@triton.jit
def scatter_to_one_place(keys, last):
    i = tl.arange(0, 64)
    tl.store(last + tl.load(keys + i), i)  # bug: race


# check: x=arange:f32[16,8] y=zeros:f32[8,8] --grid 1
@triton.jit
def rows_folded_onto_each_other(x, y):
    r = tl.arange(0, 16)[:, None]
    c = tl.arange(0, 8)[None, :]
    tl.store(y + (r % 8) * 8 + c, tl.load(x + r * 8 + c))  # bug: race
