# nereid-differ program 0xf0112e99ef0a: different on cpu, against interp
#   z15: 6 of 72 elements of fp8e4b15 differ, the first at 39: 0.4375, expected 0.34375 (largest difference 0.25, allowed 0)
# grid 1 1 1
# extent B1 64
# tensor z15 fp8e4b15 count=72 offset=0 fill=uniform low=0.25 high=0.75 seed=3302271100722816865 tolerance=0
import triton
import triton.language as tl


@triton.jit
def kernel(B1: tl.constexpr, z15):
    pid = tl.program_id(0)
    t14 = tl.arange(0, B1)
    t16 = tl.load(z15 + pid * 519 + t14)
    tl.store(z15 + pid * 519 + t14 + 7, t16)
