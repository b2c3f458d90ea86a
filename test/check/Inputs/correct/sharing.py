"""Correct kernels on which there must be no report: programs that share memory without a race. The comments are
explained in masks.py."""
import triton
import triton.language as tl


# check: keys=randint(0,16):i32[256] bins=zeros:i32[16] --grid 4
@triton.jit
def histogram_with_atomics(keys, bins):
    key = tl.load(keys + tl.program_id(0) * 64 + tl.arange(0, 64))
    tl.atomic_add(bins + key, 1)


# check: x=randn:f32[100] total=zeros:f32[1] top=full(-100):f32[1] n=100 --grid 4
@triton.jit
def reductions_with_atomics(x, total, top, n):
    i = tl.program_id(0) * 32 + tl.arange(0, 32)
    value = tl.load(x + i, mask=i < n, other=0.0)
    tl.atomic_add(total, tl.sum(value, axis=0), sem="relaxed")
    tl.atomic_max(top, tl.max(value, axis=0))


# check: counter=zeros:i32[1] y=zeros:i32[8] --grid 8
@triton.jit
def tickets_decide_the_place(counter, y):
    place = tl.atomic_add(counter, 1)
    tl.store(y + place, tl.program_id(0))


# check: lock=zeros:i32[1] total=zeros:f32[16] --grid 6
@triton.jit
def spin_lock(lock, total):
    i = tl.arange(0, 16)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(total + i, tl.load(total + i) + 1.0)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


# check: lock=zeros:i32[1] total=zeros:f32[16] --grid 6
@triton.jit
def spin_lock_with_named_semantics(lock, total):
    i = tl.arange(0, 16)
    while tl.atomic_cas(lock, 0, 1, sem="acquire") == 1:
        pass
    tl.store(total + i, tl.load(total + i) + 1.0)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0, sem="release")


# check: lock=zeros:i32[2] total=zeros:f32[2,16] --grid 6
@triton.jit
def locks_for_parts(lock, total):
    i = tl.arange(0, 16)
    part = tl.program_id(0) % 2
    while tl.atomic_xchg(lock + part, 1) == 1:
        pass
    at = total + part * 16 + i
    tl.store(at, tl.load(at) + 1.0)
    tl.debug_barrier()
    tl.atomic_xchg(lock + part, 0)


# check: a=randn:f32[16,64] b=randn:f32[64,16] c=zeros:f32[16,16] --grid 4
@triton.jit
def split_k_with_atomics(a, b, c):
    m = tl.arange(0, 16)
    k = tl.program_id(0) * 16 + tl.arange(0, 16)
    product = tl.dot(tl.load(a + m[:, None] * 64 + k[None, :]), tl.load(b + k[:, None] * 16 + m[None, :]), input_precision="ieee")
    tl.atomic_add(c + m[:, None] * 16 + m[None, :], product)


# check: x=randn:f32[100] n=100 --grid 4
@triton.jit
def rectified_in_place(x, n):
    i = tl.program_id(0) * 32 + tl.arange(0, 32)
    tl.store(x + i, tl.maximum(tl.load(x + i, mask=i < n), 0.0), mask=i < n)


# check: x=arange:i32[64] n=64 --grid 2
@triton.jit
def reversed_in_place_by_pairs(x, n):
    i = tl.program_id(0) * 16 + tl.arange(0, 16)
    low = tl.load(x + i)
    high = tl.load(x + n - 1 - i)
    tl.store(x + i, high)
    tl.store(x + n - 1 - i, low)


# check: x=randn:f32[130] y=zeros:f32[128] --grid 4
@triton.jit
def overlapping_reads(x, y):
    i = tl.program_id(0) * 32 + tl.arange(0, 32)
    tl.store(y + i, tl.load(x + i) + tl.load(x + i + 1) + tl.load(x + i + 2))


# check: y=zeros:i8[64] --grid 64
@triton.jit
def neighbouring_bytes(y):
    pid = tl.program_id(0)
    tl.store(y + pid, pid.to(tl.int8))


# check: x=randn:f32[64] y=zeros:f32[64] --grid 4
@triton.jit
def interleaved_elements(x, y):
    i = tl.arange(0, 16) * tl.num_programs(0) + tl.program_id(0)
    tl.store(y + i, tl.load(x + i) * 2.0)


# check: x=randn:f32[300] y=zeros:f32[300] n=300 --grid 3
@triton.jit
def persistent_loop(x, y, n):
    for tile in range(tl.program_id(0), tl.cdiv(n, 32), tl.num_programs(0)):
        i = tile * 32 + tl.arange(0, 32)
        tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)


# check: x=ones:f32[64] parts=zeros:f32[4] ticket=zeros:i32[1] y=zeros:f32[1] --grid 4
@triton.jit
def last_program_sums_the_parts(x, parts, ticket, y):
    pid = tl.program_id(0)
    tl.store(parts + pid, tl.sum(tl.load(x + pid * 16 + tl.arange(0, 16)), axis=0))
    tl.debug_barrier()
    turn = tl.atomic_add(ticket, 1)
    if turn == tl.num_programs(0) - 1:
        tl.store(y, tl.sum(tl.load(parts + tl.arange(0, 4)), axis=0))


# check: flag=zeros:i32[4] carry=zeros:f32[4] x=ones:f32[64] y=zeros:f32[64] --grid 4
@triton.jit
def chained_scan(flag, carry, x, y):
    pid = tl.program_id(0)
    i = pid * 16 + tl.arange(0, 16)
    value = tl.load(x + i)
    before = 0.0
    if pid > 0:
        while tl.atomic_add(flag + pid - 1, 0, sem="acquire") == 0:
            pass
        before = tl.load(carry + pid - 1)
    tl.store(carry + pid, before + tl.sum(value, axis=0))
    tl.debug_barrier()
    tl.atomic_xchg(flag + pid, 1, sem="release")
    tl.store(y + i, tl.cumsum(value, axis=0) + before)


# check: flag=zeros:i32[1] data=zeros:f32[16] y=zeros:f32[16] --grid 2
@triton.jit
def message_with_a_flag(flag, data, y):
    i = tl.arange(0, 16)
    if tl.program_id(0) == 0:
        tl.store(data + i, 1.0)
        tl.debug_barrier()
        tl.atomic_xchg(flag, 1, sem="release")
    else:
        while tl.atomic_cas(flag, 1, 1, sem="acquire") != 1:
            pass
        tl.store(y + i, tl.load(data + i))


# check: owner=full(-1):i32[8] --grid 16
@triton.jit
def first_come_first_served(owner):
    tl.atomic_cas(owner + tl.program_id(0) // 2, -1, tl.program_id(0))


# check: x=randn:f32[64] --grid 2
@triton.jit
def own_tile_written_twice(x):
    i = tl.program_id(0) * 32 + tl.arange(0, 32)
    tl.store(x + i, 1.0)
    tl.debug_barrier()
    value = tl.load(x + i)
    tl.store(x + i, value + 1.0)


# check: x=randn:f32[64,48] y=zeros:f32[48,64] --grid 4,3
@triton.jit
def transposed_out_of_place(x, y):
    r = tl.program_id(0) * 16 + tl.arange(0, 16)
    c = tl.program_id(1) * 16 + tl.arange(0, 16)
    tile = tl.load(x + r[:, None] * 48 + c[None, :])
    tl.store(y + c[:, None] * 64 + r[None, :], tl.trans(tile))


# check: dw=zeros:f32[2,50] lock=zeros:i32[4] x=randn:f32[7,50] n=50 --grid 7
@triton.jit
def partial_sums_behind_locks(dw, lock, x, n):
    row = tl.program_id(0)
    c = tl.arange(0, 64)
    inside = c < n
    group = row % 2
    lock += group
    count = lock + 2
    at = dw + group * n + c
    part = tl.load(x + row * n + c, mask=inside)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    if tl.load(count) == 0:
        tl.atomic_xchg(count, 1)
    else:
        part += tl.load(at, mask=inside)
    tl.store(at, part, mask=inside)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


# check: x=randn:f32[64] y=zeros:f32[64] --grid 4
@triton.jit
def masked_stores_share_a_tile(x, y):
    i = tl.arange(0, 64)
    mine = i // 16 == tl.program_id(0)
    tl.store(y + i, tl.load(x + i), mask=mine)


# check: x=randn:f32[8] y=zeros:f32[8] --grid 1
@triton.jit
def written_twice_with_one_value(x, y):
    c = tl.arange(0, 8)[None, :] + tl.zeros([4, 1], tl.int32)
    tl.store(y + c, tl.load(x + c))
