# RUN: not nereid compile %s -n kernel -s "*u8, *bf16, *bf16" --target cpu --emit asm 2>&1 | FileCheck %s
# Assembly for a GPU is refused where it stands, and what uses its results is left alone.
import triton
import triton.language as tl


@triton.jit
def unpacked(packed):
    # CHECK: inline_assembly.py:[[# @LINE + 2]]:{{[0-9]+}}: error: inline assembly is written for the GPU and does not run on the CPU
    # CHECK-NEXT: note: the interpreter runs it: `TRITON_INTERPRET=1`, or `--device interp`
    a, b = tl.inline_asm_elementwise("mov.b32 $0, $4; mov.b32 $1, $4; mov.b32 $2, $4; mov.b32 $3, $4;", "=r,=r,=r,=r,r", [packed],
                                     dtype=(tl.bfloat16, tl.bfloat16), is_pure=True, pack=4)
    return tl.join(a, b).reshape(16, 8, 4, 2).trans(0, 1, 3, 2).reshape(16, 64)


@triton.jit
def kernel(x, y, out):
    rows, columns = tl.arange(0, 16), tl.arange(0, 32)
    sum = tl.zeros([16, 16], tl.float32)
    for k in range(4):
        packed = tl.load(x + k * 512 + rows[:, None] * 32 + columns[None, :])
        scale = tl.load(y + k * 32 + tl.arange(0, 16)[:, None] * 2 + tl.arange(0, 2)[None, :])
        both = unpacked(packed).reshape(16, 2, 32) * scale[:, :, None]
        turned = both.reshape(4, 4, 64).trans(1, 0, 2).reshape(16, 64).trans()
        other = tl.load(y + tl.arange(0, 16)[:, None] * 64 + tl.arange(0, 64)[None, :])
        sum = tl.dot(other, turned, sum)
    tl.store(out + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :], sum)
