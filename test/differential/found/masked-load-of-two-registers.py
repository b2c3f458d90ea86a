# nereid-differ program 0x5185de3f0225: crashed on cpu:x86-64-v3, against interp
#   signal 6 (Aborted)
# grid 1 1 1
# extent B0 16
# extent B1 1
# tensor x0 i32 count=6 offset=0 fill=integers low=-33 high=11 seed=4287507113753028246 tolerance=0
# integer n1 1
# integer n2 1
# tensor z15 i32 count=256 offset=0 fill=integers low=-1 high=1 seed=2243883768640933763 tolerance=0
import triton
import triton.language as tl


@triton.jit
def kernel(B0: tl.constexpr, B1: tl.constexpr, x0, n1, n2, z15):
    p3 = tl.make_tensor_descriptor(x0, [1, 10, 5], [n1, n2, 1], [B0, B1, B0])
    t4 = p3.load([0, 0, 0])
    t16 = tl.ravel(t4)
    tl.store(z15 + tl.arange(0, B0 * B0 * B1), t16)
