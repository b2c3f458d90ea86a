# RUN: nereid compile %s -n offsets -s "*fp32, u32, i32" --emit tile | FileCheck %s
# Offsets count as signed, so a narrow unsigned one is widened with zeros; a signed one stays as it is.
import triton
import triton.language as tl


# CHECK-LABEL: func.func @offsets
# CHECK-SAME: %[[P:.*]]: !tile.ptr<f32> {{.*}}, %[[U:.*]]: i32 {{.*}}, %[[S:.*]]: i32
@triton.jit
def offsets(p, u, s):
    # CHECK: %[[WIDE:.*]] = arith.extui %[[U]] : i32 to i64
    # CHECK: tile.addptr %[[P]], %[[WIDE]] : !tile.ptr<f32>, i64
    x = tl.load(p + u)
    # CHECK: tile.addptr %[[P]], %[[S]] : !tile.ptr<f32>, i32
    y = tl.load(p + s)
    # CHECK: %[[MINUS:.*]] = arith.subi %{{.*}}, %[[S]] : i32
    # CHECK: tile.addptr %[[P]], %[[MINUS]]
    tl.store(p - s, x + y)
