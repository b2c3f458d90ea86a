import triton
import triton.language as tl


@triton.jit
def ring(flag_ptr):
    """Every program but the last waits for the one after it."""
    i = tl.program_id(0)
    if i + 1 < tl.num_programs(0):
        while tl.load(flag_ptr + i + 1, volatile=True) == 0:
            pass
    tl.atomic_xchg(flag_ptr + i, 1)


@triton.jit
def failing(flag_ptr):
    """Program 0 waits for what nobody writes, because program 1 fails."""
    tl.device_assert(tl.program_id(0) < 1, "no")
    while tl.atomic_cas(flag_ptr, 2, 1) != 2:
        pass
