"""out[p] = p * p, whatever the number of programs."""
import triton
import triton.language as tl


@triton.jit
def squares(out_ptr):
    if tl.program_id(0) == 0:
        for p in range(tl.num_programs(0)):
            tl.store(out_ptr + p, p * p)
