"""Results that a launch leaves out, and memory that is read before anybody has written it."""
import triton
import triton.language as tl


# check: y=zeros:f32[1000] n=1000 BLOCK=128 --grid 3
@triton.jit
def grid_of_too_few_programs(y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, i, mask=i < n)  # bug: unwritten


# check: x=randn:f32[30,40] y=zeros:f32[30,40] rows=30 columns=40 BLOCK=16 --grid 2
@triton.jit
def second_axis_without_programs(x, y, rows, columns, BLOCK: tl.constexpr):
    r = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    c = tl.arange(0, BLOCK)
    at = r[:, None] * columns + c[None, :]
    mask = (r[:, None] < rows) & (c[None, :] < columns)
    tl.store(y + at, tl.load(x + at, mask=mask), mask=mask)  # bug: unwritten


# check: x=randn:f32[100] y=zeros:f32[100] n=99 BLOCK=64 --grid 2
@triton.jit
def last_element_masked_out(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)  # bug: unwritten


# check: partial=empty:f32[8] y=zeros:f32[1] BLOCK=8 --grid 1
@triton.jit
def sums_of_a_kernel_that_did_not_run(partial, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y, tl.sum(tl.load(partial + i)))  # bug: unwritten


# check: x=randn:f32[64] y=empty:f32[64] BLOCK=64 --grid 1
@triton.jit
def accumulated_into_what_was_never_cleared(x, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(y + i) + tl.load(x + i))  # bug: unwritten


# check: y=empty:i32[4] BLOCK=16 --grid 1
@triton.jit
def counted_from_what_was_never_cleared(y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.atomic_add(y + i % 4, 1)  # bug: unwritten
