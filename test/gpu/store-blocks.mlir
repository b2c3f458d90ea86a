// RUN: nereid-opt %S/Inputs/blocks.mlir -warp-store-blocks=target=sm_90a | FileCheck %s
// RUN: nereid-opt %S/Inputs/blocks.mlir -warp-specialize-warps="target=sm_90a warps=8" -warp-store-blocks="target=sm_90a warps=8" | FileCheck %s --check-prefix=PARTS

// The tile goes through a buffer of its own, which is free when the engine has read it.
// CHECK: %[[MAP:.*]] = warp.tensor_map
// CHECK: %[[BUFFER:.*]] = warp.alloc : <[128, 128] x f16, 1, fast 1, swizzle 128>
// CHECK: warp.store_block %{{.*}}, %[[BUFFER]], %[[MAP]]
// CHECK: warp.wait_stores
// CHECK: warp.release %[[BUFFER]]

// In a consumer the next tile is computed meanwhile: buffers are made in front, and stores are awaited at the end.
// PARTS: %[[BUFFER:.*]] = warp.alloc : <[128, 64] x f16, 2, fast 1, swizzle 128>
// PARTS: warp.specialize
// PARTS: warp.store_block %{{.*}}, %[[BUFFER]], {{.*}} {groups = 2 : i32, reused}
// PARTS: warp.wait_stores
// PARTS-NEXT: warp.done
// PARTS: warp.release %[[BUFFER]]
