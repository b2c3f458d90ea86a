// RUN: nereid-opt %S/Inputs/attention.mlir -warp-specialize-attention="target=sm_90a warps=8 stages=2" | FileCheck %s
// RUN: nereid-opt %S/Inputs/attention.mlir -warp-specialize-attention="target=sm_90a warps=4 stages=2" | FileCheck %s --check-prefix=FOUR

// Slots for keys and slots for values, each with its own barriers.
// CHECK: %[[K:.*]] = warp.alloc
// CHECK: %[[KFULL:.*]] = warp.make_barriers 1 : <2>
// CHECK: %[[KEMPTY:.*]] = warp.make_barriers 8 : <2>
// CHECK: %[[V:.*]] = warp.alloc
// CHECK: %[[VFULL:.*]] = warp.make_barriers 1 : <2>
// CHECK: warp.specialize producer {
// CHECK: warp.copy_block {{.*}} %[[K]], %[[KFULL]]
// CHECK: warp.copy_block {{.*}} %[[V]], %[[VFULL]]
// CHECK: } consumer {
// CHECK: warp.wait_phase %[[KFULL]]
// CHECK: warp.read %[[K]]
// CHECK: tile.dot
// CHECK: warp.arrive %[[KEMPTY]]
// CHECK: warp.wait_phase %[[VFULL]]
// CHECK: tile.dot
// CHECK: warp.lag
// FOUR-NOT: warp.specialize
