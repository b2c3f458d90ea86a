# A tile is kept for one reduction, and another one reads what is computed from it again: its place is not given away before.
# nereid-differ program 0x44e514e5aa75: different on cpu, against interp
#   y38: 1 of 1 elements of i32 differ, the first at 0: 8, expected 0 (largest difference 8, allowed 0)
# grid 1 1 1
# extent B0 16
# extent B1 2
# tensor x2 f16 count=2 offset=0 fill=integers low=-8 high=8 seed=4736661886230796279 tolerance=0
# integer n36 1
# tensor y38 i32 count=1 offset=0 fill=integers low=-1 high=1 seed=6872644338410220156 tolerance=0
# tensor y42 f32 count=32 offset=0 fill=integers low=-1 high=1 seed=91296523562234755 tolerance=3.9339070099231321e-06
# tensor y46 i32 count=1 offset=0 fill=integers low=-1 high=1 seed=858247452432458242 tolerance=0
import triton
import triton.language as tl


@triton.jit
def kernel(B0: tl.constexpr, B1: tl.constexpr, x2, n36, y38, y42, y46):
    pid = tl.program_id(0) + tl.program_id(1) * tl.num_programs(0)
    t0 = tl.full([B0, 1], 0, tl.int32)
    t1 = tl.full([1, B1], 1, tl.int32)
    t3 = tl.load(x2 + pid * 8 + t0 * 0 + t1)
    t4 = tl.min(t3, axis=None)
    t6 = t4 * t3
    t18 = tl.full([B0, B1], 0.000000, tl.float32)
    t21 = tl.argmax(t6, axis=0, keep_dims=True)
    t32 = tl.exp(t18 - tl.max(t18, axis=1, keep_dims=True))
    t34 = tl.argmin(t6, axis=0)
    t35 = tl.full([B1], 0, tl.int32)
    tl.store(y38 + pid * n36 + t35, t34)
    t39 = tl.full([B0, 1], 0, tl.int32)
    t40 = tl.full([1, B1], 0, tl.int32)
    tl.store(y42 + pid * 512 + (B0 - 1 - t39) * (B1) + t40, t32)
    t43 = tl.full([1, 1], 0, tl.int32)
    t44 = tl.full([1, B1], 0, tl.int32)
    tl.store(y46 + pid * 8 + t43 + t44, t21)
