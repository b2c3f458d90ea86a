# nereid-differ program 0xf1cd912e9aa1: refused on cpu, against interp
#   program.py:6:5: error: nereid has a bug: the kernel was lowered to wrong LLVM IR: Instruction does not dominate all uses!
#     %61 = sub i64 %59, %60, !dbg !13
#     %84 = add i64 %79, %61, !dbg !14
#   
# grid 1 1 1
# extent B1 32
# extent B3 64
# extent B4 64
# tensor x36 fp8e5 count=32 offset=0 fill=integers low=-4 high=4 seed=4325905942767429483 tolerance=0
# tensor y97 f32 count=1 offset=0 fill=integers low=-1 high=1 seed=4551732382754556893 tolerance=0.0020146372299052473 unsigned-zero=1
import triton
import triton.language as tl


@triton.jit
def kernel(B1: tl.constexpr, B3: tl.constexpr, B4: tl.constexpr, x36, y97):
    pid = tl.program_id(0) + tl.program_id(1) * tl.num_programs(0)
    t33 = tl.full([B3, B4], 0.000000, tl.float8e5)
    t34 = tl.full([B4, 1], 0, tl.int32)
    t35 = tl.arange(0, B1)[None, :]
    p37 = x36 + pid * 2048 + t34 * (B1) + t35
    t38 = tl.load(p37)
    t43 = tl.full([B3, B1], True, tl.int1)
    t45 = tl.full([B3, B1], 0.000000, tl.float32)
    t46 = tl.dot(t33, t38, t45)
    t59 = tl.where(t43, t46, t45)
    t94 = tl.full([B3, 1], 0, tl.int32)
    t95 = tl.full([1, B1], 0, tl.int32)
    tl.store(y97 + pid * 2048 + t94 * (B1) + t95, t59)
