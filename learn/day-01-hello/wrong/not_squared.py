# expect: is 2, but 4 is expected
"""The place is right, the value is the number itself."""
import triton
import triton.language as tl


@triton.jit
def squares(out_ptr):
    program = tl.program_id(0)
    tl.store(out_ptr + program, program)
