// RUN: nereid-opt %s -warp-stage-operands=target=sm_90a | FileCheck %s
// RUN: nereid-opt %s -warp-stage-operands="target=sm_90a stages-late=true" | FileCheck %s --check-prefix=LATE
// RUN: nereid-opt %s -warp-stage-operands=target=sm_80 | FileCheck %s --check-prefix=AMPERE

// What is multiplied in a loop and does not change in it is stored once, in front of it.
// CHECK-LABEL: func.func @outside
// CHECK: %[[B:.*]] = warp.alloc : <[64, 64] x f16, 1, fast 0, swizzle 128>
// CHECK: warp.store %arg1, %[[B]]
// CHECK: scf.for
// CHECK: %[[RHS:.*]] = warp.read %[[B]]
// CHECK: tile.dot %{{.*}}, %[[RHS]]
// CHECK: warp.release %[[B]]
// LATE-LABEL: func.func @outside
// LATE-NOT: warp.alloc
// LATE: scf.for
// LATE-COUNT-2: warp.store
// AMPERE-LABEL: func.func @outside
// AMPERE-NOT: warp.
func.func @outside(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %c: tensor<64x64xf32>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32>) : i32 {
    %next = tile.dot %a, %b, %acc {precision = #tile<precision tf32>} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  return %sum : tensor<64x64xf32>
}

// A left operand that comes out of another product stays in registers.
// CHECK-LABEL: func.func @chain
// CHECK-COUNT-3: warp.store
// CHECK-NOT: warp.store
// CHECK: return
// AMPERE-LABEL: func.func @chain
// AMPERE-COUNT-3: warp.store
// AMPERE-NOT: warp.store
// AMPERE: return
func.func @chain(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %v: tensor<64x64xf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %s = tile.dot %a, %b, %c {precision = #tile<precision tf32>} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  %p = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
  %o = tile.dot %p, %v, %c {precision = #tile<precision tf32>} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  return %o : tensor<64x64xf32>
}

// A left operand that is computed out of a buffer is read into registers; the right one must be stored.
// AMPERE-LABEL: func.func @converted
// CHECK-LABEL: func.func @converted
// CHECK: %[[A:.*]] = arith.extf
// CHECK: %[[BUFFER:.*]] = warp.alloc : <[64, 64] x f32, 1, fast 0, swizzle 128>
// CHECK: warp.store %{{.*}}, %[[BUFFER]]
// CHECK-NOT: warp.store
// CHECK: tile.dot %[[A]]
func.func @converted(%c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %a = warp.alloc : <[64, 64] x f16, 1, fast 1, swizzle 128>
  %b = warp.alloc : <[64, 64] x f16, 1, fast 1, swizzle 128>
  %x = warp.read %a[%c0] : <[64, 64] x f16, 1, fast 1, swizzle 128> -> tensor<64x64xf16>
  %y = warp.read %b[%c0] : <[64, 64] x f16, 1, fast 1, swizzle 128> -> tensor<64x64xf16>
  %wide = arith.extf %x : tensor<64x64xf16> to tensor<64x64xf32>
  %right = arith.extf %y : tensor<64x64xf16> to tensor<64x64xf32>
  %d = tile.dot %wide, %right, %c {precision = #tile<precision tf32>} : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}

// Operands that would take most registers of mma.sync's threads are read anew by each iteration.
// AMPERE-LABEL: func.func @large
// AMPERE-COUNT-2: warp.store
// AMPERE: scf.for
// AMPERE-COUNT-2: warp.read
// AMPERE-NEXT: tile.dot
func.func @large(%a: tensor<128x128xf16>, %b: tensor<128x128xf16>, %c: tensor<128x128xf32>, %n: i32) -> tensor<128x128xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<128x128xf32>) : i32 {
    %next = tile.dot %a, %b, %acc {precision = #tile<precision tf32>} : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  return %sum : tensor<128x128xf32>
}

// Out of bytes it is stored again: a lane would read two of them at a time.
// CHECK-LABEL: func.func @bytes
// CHECK: warp.store %{{.*}} : tensor<64x64xbf16>
// CHECK: warp.store %{{.*}} : tensor<64x64xbf16>
// CHECK: tile.dot
func.func @bytes(%b: tensor<64x64xbf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %a = warp.alloc : <[64, 64] x f8E4M3FN, 1, fast 1, swizzle 64>
  %x = warp.read %a[%c0] : <[64, 64] x f8E4M3FN, 1, fast 1, swizzle 64> -> tensor<64x64xf8E4M3FN>
  %wide = arith.extf %x : tensor<64x64xf8E4M3FN> to tensor<64x64xbf16>
  %d = tile.dot %wide, %b, %c {precision = #tile<precision tf32>} : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}

// mma.sync reads what lies in a buffer from there, along either axis.
// AMPERE-LABEL: func.func @there
// AMPERE-NOT: warp.store
// AMPERE: return
func.func @there(%c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %a = warp.alloc : <[64, 32] x f32, 1, fast 1, swizzle 128>
  %b = warp.alloc : <[32, 64] x f32, 1, fast 1, swizzle 128>
  %x = warp.read %a[%c0] : <[64, 32] x f32, 1, fast 1, swizzle 128> -> tensor<64x32xf32>
  %y = warp.read %b[%c0] : <[32, 64] x f32, 1, fast 1, swizzle 128> -> tensor<32x64xf32>
  %d = tile.dot %x, %y, %c {precision = #tile<precision tf32>} : tensor<64x32xf32>, tensor<32x64xf32> -> tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}
