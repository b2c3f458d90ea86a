// RUN: nereid-opt %S/Inputs/blocks.mlir -warp-pipeline-loops="target=sm_90a stages=3" -warp-verify-flight -o /dev/null
// RUN: nereid-opt %S/Inputs/blocks.mlir -warp-specialize-warps="target=sm_90a warps=8" -warp-store-blocks="target=sm_90a warps=8" -warp-verify-flight -o /dev/null
// RUN: nereid-opt %S/Inputs/attention.mlir -warp-plan="target=sm_90a warps=8 stages=2" -o /dev/null
// RUN: nereid-opt %s -warp-verify-flight | FileCheck %s
// What is wrong is in invalid/flight-*.mlir. This is right: two slots, one tile ahead; nothing changes.

// CHECK-LABEL: func.func @ahead
// CHECK: warp.copy_async
// CHECK: warp.wait 0
func.func @ahead(%p: tensor<64x64x!tile.ptr<f16>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %buffer = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %first = arith.cmpi slt, %c0, %n : i32
  warp.copy_async %p, %buffer[%c0] when %first : tensor<64x64x!tile.ptr<f16>>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.commit
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%slot = %c0) -> (i32) : i32 {
    warp.wait 0
    %other = arith.subi %c1, %slot : i32
    %later = arith.addi %i, %c1 : i32
    %more = arith.cmpi slt, %later, %n : i32
    warp.copy_async %p, %buffer[%other] when %more : tensor<64x64x!tile.ptr<f16>>, <[64, 64] x f16, 2, fast 1, swizzle 128>
    warp.commit
    %x = warp.read %buffer[%slot] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
    %y = arith.addf %x, %x : tensor<64x64xf16>
    scf.yield %other : i32
  }
  warp.release %buffer : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}
