# nereid-differ program 0xb9835e09547e: refused on cpu, against interp
#   error: the compiler made invalid code for `kernel`: Instruction does not dominate all uses!
#     %45 = and i1 %43, %44, !dbg !10
#     %37 = and i1 false, %45, !dbg !9
#   Instruction does not dominate all uses!
#     %50 = icmp uge i32 %49, 32, !dbg !10
#     %38 = and i1 %37, %50, !dbg !9
#   
# grid 1 1 1
# tensor x140 i32 count=0 offset=0 fill=integers low=-1 high=1 seed=2410191042091726817 tolerance=0
# tensor y161 fp8e5 count=128 offset=0 fill=integers low=-1 high=1 seed=6034355234150144859 tolerance=0
import triton
import triton.language as tl


@triton.jit
def kernel(x140, y161):
    pid = tl.program_id(0)
    t116 = tl.arange(0, 128)[:, None]
    t138 = tl.full([128, 1], 0, tl.int64)
    t139 = tl.full([1, 1], 0, tl.int64)
    t142 = tl.full([128, 1], False, tl.int1)
    t143 = tl.load(x140 + t138 * 0 + t139, mask=t142, other=0)
    t144 = t116 // ((t143 & 3) + 1)
    t158 = tl.arange(0, 128)[:, None]
    t159 = tl.full([1, 1], 0, tl.int32)
    tl.store(y161 + pid * 128 + t158 + t159, t144)
