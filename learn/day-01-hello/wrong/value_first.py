# expect: pointer
"""The arguments of `tl.store` in the wrong order: the address comes first."""
import triton
import triton.language as tl


@triton.jit
def squares(out_ptr):
    program = tl.program_id(0)
    tl.store(program * program, out_ptr + program)
