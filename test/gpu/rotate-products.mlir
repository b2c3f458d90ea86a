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

// Blocks of 176 keys are three tiles: three products of each kind, and one wait for all of the second.
// RUN: nereid-opt %S/Inputs/attention_176.mlir -tile-split-extents -canonicalize -cse -warp-specialize-attention="target=sm_90a warps=8 stages=2" \
// RUN:   -canonicalize -warp-stage-operands="target=sm_90a warps=8" -warp-assign-layouts="target=sm_90a warps=8" -warp-rotate-products | FileCheck %s --check-prefix=UNEVEN
// UNEVEN: } consumer {
// UNEVEN: scf.for
// UNEVEN: %[[S0:.*]] = tile.dot {{.*}} -> tensor<128x128xf32
// UNEVEN: %[[S1:.*]] = tile.dot {{.*}} -> tensor<128x32xf32
// UNEVEN: %[[S2:.*]] = tile.dot {{.*}} -> tensor<128x16xf32
// UNEVEN-NOT: math.exp2
// UNEVEN: %[[O0:.*]] = tile.dot {{.*}} -> tensor<128x64xf32
// UNEVEN: %[[O1:.*]] = tile.dot {{.*}}, %[[O0]] {{.*}} -> tensor<128x64xf32
// UNEVEN: %[[O2:.*]] = tile.dot {{.*}}, %[[O1]] {{.*}} -> tensor<128x64xf32
// UNEVEN: %[[DONE:.*]]:4 = warp.await 0 for %[[O2]], %[[S0]], %[[S1]], %[[S2]]
// UNEVEN: math.exp2 %[[DONE]]#1
// UNEVEN: scf.yield
// UNEVEN-COUNT-3: tile.dot
