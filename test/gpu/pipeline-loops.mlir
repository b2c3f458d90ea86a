// RUN: nereid-opt %s -warp-pipeline-loops="target=sm_80 stages=3" | FileCheck %s
// RUN: nereid-opt %s -warp-pipeline-loops="target=sm_80 stages=1" | FileCheck %s --check-prefix=ONE
// RUN: nereid-opt %S/Inputs/blocks.mlir -warp-pipeline-loops="target=sm_90a stages=3" | FileCheck %s --check-prefix=BLOCKS

// Three slots, two tiles ahead: two are asked for before the loop, and in each iteration one more. Its addresses are computed before the wait.
// CHECK-LABEL: func.func @product
// CHECK: %[[A:.*]] = warp.alloc : <[64, 64] x f16, 3, fast 1, swizzle 128>
// CHECK: warp.copy_async %{{.*}}, %[[A]][%c0{{.*}}] when
// CHECK: warp.commit
// CHECK: warp.copy_async %{{.*}}, %[[A]][%c1{{.*}}] when
// CHECK: warp.commit
// CHECK: scf.for
// CHECK: %[[FAR:.*]] = tile.addptr
// CHECK: warp.wait 1
// CHECK-NEXT: warp.copy_async %[[FAR]]
// CHECK: warp.commit
// CHECK: %[[X:.*]] = warp.read %[[A]]
// CHECK: tile.dot %[[X]]
// CHECK: warp.release %[[A]]
// ONE-NOT: warp.copy_async

// Blocks end a phase of the slot's barrier; the product goes on into the next iteration.
// BLOCKS: %[[BARRIERS:.*]] = warp.make_barriers 1 : <3>
// BLOCKS: warp.expect %[[BARRIERS]]
// BLOCKS: warp.copy_block
// BLOCKS: scf.for
// BLOCKS: warp.wait_phase %[[BARRIERS]]
// BLOCKS: tile.dot {{.*}}warp.async
// BLOCKS-NEXT: warp.await 1
// BLOCKS-NEXT: warp.barrier
// BLOCKS: warp.expect %[[BARRIERS]]
// BLOCKS: warp.copy_block
// BLOCKS: warp.drain
func.func @product(%base: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: tensor<64x64xf16>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %rows = arith.constant dense<4096> : tensor<64x1xi32>
  %lanes = tile.arange 0 to 64 : tensor<64xi32>
  %column = tile.expand_dims %lanes {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %row = tile.expand_dims %lanes {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %starts = arith.muli %column, %rows : tensor<64x1xi32>
  %bases = tile.splat %base : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
  %p0 = tile.addptr %bases, %starts : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
  %p1 = tile.broadcast %p0 : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
  %offsets = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %p = tile.addptr %p1, %offsets : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %sum = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %at = tile.splat %i : i32 -> tensor<64x64xi32>
    %q = tile.addptr %p, %at : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %a = tile.load %q : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
    %next = tile.dot %a, %b, %acc {precision = #tile<precision tf32>} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  return %sum : tensor<64x64xf32>
}
