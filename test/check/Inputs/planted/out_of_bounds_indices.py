"""Planted bugs: accesses out of bounds through wrong strides, indices, sizes and grids. The comments are explained in
out_of_bounds_masks.py."""
import triton
import triton.language as tl


# check: x=randn:f32[128] y=zeros:f32[128] BLOCK=64 --grid 2
@triton.jit
def neighbour_before_the_first(x, y, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    left = tl.load(x + i - 1)  # bug: out-of-bounds
    tl.store(y + i, left)


# check: x=randn:f32[128] y=zeros:f32[128] BLOCK=64 --grid 2
@triton.jit
def neighbour_after_the_last(x, y, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    right = tl.load(x + i + 1)  # bug: out-of-bounds
    tl.store(y + i, right)


# check: x=randn:f32[7,33] y=zeros:f32[7,33] rows=7 columns=33 BLOCK=64 --grid 7
@triton.jit
def block_size_as_row_stride(x, y, rows, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    value = tl.load(x + row * BLOCK + c, mask=c < columns, other=0.0)  # bug: out-of-bounds
    tl.store(y + row * columns + c, value, mask=c < columns)


# check: x=randn:f32[4,32] y=zeros:f32[4,32] --grid 1
@triton.jit
def strides_swapped(x, y):
    r = tl.arange(0, 4)[:, None]
    c = tl.arange(0, 32)[None, :]
    value = tl.load(x + r * 1 + c * 32)  # bug: out-of-bounds
    tl.store(y + r * 32 + c, value)


# check: x=randn:f32[128] y=zeros:f32[128] BLOCK=64 --grid 3
@triton.jit
def one_program_too_many(x, y, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i)  # bug: out-of-bounds
    tl.store(y + i, value, mask=i < 128)


# check: keys=randint(0,20):i32[256] bins=zeros:i32[16] --grid 4
@triton.jit
def histogram_with_too_few_bins(keys, bins):
    i = tl.program_id(0) * 64 + tl.arange(0, 64)
    key = tl.load(keys + i)
    tl.atomic_add(bins + key, 1)  # bug: out-of-bounds


# check: index=randint(0,64):i32[32] table=randn:f32[50] y=zeros:f32[32] --grid 1
@triton.jit
def gather_past_the_table(index, table, y):
    i = tl.arange(0, 32)
    at = tl.load(index + i)
    value = tl.load(table + at)  # bug: out-of-bounds
    tl.store(y + i, value)


# check: index=randint(-5,20):i32[64] y=zeros:f32[64] --grid 1
@triton.jit
def scatter_to_negative_indices(index, y):
    i = tl.arange(0, 64)
    at = tl.load(index + i)
    first = tl.min(at, axis=0)
    tl.store(y + first, 1.0)  # bug: out-of-bounds


# check: y=zeros:i32[4] --grid 4
@triton.jit
def scalar_store_past_the_end(y):
    tl.store(y + tl.program_id(0) + 1, 1)  # bug: out-of-bounds  # also: unwritten


# check: x=randn:f32[96] y=zeros:f32[1] n=96 --grid 1
@triton.jit
def one_iteration_too_many(x, y, n):
    total = tl.zeros([32], dtype=tl.float32)
    for k in range(0, tl.cdiv(n, 32) + 1):
        total += tl.load(x + k * 32 + tl.arange(0, 32))  # bug: out-of-bounds
    tl.store(y, tl.sum(total, axis=0))


# check: x=randn:f32[64] y=zeros:f32[64] --grid 1
@triton.jit
def offsets_in_bytes(x, y):
    i = tl.arange(0, 64)
    value = tl.load(x + i * 4)  # bug: out-of-bounds
    tl.store(y + i, value)


# check: x=randn:f32[100] y=randn:f32[90] z=zeros:f32[100] n=100 --grid 2
@triton.jit
def shorter_second_operand(x, y, z, n):
    i = tl.program_id(0) * 64 + tl.arange(0, 64)
    left = tl.load(x + i, mask=i < n, other=0.0)
    right = tl.load(y + i, mask=i < n, other=0.0)  # bug: out-of-bounds
    tl.store(z + i, left + right, mask=i < n)


# check: x=randn:f32[128] y=zeros:f32[1] --grid 1
@triton.jit
def pointer_advanced_before_the_load(x, y):
    at = x + tl.arange(0, 32)
    total = tl.zeros([32], dtype=tl.float32)
    for k in range(4):
        at += 32
        total += tl.load(at)  # bug: out-of-bounds
    tl.store(y, tl.sum(total, axis=0))


# check: y=zeros:i32[3] --grid 5
@triton.jit
def atomic_maximum_past_the_end(y):
    pid = tl.program_id(0)
    tl.atomic_max(y + pid, pid)  # bug: out-of-bounds


# check: lock=zeros:i32[1] --grid 1
@triton.jit
def compare_and_swap_before_the_start(lock):
    tl.atomic_cas(lock - 1, 0, 1)  # bug: out-of-bounds


# check: x=randn:f32[32] y=zeros:f32[32] --grid 1
@triton.jit
def address_made_from_an_integer(x, y):
    address = x.to(tl.int64) + 32 * 4
    past = address.to(tl.pointer_type(tl.float32))
    tl.store(y + tl.arange(0, 32), tl.load(past))  # bug: out-of-bounds


# check: x=randn:f32[20,32] y=zeros:f32[32,32] --grid 1
@triton.jit
def descriptor_taller_than_its_tensor(x, y):
    source = tl.make_tensor_descriptor(x, shape=[32, 32], strides=[32, 1], block_shape=[32, 32])
    target = tl.make_tensor_descriptor(y, shape=[32, 32], strides=[32, 1], block_shape=[32, 32])
    tile = source.load([0, 0])  # bug: out-of-bounds
    target.store([0, 0], tile)


@triton.jit
def load_row(x, row, columns, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    return tl.load(x + row * columns + c, mask=c < BLOCK, other=0.0)  # bug-of helper_forgets_the_width: out-of-bounds


# check: x=randn:f32[4,50] y=zeros:f32[4] --grid 4
@triton.jit
def helper_forgets_the_width(x, y):
    row = tl.program_id(0)
    tl.store(y + row, tl.sum(load_row(x, row, 50, 64), axis=0))
