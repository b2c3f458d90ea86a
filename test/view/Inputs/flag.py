import triton
import triton.language as tl


@triton.jit
def flag(flag_ptr, out_ptr):
    program = tl.program_id(0)
    if program == 0:
        while tl.atomic_cas(flag_ptr, 1, 1) == 0:
            pass
        tl.store(out_ptr, 7.0)
    else:
        tl.atomic_xchg(flag_ptr, 1)
