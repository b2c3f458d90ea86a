"""Planted bugs: lanes that a masked load left undefined take part in a result. The comments are explained in
out_of_bounds_masks.py."""
import triton
import triton.language as tl


# check: x=randn:f32[50] y=zeros:f32[1] n=50 --grid 1
@triton.jit
def sum_of_a_padded_row(x, y, n):
    i = tl.arange(0, 64)
    value = tl.load(x + i, mask=i < n)
    total = tl.sum(value, axis=0)  # bug: undefined-lane
    tl.store(y, total)


# check: x=randn:f32[50] y=zeros:f32[1] n=50 --grid 1
@triton.jit
def maximum_of_a_padded_row(x, y, n):
    i = tl.arange(0, 64)
    value = tl.load(x + i, mask=i < n)
    top = tl.max(value, axis=0)  # bug: undefined-lane
    tl.store(y, top)


# check: x=randn:f32[50] y=zeros:i32[1] n=50 --grid 1
@triton.jit
def place_of_the_maximum(x, y, n):
    i = tl.arange(0, 64)
    value = tl.load(x + i, mask=i < n)
    tl.store(y, tl.argmax(value, axis=0))  # bug: undefined-lane


# check: x=randn:f32[50] y=zeros:f32[64] n=50 --grid 1
@triton.jit
def stored_without_a_mask(x, y, n):
    i = tl.arange(0, 64)
    value = tl.load(x + i, mask=i < n)
    tl.store(y + i, value + 1.0)  # bug: undefined-lane


# check: x=randn:f32[50] y=zeros:f32[64] n=50 m=60 --grid 1
@triton.jit
def stored_with_a_wider_mask(x, y, n, m):
    i = tl.arange(0, 64)
    value = tl.load(x + i, mask=i < n)
    tl.store(y + i, 2.0 * value, mask=i < m)  # bug: undefined-lane  # also: unwritten


# check: x=randint(0,8):i32[50] table=randn:f32[8] y=zeros:f32[64] n=50 --grid 1
@triton.jit
def used_as_an_index(x, table, y, n):
    i = tl.arange(0, 64)
    index = tl.load(x + i, mask=i < n)
    value = tl.load(table + index)  # bug: undefined-lane  # also: out-of-bounds
    tl.store(y + i, value, mask=i < n)  # also: unwritten


# check: flag=ones:i32[1] y=zeros:i32[1] n=0 --grid 1
@triton.jit
def decides_a_branch(flag, y, n):
    value = tl.load(flag, mask=n > 0)
    if value > 0:  # bug: undefined-lane
        tl.store(y, 1)
    else:
        tl.store(y, 2)


# check: flag=ones:i32[1] y=zeros:i32[1] n=0 --grid 1
@triton.jit
def decides_the_length_of_a_loop(flag, y, n):
    count = tl.load(flag, mask=n > 0)
    total = 0
    for k in range(count):  # bug: undefined-lane
        total += k
    tl.store(y, total)


# check: x=randn:f32[50] y=zeros:f32[64] n=50 --grid 1
@triton.jit
def cleaned_with_the_wrong_condition(x, y, n):
    i = tl.arange(0, 64)
    value = tl.load(x + i, mask=i < n)
    value = tl.where(i < n + 1, value, 0.0)
    tl.store(y + i, value)  # bug: undefined-lane


# check: x=randn:f32[50] y=zeros:f32[1] n=50 --grid 1
@triton.jit
def multiplied_by_a_mask(x, y, n):
    i = tl.arange(0, 64)
    value = tl.load(x + i, mask=i < n)
    kept = value * (i < n).to(tl.float32)
    tl.store(y, tl.sum(kept, axis=0))  # bug: undefined-lane


# check: x=randn:f32[50] y=zeros:f32[64] n=50 --grid 1
@triton.jit
def added_atomically(x, y, n):
    i = tl.arange(0, 64)
    value = tl.load(x + i, mask=i < n)
    tl.atomic_add(y + i, value)  # bug: undefined-lane


# check: x=randn:f32[50] y=zeros:f32[64] n=50 --grid 1
@triton.jit
def running_sum_from_the_end(x, y, n):
    i = tl.arange(0, 64)
    value = tl.load(x + i, mask=i < n)
    total = tl.cumsum(value, axis=0, reverse=True)  # bug: undefined-lane
    tl.store(y + i, total, mask=i < n)  # also: unwritten


# check: a=randn:f32[16,20] b=randn:f32[20,16] c=zeros:f32[16,16] K=20 --grid 1
@triton.jit
def matmul_tail_without_other(a, b, c, K):
    m = tl.arange(0, 16)
    k = tl.arange(0, 32)
    left = tl.load(a + m[:, None] * K + k[None, :], mask=k[None, :] < K)
    right = tl.load(b + k[:, None] * 16 + m[None, :], mask=k[:, None] < K)
    product = tl.dot(left, right, input_precision="ieee")  # bug: undefined-lane
    tl.store(c + m[:, None] * 16 + m[None, :], product)


# check: flags=ones:i1[50] x=randn:f32[64] y=zeros:f32[64] n=50 --grid 1
@triton.jit
def mask_from_undefined_flags(flags, x, y, n):
    i = tl.arange(0, 64)
    flag = tl.load(flags + i, mask=i < n)
    value = tl.load(x + i, mask=flag, other=0.0)  # bug: undefined-lane
    tl.store(y + i, value, mask=i < n)  # also: unwritten


# check: x=randn:f32[50] y=zeros:f32[64] n=50 --grid 1
@triton.jit
def sorted_with_its_padding(x, y, n):
    i = tl.arange(0, 64)
    value = tl.load(x + i, mask=i < n)
    tl.store(y + i, tl.sort(value))  # bug: undefined-lane


# check: x=randn:f32[40,21] y=zeros:f32[64] M=40 N=21 --grid 1
@triton.jit
def rows_summed_over_padded_columns(x, y, M, N):
    r = tl.arange(0, 64)
    c = tl.arange(0, 32)
    inside = (r[:, None] < M) & (c[None, :] < N)
    value = tl.load(x + r[:, None] * N + c[None, :], mask=inside)
    total = tl.sum(value, axis=1)  # bug: undefined-lane
    tl.store(y + r, total, mask=r < M)  # also: unwritten


# check: keys=randint(0,8):i32[50] y=zeros:i32[8] n=50 --grid 1
@triton.jit
def counted_into_a_histogram(keys, y, n):
    i = tl.arange(0, 64)
    key = tl.load(keys + i, mask=i < n)
    counts = tl.histogram(key, 8)  # bug: undefined-lane
    tl.store(y + tl.arange(0, 8), counts)
