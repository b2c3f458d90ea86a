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
