import triton
import triton.language as tl


@triton.jit
def add_under_lock(x_ptr, sum_ptr, lock_ptr):
    i = tl.arange(0, 1024)
    x = tl.load(x_ptr + tl.program_id(0) * 1024 + i)
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(sum_ptr + i, tl.load(sum_ptr + i) + x)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)
