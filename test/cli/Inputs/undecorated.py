import triton
import triton.language as tl


def host():
    return 1


def fill(x_ptr):
    tl.store(x_ptr + tl.program_id(0), 1.0)
