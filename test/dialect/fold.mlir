// What folds away.
// RUN: nereid-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @zero_offset
func.func @zero_offset(%p: !tile.ptr<f32>) -> !tile.ptr<f32> {
  %zero = arith.constant 0 : i32
  // CHECK-NOT: addptr
  %q = tile.addptr %p, %zero : !tile.ptr<f32>, i32
  %r = tile.ptr_cast %q : !tile.ptr<f32> -> !tile.ptr<f32>
  return %r : !tile.ptr<f32>
}

// CHECK-LABEL: func.func @constants
func.func @constants() -> tensor<2x4xf32> {
  // CHECK: %[[C:.*]] = arith.constant dense<2.000000e+00> : tensor<2x4xf32>
  // CHECK-NEXT: return %[[C]]
  %two = arith.constant 2.0 : f32
  %a = tile.splat %two : f32 -> tensor<4xf32>
  %b = tile.expand_dims %a {axis = 0 : i32} : tensor<4xf32> -> tensor<1x4xf32>
  %c = tile.broadcast %b : tensor<1x4xf32> -> tensor<2x4xf32>
  %d = tile.reshape %c : tensor<2x4xf32> -> tensor<4x2xf32>
  %e = tile.trans %d {order = array<i32: 1, 0>} : tensor<4x2xf32> -> tensor<2x4xf32>
  return %e : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @identities
func.func @identities(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // CHECK-NEXT: return %arg0
  %a = tile.broadcast %x : tensor<2x4xf32> -> tensor<2x4xf32>
  %b = tile.reshape %a : tensor<2x4xf32> -> tensor<2x4xf32>
  %c = tile.trans %b {order = array<i32: 0, 1>} : tensor<2x4xf32> -> tensor<2x4xf32>
  return %c : tensor<2x4xf32>
}

// A volatile load stays, another unused one goes.
// CHECK-LABEL: func.func @dead_loads
func.func @dead_loads(%p: !tile.ptr<f32>) {
  // CHECK-COUNT-1: tile.load
  // CHECK-NOT: tile.load
  %a = tile.load %p : !tile.ptr<f32> -> f32
  %b = tile.load %p {isVolatile} : !tile.ptr<f32> -> f32
  return
}
