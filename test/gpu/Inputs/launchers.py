import triton
import triton.language as tl


@triton.jit
def bounded(x, n, flag: tl.int1):
    i = tl.arange(0, 128)
    tl.device_assert(i < n, "i is below n")
    if flag:
        tl.device_print("i", i)
    tl.store(x + i, 1.0)
