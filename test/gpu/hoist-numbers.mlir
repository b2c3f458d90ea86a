// RUN: nereid-opt %s -warp-hoist-numbers="target=sm_90a" | FileCheck %s

// How many blocks a second loop has is asked for at the start, before the tile that the first one waits for.
// CHECK-LABEL: func.func @two_loops
func.func @two_loops(%x: tensor<64x64x!tile.ptr<f16>>, %counts: !tile.ptr<i32>, %places: !tile.ptr<i32>) -> tensor<64x64xf32> {
  // CHECK: %[[FIRST:.*]] = tile.load %arg1 :
  // CHECK: %[[NEXT:.*]] = tile.addptr %arg1
  // CHECK-NEXT: %[[SECOND:.*]] = tile.load %[[NEXT]]
  // CHECK: %[[WHERE:.*]] = tile.addptr %arg2, %[[SECOND]]
  // CHECK-NEXT: tile.load %[[WHERE]]
  // CHECK: tile.load %arg0
  // CHECK: scf.for {{.*}} to %[[FIRST]]
  // CHECK: scf.for {{.*}} to %[[SECOND]]
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant dense<0.0> : tensor<64x64xf32>
  %q = tile.load %x : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
  %n = tile.load %counts : !tile.ptr<i32> -> i32
  %a = scf.for %i = %zero to %n step %one iter_args(%sum = %start) -> (tensor<64x64xf32>) : i32 {
    %next = tile.dot %q, %q, %sum : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %later = tile.addptr %counts, %one : !tile.ptr<i32>, i32
  %m = tile.load %later : !tile.ptr<i32> -> i32
  %where = tile.addptr %places, %m : !tile.ptr<i32>, i32
  %place = tile.load %where : !tile.ptr<i32> -> i32
  %b = scf.for %i = %place to %m step %one iter_args(%sum = %a) -> (tensor<64x64xf32>) : i32 {
    %next = tile.dot %q, %q, %sum : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  return %b : tensor<64x64xf32>
}

// Not past a store, which may be to the same place, and not where there is no product.
// CHECK-LABEL: func.func @stored
func.func @stored(%x: tensor<64x64x!tile.ptr<f16>>, %counts: !tile.ptr<i32>, %n: i32) -> i32 {
  // CHECK: tile.store
  // CHECK: tile.load %arg1
  // CHECK: tile.dot
  %start = arith.constant dense<0.0> : tensor<64x64xf32>
  %q = tile.load %x : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
  tile.store %counts, %n : !tile.ptr<i32>, i32
  %p = tile.dot %q, %q, %start : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  %m = tile.load %counts : !tile.ptr<i32> -> i32
  %r = arith.truncf %p : tensor<64x64xf32> to tensor<64x64xf16>
  tile.store %x, %r : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xf16>
  return %m : i32
}
// CHECK-LABEL: func.func @no_product
func.func @no_product(%x: tensor<64x!tile.ptr<f32>>, %counts: !tile.ptr<i32>) -> (tensor<64xf32>, i32) {
  // CHECK: tile.load %arg0
  // CHECK: tile.load %arg1
  %v = tile.load %x : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %n = tile.load %counts : !tile.ptr<i32> -> i32
  return %v, %n : tensor<64xf32>, i32
}
