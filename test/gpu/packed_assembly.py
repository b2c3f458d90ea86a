# RUN: nereid compile %s -n product -s "*bf16:16, *u8:16, *fp32:16, i32" --target sm_90a --emit gpu | FileCheck %s
# Inline assembly that takes four elements at once gets neighbours along the last axis, whatever order the product behind it has its
# operand in: the bytes are read from shared memory with runs in the registers.
import triton
import triton.language as tl


@triton.jit
def product(a, b, out, count):
    i, j, k = tl.arange(0, 64), tl.arange(0, 64), tl.arange(0, 64)
    sum = tl.zeros((64, 64), tl.float32)
    for step in range(count):
        left = tl.load(a + i[:, None] * 64 + k[None, :] + step * 4096)
        bytes = tl.load(b + j[:, None] * 32 + tl.arange(0, 32)[None, :] + step * 2048)
        # CHECK: tile.inline_asm {{.*}} pack 4 {{.*}} : (tensor<64x32xi8, #warp.layout<"64x32: register 1..{{(2|4|8|16)}}@1
        low, high = tl.inline_asm_elementwise("prmt.b32 $0, $4, 0, 0x5140; prmt.b32 $1, $4, 0, 0x7362; shl.b32 $2, $0, 4; shl.b32 $3, $1, 4;",
                                              "=r,=r,=r,=r,r", [bytes], (tl.bfloat16, tl.bfloat16), True, 4)
        right = tl.join(low, high).reshape(64, 8, 4, 2).trans(0, 1, 3, 2).reshape(64, 64)
        sum = tl.dot(left, right.trans(), sum)
    tl.store(out + i[:, None] * 64 + j[None, :], sum)
