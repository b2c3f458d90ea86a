import triton
import cycle_a


@triton.jit
def second(x):
    return cycle_a.first(x)
