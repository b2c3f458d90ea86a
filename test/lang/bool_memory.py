# RUN: nereid compile %s -n negate -s "*i1, i32" --emit tile | FileCheck %s
# In memory a boolean is a byte: it is loaded as one, compared with zero, and stored as 0 or 1.
import triton
import triton.language as tl


# CHECK-LABEL: func.func @negate
@triton.jit
def negate(p, n):
    i = tl.arange(0, 64)
    # CHECK: tile.ptr_cast %{{.*}} : tensor<64x!tile.ptr<i1>> -> tensor<64x!tile.ptr<i8>>
    # CHECK: %[[BYTE:.*]] = tile.load
    # CHECK: %[[FLAG:.*]] = arith.cmpi ne, %[[BYTE]]
    flag = tl.load(p + i, mask=i < n, other=False)
    # CHECK: %[[NOT:.*]] = arith.xori %[[FLAG]]
    # CHECK: %[[OUT:.*]] = arith.extui %[[NOT]] : tensor<64xi1> to tensor<64xi8>
    # CHECK: tile.store %{{.*}}, %[[OUT]]
    tl.store(p + i, ~flag, mask=i < n)
