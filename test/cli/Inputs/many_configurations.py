import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": 64, "ADDED": i}) for i in range(20000)], key=["n"])
@triton.jit
def add_any(x_ptr, n, BLOCK: tl.constexpr, ADDED: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i, i < n) + ADDED, i < n)
