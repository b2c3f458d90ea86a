# nereid-differ program ab841b690f31: different on cpu against interp
#   y: 58 of 128 elements of i32 differ, the first at 1: 1073741, expected -1073741 (largest difference 4294967, allowed 0)
# grid 1 1 1
# tensor y i32 count=128 offset=0 fill=integers low=-1 high=1 seed=4792834722456253137 tolerance=0
# integer n 2147483647
import triton
import triton.language as tl


@triton.jit
def kernel(y, n):
    i = tl.arange(0, 16)
    run = n + i
    tl.store(y + i, run // 2000)
    tl.store(y + 16 + i, run % 1000)
    tl.store(y + 32 + i, ((n + n + i).to(tl.uint32) // 1000).to(tl.int32))
    tl.store(y + 48 + i, ((n + n + i).to(tl.uint32) % 1000).to(tl.int32))
