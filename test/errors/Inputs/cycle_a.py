import triton
import cycle_b


@triton.jit
def first(x):
    return cycle_b.second(x)
