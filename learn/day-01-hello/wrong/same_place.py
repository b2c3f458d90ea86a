# expect: race
"""Every program writes element 0: the number is in the value, but not in the address."""
import triton
import triton.language as tl


@triton.jit
def squares(out_ptr):
    program = tl.program_id(0)
    tl.store(out_ptr, program * program)
