"""Surprise 14: programs that wait for each other."""
import triton
import triton.language as tl


@triton.jit
def behind_a_lock(lock, total, x):
    i = tl.arange(0, 16)
    v = tl.load(x + tl.program_id(0) * 16 + i)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(total + i, tl.load(total + i) + v)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def look_back_scan(x, y, state, BLOCK: tl.constexpr):
    """Each program publishes its sum, then looks back until it finds a finished prefix. A word holds the status in its low
    bits (1: own sum, 2: prefix) and the number above them."""
    pid = tl.program_id(0)
    i = pid * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i)
    own = tl.sum(v, axis=0).to(tl.int64)
    tl.atomic_xchg(state + pid, own * 4 + 1, sem="release")
    before = own * 0
    back = pid - 1
    while back >= 0:
        word = tl.atomic_add(state + back, own * 0, sem="acquire")
        status = word & 3
        if status != 0:
            before += word >> 2
            if status == 2:
                back = -1
            else:
                back -= 1
    tl.atomic_xchg(state + pid, (before + own) * 4 + 2, sem="release")
    tl.store(y + i, (tl.cumsum(v, axis=0) + before).to(tl.int64))


@triton.jit
def backwards_chain(flag, y):
    """Program 0 waits for the last one: programs cannot simply run one after the other."""
    pid = tl.program_id(0)
    if pid < tl.num_programs(0) - 1:
        while tl.atomic_add(flag + pid + 1, 0, sem="acquire") == 0:
            pass
        value = tl.load(y + pid + 1)
        tl.store(y + pid, value + 1)
    else:
        tl.store(y + pid, 1)
    tl.debug_barrier()
    tl.atomic_xchg(flag + pid, 1, sem="release")


@triton.jit
def through_memory(x, scratch, y):
    i = tl.arange(0, 32)
    tl.store(scratch + i, tl.load(x + i))
    tl.debug_barrier()
    tl.store(y + i, tl.load(scratch + 31 - i))
