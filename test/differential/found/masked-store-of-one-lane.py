# nereid-differ program 0xf14655266c5f: different on cpu, against interp
#   y43: a byte after the tensor was written (1 bytes off)
# grid 1 1 1
# extent B0 2
# extent B3 4
# integer n41 1
# tensor y43 u8 count=1 offset=0 fill=integers low=0 high=1 seed=3722432789998975451 tolerance=0
# integer n44 1
import triton
import triton.language as tl


@triton.jit
def f17(a, b, c, d):
    return a * c, tl.minimum(b, d)


@triton.jit
def kernel(B0: tl.constexpr, B3: tl.constexpr, n41, y43, n44):
    pid = tl.program_id(0) + tl.program_id(1) * tl.num_programs(0)
    t15 = tl.full([B0, B3], 0, tl.int32)
    t16 = tl.full([B0, B3], 0, tl.int32)
    t18, t19 = tl.reduce((t15, t16), axis=0, combine_fn=f17)
    t40 = tl.arange(0, B3)
    tl.store(y43 + pid * n41 + t40, t19, mask=(t40 < n44))
