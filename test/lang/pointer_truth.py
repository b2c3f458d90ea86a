# RUN: nereid compile %s -n optional -s "*fp32, *fp32, i32" --emit tile | FileCheck %s
# A pointer in `and`, `or`, `not` says whether there is one: kernels with optional outputs are written so.
import triton
import triton.language as tl


# CHECK-LABEL: func.func @optional
@triton.jit
def optional(out, bias, n):
    row = tl.program_id(0)
    # CHECK: %[[ADDRESS:.*]] = tile.ptr_to_int %arg1
    # CHECK: %[[THERE:.*]] = arith.cmpi ne, %[[ADDRESS]]
    # CHECK: arith.andi %[[THERE]]
    if bias and row == 0:
        tl.store(bias, 1.0)
    # CHECK: %[[OTHER:.*]] = arith.cmpi ne, %{{.*}}, %c0_i64
    # CHECK: arith.ori %{{.*}}, %[[OTHER]]
    if n > 3 or out:
        tl.store(out + row, 2.0)
    # CHECK: arith.cmpi eq, %[[ADDRESS]], %c0_i64
    if not bias:
        tl.store(out, 3.0)
