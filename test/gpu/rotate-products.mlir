// RUN: nereid-opt %S/Inputs/attention.mlir -warp-specialize-attention="target=sm_90a warps=8 stages=2" -canonicalize \
// RUN:   -warp-stage-operands="target=sm_90a warps=8" -warp-assign-layouts="target=sm_90a warps=8" -warp-rotate-products | FileCheck %s

// The first iteration has the first product alone; then the second one of the iteration before stands behind the first one.
// CHECK: } consumer {
// CHECK: scf.if
// CHECK: %[[S0:.*]] = tile.dot
// CHECK: math.exp2 %[[S0]]
// CHECK: scf.for
// CHECK: %[[S:.*]] = tile.dot
// CHECK-NOT: math.exp2
// CHECK: %[[O:.*]] = tile.dot
// CHECK: %[[DONE:.*]]:2 = warp.await 0 for %[[O]], %[[S]]
// CHECK: math.exp2 %[[DONE]]#1
// CHECK: scf.yield
// CHECK: tile.dot
