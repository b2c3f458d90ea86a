"""Planted bugs: programs that try to synchronize, and fail. The comments are explained in out_of_bounds_masks.py."""
import triton
import triton.language as tl


# check: lock=zeros:i32[1] total=zeros:f32[16] --grid 4
@triton.jit
def stored_after_the_lock_is_released(lock, total):
    i = tl.arange(0, 16)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    value = tl.load(total + i)  # also: race
    tl.atomic_xchg(lock, 0)
    tl.store(total + i, value + 1.0)  # bug: race


# check: lock=zeros:i32[1] total=zeros:f32[16] --grid 4
@triton.jit
def loaded_before_the_lock_is_taken(lock, total):
    i = tl.arange(0, 16)
    value = tl.load(total + i)  # bug: race
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(total + i, value + 1.0)  # also: race
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


# check: locks=zeros:i32[4] total=zeros:f32[16] --grid 4
@triton.jit
def one_lock_each(locks, total):
    i = tl.arange(0, 16)
    lock = locks + tl.program_id(0)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    value = tl.load(total + i)  # also: race
    tl.store(total + i, value + 1.0)  # bug: race
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


# check: lock=zeros:i32[1] total=zeros:f32[16] --grid 4
@triton.jit
def relaxed_lock(lock, total):
    i = tl.arange(0, 16)
    while tl.atomic_cas(lock, 0, 1, sem="relaxed") == 1:
        pass
    value = tl.load(total + i)  # also: race
    tl.store(total + i, value + 1.0)  # bug: race
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0, sem="relaxed")


# check: flag=zeros:i32[1] data=zeros:f32[16] y=zeros:f32[16] --grid 2
@triton.jit
def plain_flag(flag, data, y):
    i = tl.arange(0, 16)
    if tl.program_id(0) == 0:
        tl.store(data + i, 1.0)  # also: race
        tl.store(flag, 1)  # also: race
    else:
        ready = tl.load(flag, volatile=True)  # bug: race
        value = tl.load(data + i, mask=(i >= 0) & (ready == 1), other=0.0)  # also: race
        tl.store(y + i, value)


# check: flag=zeros:i32[1] data=zeros:f32[16] y=zeros:f32[16] --grid 2
@triton.jit
def flag_raised_before_the_data(flag, data, y):
    i = tl.arange(0, 16)
    if tl.program_id(0) == 0:
        tl.atomic_xchg(flag, 1, sem="release")
        tl.store(data + i, 1.0)  # also: race
    else:
        while tl.atomic_add(flag, 0, sem="acquire") == 0:
            pass
        tl.store(y + i, tl.load(data + i))  # bug: race


# check: x=ones:f32[64] parts=zeros:f32[4] ticket=zeros:i32[1] y=zeros:f32[1] --grid 4
@triton.jit
def last_program_sums_too_early(x, parts, ticket, y):
    pid = tl.program_id(0)
    turn = tl.atomic_add(ticket, 1)
    part = tl.sum(tl.load(x + pid * 16 + tl.arange(0, 16)), axis=0)
    tl.store(parts + pid, part)  # also: race
    if turn == 3:
        tl.store(y, tl.sum(tl.load(parts + tl.arange(0, 4)), axis=0))  # bug: race


# check: x=ones:f32[64] parts=zeros:f32[4] ticket=zeros:i32[1] y=zeros:f32[1] --grid 4
@triton.jit
def last_program_sums_with_a_relaxed_ticket(x, parts, ticket, y):
    pid = tl.program_id(0)
    part = tl.sum(tl.load(x + pid * 16 + tl.arange(0, 16)), axis=0)
    tl.store(parts + pid, part)  # also: race
    turn = tl.atomic_add(ticket, 1, sem="relaxed")
    if turn == 3:
        tl.store(y, tl.sum(tl.load(parts + tl.arange(0, 4)), axis=0))  # bug: race
