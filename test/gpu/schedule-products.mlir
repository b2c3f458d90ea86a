// RUN: nereid-opt %S/Inputs/attention.mlir -warp-pipeline-loops="target=sm_90a warps=8 stages=2" -canonicalize \
// RUN:   -warp-stage-operands="target=sm_90a warps=8" -warp-assign-layouts="target=sm_90a warps=8" -warp-schedule-products | FileCheck %s

// The product of the iteration before is awaited only where something touches its result.
// CHECK: scf.for {{.*}} iter_args(%[[CARRIED:[a-z0-9]+]] =
// CHECK: %[[S:.*]] = tile.dot {{.*}}warp.async
// CHECK: %[[DONE:.*]]:2 = warp.await 0 for %[[CARRIED]], %[[S]]
// CHECK: math.exp2 %[[DONE]]#1
// CHECK: arith.mulf %[[DONE]]#0
// CHECK: %[[O:.*]] = tile.dot {{.*}}warp.async
// CHECK-NOT: warp.await
// CHECK: scf.yield %[[O]]
// CHECK: warp.drain
