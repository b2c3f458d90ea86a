# RUN: nereid compile %s -n counted -s "*i32:16, *i32:16" --target sm_90a --emit ptx | FileCheck %s
# Assembly that all lanes of a warp execute together stands once: between two steps that one lane alone does, a copy for that lane and one for
# the others would wait for each other.
import triton
import triton.language as tl


@triton.jit
def counted(out, x):
    one = tl.load(x)
    tl.atomic_add(out, 1, sem="relaxed")
    # CHECK: redux.sync.add.s32
    # CHECK-NOT: redux.sync.add.s32
    lanes = tl.inline_asm_elementwise("redux.sync.add.s32 $0, $1, 0xffffffff;", "=r,r", [one], dtype=tl.int32, is_pure=False, pack=1)
    tl.atomic_add(out + 1, lanes, sem="relaxed")


# RUN: nereid compile %s -n hoisted -s "*fp32:16, *fp32:16, i32" --target sm_90a --emit ptx | FileCheck %s --check-prefix=MOVES
# What each lane does by itself moves out of a loop.
@triton.jit
def hoisted(out, x, n):
    lane = tl.arange(0, 128)
    # MOVES: tanh.approx
    # MOVES: $L__BB
    # MOVES-NOT: tanh.approx
    value = tl.load(x + lane)
    total = tl.zeros((128, ), tl.float32)
    for i in range(n):
        rough = tl.inline_asm_elementwise("tanh.approx.f32 $0, $1;", "=f,f", [value], dtype=tl.float32, is_pure=True, pack=1)
        total += rough * i
    tl.store(out + lane, total)
