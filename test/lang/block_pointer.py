# RUN: nereid compile %s -n copy -s "*fp16, *fp16, i32, i32" --emit tile | FileCheck %s
# A block pointer becomes a tile of pointers; the mask covers the checked dimensions only, and padding is zero.
import triton
import triton.language as tl


# CHECK-LABEL: func.func @copy
@triton.jit
def copy(x, y, rows, columns):
    # CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<8x16xf16>
    # CHECK-DAG: %[[I:.*]] = tile.arange 0 to 8
    # CHECK-DAG: %[[J:.*]] = tile.arange 0 to 16
    p = tl.make_block_ptr(x, (rows, columns), (columns, 1), (0, 16), (8, 16), (1, 0))
    q = tl.make_block_ptr(y, (rows, columns), (columns, 1), (0, 16), (8, 16), (1, 0))
    # CHECK: %[[MASK:.*]] = tile.broadcast %{{.*}} : tensor<8x1xi1> -> tensor<8x16xi1>
    # CHECK: tile.load %{{.*}} mask %[[MASK]] : tensor<8x16xi1> other %[[ZERO]]
    block = tl.load(p, boundary_check=(0, ))
    # CHECK: tile.store %{{.*}}, %{{.*}} : tensor<8x16x!tile.ptr<f16>>, tensor<8x16xf16>
    tl.store(q, block)
