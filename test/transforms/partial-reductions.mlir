// RUN: nereid-opt %s -tile-partial-reductions=lanes=16 | FileCheck %s

// CHECK-LABEL: func.func @sum
func.func @sum(%base: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %start: tensor<4xf32>, %n: i32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %columns = tile.arange 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %columns {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %offsets = tile.broadcast %row : tensor<1x64xi32> -> tensor<4x64xi32>
  %bases = tile.splat %base : !tile.ptr<f32> -> tensor<4x64x!tile.ptr<f32>>
  %p = tile.addptr %bases, %offsets : tensor<4x64x!tile.ptr<f32>>, tensor<4x64xi32>
  // CHECK: %[[ZERO:.*]] = arith.constant dense<-0.000000e+00> : tensor<4x16xf32>
  // CHECK: %[[MANY:.*]] = scf.for {{.*}} iter_args(%[[SUMS:.*]] = %[[ZERO]]) -> (tensor<4x16xf32>)
  // CHECK: %[[STRIPS:.*]] = tile.reshape {{.*}} tensor<4x64xf32> -> tensor<4x4x16xf32>
  // CHECK: %[[PART:.*]] = tile.reduce %[[STRIPS]] {axis = 1 : i32} : (tensor<4x4x16xf32>) -> tensor<4x16xf32>
  // CHECK: arith.addf %[[SUMS]], %[[PART]] : tensor<4x16xf32>
  // CHECK: %[[ALL:.*]] = tile.reduce %[[MANY]] {axis = 1 : i32} : (tensor<4x16xf32>) -> tensor<4xf32>
  // CHECK: %[[SUM:.*]] = arith.addf %arg1, %[[ALL]] : tensor<4xf32>
  // CHECK: return %[[SUM]]
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %start) -> (tensor<4xf32>) : i32 {
    %x = tile.load %p : tensor<4x64x!tile.ptr<f32>> -> tensor<4x64xf32>
    %r = tile.reduce %x {axis = 1 : i32} : (tensor<4x64xf32>) -> tensor<4xf32> {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tile.yield %s : f32
    }
    %next = arith.addf %acc, %r : tensor<4xf32>
    scf.yield %next : tensor<4xf32>
  }
  return %sum : tensor<4xf32>
}

// The largest, of which the sum is taken: another combination.
// CHECK-LABEL: func.func @sum_of_largest
func.func @sum_of_largest(%p: tensor<4x64x!tile.ptr<f32>>, %start: tensor<4xf32>, %n: i32) -> tensor<4xf32> {
  // CHECK-NOT: tile.reshape
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %start) -> (tensor<4xf32>) : i32 {
    %x = tile.load %p : tensor<4x64x!tile.ptr<f32>> -> tensor<4x64xf32>
    %r = tile.reduce %x {axis = 1 : i32} : (tensor<4x64xf32>) -> tensor<4xf32> {
    ^bb0(%a: f32, %b: f32):
      %s = arith.maxnumf %a, %b : f32
      tile.yield %s : f32
    }
    %next = arith.addf %acc, %r : tensor<4xf32>
    scf.yield %next : tensor<4xf32>
  }
  return %sum : tensor<4xf32>
}

// Rows that are not known to lie along memory.
// CHECK-LABEL: func.func @scattered
func.func @scattered(%p: tensor<4x64x!tile.ptr<f32>>, %start: tensor<4xf32>, %n: i32) -> tensor<4xf32> {
  // CHECK-NOT: tile.reshape
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %start) -> (tensor<4xf32>) : i32 {
    %x = tile.load %p : tensor<4x64x!tile.ptr<f32>> -> tensor<4x64xf32>
    %r = tile.reduce %x {axis = 1 : i32} : (tensor<4x64xf32>) -> tensor<4xf32> {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tile.yield %s : f32
    }
    %next = arith.addf %acc, %r : tensor<4xf32>
    scf.yield %next : tensor<4xf32>
  }
  return %sum : tensor<4xf32>
}
