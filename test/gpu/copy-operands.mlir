// RUN: nereid-opt %s -warp-copy-operands=target=sm_90a | FileCheck %s
// RUN: nereid-opt %s -warp-copy-operands="target=sm_90a stages-late=true" | FileCheck %s --check-prefix=AS-IT-WAS
// RUN: nereid-opt %s -warp-copy-operands=target=sm_80 | FileCheck %s --check-prefix=AMPERE
// AS-IT-WAS-NOT: warp.

// Both products' operands are under way before the first one; it waits for its own. What is loaded in front of the loop is waited for in it,
// and behind it, since it may run no iteration.
// CHECK-LABEL: func.func @chain
// CHECK: %[[Q:.*]] = warp.alloc : <[64, 64] x f16, 1, fast 1, swizzle 128>
// CHECK: warp.copy_async %{{.*}}, %[[Q]]
// CHECK-NEXT: warp.commit
// CHECK-NOT: warp.wait
// CHECK: scf.for
// CHECK: %[[K:.*]] = warp.alloc
// CHECK: warp.copy_async %{{.*}}, %[[K]]
// CHECK-NEXT: warp.commit
// CHECK: %[[V:.*]] = warp.alloc
// CHECK: warp.copy_async %{{.*}}, %[[V]]
// CHECK-NEXT: warp.commit
// CHECK: warp.wait 1
// CHECK-NEXT: warp.read
// CHECK: tile.dot
// CHECK: warp.release %[[K]]
// CHECK: warp.wait 0
// CHECK-NEXT: warp.read %[[V]]
// CHECK-NEXT: tile.dot
// CHECK-NEXT: warp.release %[[V]]
// CHECK: }
// CHECK-NEXT: warp.wait 0
// CHECK-NEXT: warp.release %[[Q]]
// mma.sync holds what the loop does not change in registers.
// AMPERE-LABEL: func.func @chain
// AMPERE-NOT: warp.copy_async
// AMPERE: scf.for
// AMPERE-COUNT-2: warp.copy_async
func.func @chain(%base: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
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
  %q = tile.load %p : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %k = tile.load %p : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
    %turned = tile.trans %k {order = array<i32: 1, 0>} : tensor<64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %q, %turned, %zero {precision = #tile<precision tf32>} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    %narrow = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
    %v = tile.load %p : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
    %next = tile.dot %narrow, %v, %acc {precision = #tile<precision tf32>} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  return %sum : tensor<64x64xf32>
}

// A copy may end late: not where the memory is written meanwhile, nor where somebody else wants the tile.
// CHECK-LABEL: func.func @written
// CHECK-NOT: warp.copy_async
// CHECK: return
func.func @written(%base: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %other: tensor<64x64xf16>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
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
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %a = tile.load %p : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
    %b = tile.load %p : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
    tile.store %p, %other : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xf16>
    %s = tile.dot %a, %b, %acc {precision = #tile<precision tf32>} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    %c = tile.load %p : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
    %more = arith.addf %c, %other : tensor<64x64xf16>
    %t = tile.dot %more, %c, %s {precision = #tile<precision tf32>} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  return %sum : tensor<64x64xf32>
}

// One product alone: there is nothing to do meanwhile.
// CHECK-LABEL: func.func @alone
// CHECK-NOT: warp.copy_async
// CHECK: return
func.func @alone(%p: tensor<64x64x!tile.ptr<f16>> {tile.divisibility = 16 : i32}, %other: tensor<64x64xf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %a = tile.load %p : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
  %s = tile.dot %a, %other, %c {precision = #tile<precision tf32>} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  return %s : tensor<64x64xf32>
}
