import triton
import triton.language as tl


@triton.jit
def fault(x_ptr, far):
    tl.store(x_ptr + far, 1.0)
