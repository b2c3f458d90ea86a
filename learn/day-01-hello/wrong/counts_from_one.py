# expect: out-of-bounds
"""Counts from 1, as people do: the last program writes behind the end."""
import triton
import triton.language as tl


@triton.jit
def squares(out_ptr):
    program = tl.program_id(0) + 1
    tl.store(out_ptr + program, program * program)
