// RUN: nereid-opt %S/Inputs/blocks.mlir -warp-specialize-warps="target=sm_90a warps=8 stages=3" | FileCheck %s
// RUN: nereid-opt %S/Inputs/blocks.mlir -warp-specialize-warps="target=sm_80 warps=8 stages=3" | FileCheck %s --check-prefix=AMPERE

// Two tiles of operands in each slot; the producer waits until a slot is empty, the consumer until it is full.
// CHECK: %[[A:.*]] = warp.alloc : <[128, 64] x f16, 6, fast 1, swizzle 128>
// CHECK: %[[B:.*]] = warp.alloc : <[128, 64] x f16, 6, fast 1, swizzle 128>
// CHECK: %[[FULL:.*]] = warp.make_barriers 1 : <6>
// CHECK: %[[EMPTY:.*]] = warp.make_barriers 8 : <6>
// CHECK: warp.specialize producer {
// CHECK: scf.for
// CHECK: warp.wait_phase %[[EMPTY]]
// CHECK: warp.expect %[[FULL]]{{.*}}, 32768
// CHECK: warp.copy_block {{.*}} %[[A]], %[[FULL]]
// CHECK: warp.copy_block {{.*}} %[[B]], %[[FULL]]
// CHECK: } consumer {
// CHECK: scf.for
// CHECK: warp.wait_phase %[[FULL]]
// CHECK: warp.read %[[A]]
// CHECK: warp.read %[[B]]
// CHECK: tile.dot {{.*}}warp.async
// CHECK: warp.await 1
// CHECK: warp.arrive %[[EMPTY]]
// CHECK: warp.drain
// CHECK: warp.arrive %[[EMPTY]]
// CHECK: warp.release %[[A]]
// AMPERE-NOT: warp.specialize
