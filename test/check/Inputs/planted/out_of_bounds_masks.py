"""Planted bugs: accesses out of bounds through a missing or wrong mask. `# check:` gives the arguments of the kernel
below it; `# bug: CLASS` stands on each line that must be reported, and no other line may be."""
import triton
import triton.language as tl


# check: x=randn:f32[100] y=zeros:f32[128] BLOCK=64 --grid 2
@triton.jit
def load_without_mask(x, y, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + offsets)  # bug: out-of-bounds
    tl.store(y + offsets, value)


# check: x=randn:f32[128] y=zeros:f32[100] BLOCK=64 --grid 2
@triton.jit
def store_without_mask(x, y, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + offsets)
    tl.store(y + offsets, value)  # bug: out-of-bounds


# check: x=randn:f32[100] y=zeros:f32[100] n=100 BLOCK=64 --grid 2
@triton.jit
def load_masked_one_too_far(x, y, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + offsets, mask=offsets <= n, other=0.0)  # bug: out-of-bounds
    tl.store(y + offsets, value, mask=offsets < n)


# check: x=randn:f32[100] y=zeros:f32[100] n=100 BLOCK=64 --grid 2
@triton.jit
def store_masked_one_too_far(x, y, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + offsets, mask=offsets < n, other=0.0)
    tl.store(y + offsets, value, mask=offsets <= n)  # bug: out-of-bounds


# check: x=randn:f32[100] y=zeros:f32[100] n=100 BLOCK=64 --grid 2
@triton.jit
def mask_on_the_load_only(x, y, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + offsets, mask=offsets < n, other=0.0)
    tl.store(y + offsets, 2 * value)  # bug: out-of-bounds


# check: x=randn:f32[5,40] y=zeros:f32[5,40] rows=5 columns=40 R=8 C=64 --grid 1
@triton.jit
def mask_with_the_wrong_extent(x, y, rows, columns, R: tl.constexpr, C: tl.constexpr):
    r = tl.arange(0, R)[:, None]
    c = tl.arange(0, C)[None, :]
    offsets = r * columns + c
    value = tl.load(x + offsets, mask=(r < columns) & (c < columns), other=0.0)  # bug: out-of-bounds
    tl.store(y + offsets, value, mask=(r < rows) & (c < columns))


# check: x=randn:f32[5,40] y=zeros:f32[5,40] rows=5 columns=40 R=8 C=64 --grid 1
@triton.jit
def mask_joined_with_or(x, y, rows, columns, R: tl.constexpr, C: tl.constexpr):
    r = tl.arange(0, R)[:, None]
    c = tl.arange(0, C)[None, :]
    offsets = r * columns + c
    value = tl.load(x + offsets, mask=(r < rows) | (c < columns), other=0.0)  # bug: out-of-bounds
    tl.store(y + offsets, value, mask=(r < rows) & (c < columns))


# check: x=randn:f32[3,100] y=zeros:f32[3,100] columns=100 BLOCK=128 --grid 3
@triton.jit
def softmax_of_a_padded_row(x, y, columns, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    row = tl.load(x + tl.program_id(0) * columns + c)  # bug: out-of-bounds
    row = tl.where(c < columns, row, float("-inf"))
    top = tl.exp(row - tl.max(row, axis=0))
    tl.store(y + tl.program_id(0) * columns + c, top / tl.sum(top, axis=0), mask=c < columns)


# check: a=randn:f32[20,32] b=randn:f32[32,16] c=zeros:f32[20,16] M=20 --grid 2
@triton.jit
def matmul_store_without_row_mask(a, b, c, M):
    m = tl.program_id(0) * 16 + tl.arange(0, 16)
    k = tl.arange(0, 32)
    n = tl.arange(0, 16)
    left = tl.load(a + m[:, None] * 32 + k[None, :], mask=m[:, None] < M, other=0.0)
    right = tl.load(b + k[:, None] * 16 + n[None, :])
    product = tl.dot(left, right, input_precision="ieee")
    tl.store(c + m[:, None] * 16 + n[None, :], product)  # bug: out-of-bounds


# check: x=randn:f32[100] y=zeros:f32[100] n=100 BLOCK=64 --grid 2
@triton.jit
def mask_of_the_tile_not_of_the_tensor(x, y, n, BLOCK: tl.constexpr):
    lane = tl.arange(0, BLOCK)
    offsets = tl.program_id(0) * BLOCK + lane
    value = tl.load(x + offsets, mask=lane < n, other=0.0)  # bug: out-of-bounds
    tl.store(y + offsets, value, mask=offsets < n)


# check: x=randn:f32[37,21] y=zeros:f32[37,21] M=37 N=21 --grid 2,1
@triton.jit
def block_pointer_without_boundary_check(x, y, M, N):
    start = tl.program_id(0) * 32
    source = tl.make_block_ptr(x, (M, N), (N, 1), (start, 0), (32, 32), (1, 0))
    target = tl.make_block_ptr(y, (M, N), (N, 1), (start, 0), (32, 32), (1, 0))
    tile = tl.load(source)  # bug: out-of-bounds
    tl.store(target, tile, boundary_check=(0, 1))


# check: x=randn:f32[37,32] y=zeros:f32[37,32] M=37 --grid 2,1
@triton.jit
def block_pointer_checked_on_one_axis(x, y, M):
    start = tl.program_id(0) * 32
    source = tl.make_block_ptr(x, (M, 32), (32, 1), (start, 0), (32, 32), (1, 0))
    target = tl.make_block_ptr(y, (M, 32), (32, 1), (start, 0), (32, 32), (1, 0))
    tile = tl.load(source, boundary_check=(0,))
    tl.store(target, tile, boundary_check=(1,))  # bug: out-of-bounds
