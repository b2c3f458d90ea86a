# RUN: nereid compile %s -n product -s "*fp32, *u8" --emit tile | FileCheck %s
# The precision, the sign of 8-bit integers and more than one batch dimension reach the op.
import triton
import triton.language as tl


# CHECK-LABEL: func.func @product
@triton.jit
def product(p, q):
    i = tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :]
    a = tl.load(p + i)
    # CHECK: tile.dot {{.*}} {precision = #tile<precision tf32>} : tensor<32x32xf32>, tensor<32x32xf32>
    tf32 = tl.dot(a, a)
    # CHECK: tile.dot %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}} : tensor<32x32xf32>, tensor<32x32xf32>
    ieee = tl.dot(a, a, acc=tf32, input_precision="ieee")
    # CHECK: tile.dot {{.*}} {lhsUnsigned, {{.*}}rhsUnsigned} : tensor<32x32xi8>, tensor<32x32xi8> -> tensor<32x32xi32>
    bytes = tl.load(q + i)
    whole = tl.dot(bytes, bytes)
    # CHECK: tile.reshape {{.*}} -> tensor<4x16x16xf16>
    # CHECK: tile.dot {{.*}} -> tensor<4x16x16xf32>
    batched = tl.dot(tl.zeros((2, 2, 16, 16), tl.float16) + 1, tl.load(p + tl.arange(0, 1024)).reshape(2, 2, 16, 16).to(tl.float16))
    tl.store(p + i, ieee + whole.to(tl.float32) + tl.reshape(batched, 32, 32))
