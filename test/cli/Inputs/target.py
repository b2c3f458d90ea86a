import triton
import triton.language as tl


@triton.jit
def target(x_ptr):
    if tl.target_info.cuda_capability_geq(9, 0):
        tl.store(x_ptr, 90)
    else:
        tl.store(x_ptr, 80)
