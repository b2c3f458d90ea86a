# nereid-differ program 0xe6728348c281: refused on cpu, against interp
#   program.py:11:5: error: nereid has a bug: the kernel was lowered to wrong LLVM IR: Instruction does not dominate all uses!
#     %33 = getelementptr inbounds i8, ptr %4, i64 0, !dbg !7
#     %29 = getelementptr inbounds i16, ptr %33, i64 0, !dbg !7
#   Instruction does not dominate all uses!
#     %34 = getelementptr inbounds i8, ptr %4, i64 64, !dbg !7
#     %30 = getelementptr inbounds i64, ptr %34, i64 0, !dbg !7
#   Instruction does not dominate all uses!
#     %33 = getelementptr inbounds i8, ptr %4, i64 0, !dbg !7
#     %31 = getelementptr inbounds i16, ptr %33, i64 0, !dbg !7
#   Instruction does not dominate all uses!
#     
# grid 1 1 1
# extent B0 2
# extent B1 2
# tensor y44 i1 count=0 offset=0 fill=integers low=0 high=1 seed=7528400881225697634 tolerance=0
# integer n45 0
import triton
import triton.language as tl


@triton.jit
def f10(a, b, c, d):
    return a & c, tl.maximum(b, d)


@triton.jit
def kernel(B0: tl.constexpr, B1: tl.constexpr, y44, n45):
    pid = tl.program_id(0)
    t4 = tl.full([B0, B1], 0, tl.uint64)
    t9 = tl.full([B0, B1], 1, tl.uint16)
    t11, t12 = tl.reduce((t9, t4), axis=0, combine_fn=f10)
    t38 = t12 != 0
    t41 = t38
    t42 = tl.full([B1], 0, tl.int32)
    tl.store(y44 + pid * 32 + t42, t41, mask=(t42 < n45))
