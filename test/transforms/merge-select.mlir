// RUN: nereid-opt %s -tile-merge-select | FileCheck %s

// CHECK-LABEL: func.func @merges
func.func @merges(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<8xi1>, %zero: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[V:.*]] = tile.load %arg0 mask %arg1 : tensor<8xi1> other %arg2 : tensor<8xf32>
  // CHECK-NEXT: return %[[V]]
  %v = tile.load %p mask %m : tensor<8xi1> : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  %w = arith.select %m, %v, %zero : tensor<8xi1>, tensor<8xf32>
  return %w : tensor<8xf32>
}

// Another mask leaves lanes undefined: nothing to merge.
// CHECK-LABEL: func.func @another_mask
func.func @another_mask(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<8xi1>, %n: tensor<8xi1>, %zero: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: arith.select
  %v = tile.load %p mask %m : tensor<8xi1> : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  %w = arith.select %n, %v, %zero : tensor<8xi1>, tensor<8xf32>
  return %w : tensor<8xf32>
}

// Somebody else sees the undefined lanes.
// CHECK-LABEL: func.func @another_use
func.func @another_use(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<8xi1>, %zero: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: arith.select
  %v = tile.load %p mask %m : tensor<8xi1> : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  %w = arith.select %m, %v, %zero : tensor<8xi1>, tensor<8xf32>
  return %v, %w : tensor<8xf32>, tensor<8xf32>
}

// The value comes into being only after the load.
// CHECK-LABEL: func.func @too_late
func.func @too_late(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<8xi1>, %x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: arith.select
  %v = tile.load %p mask %m : tensor<8xi1> : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  %y = arith.negf %x : tensor<8xf32>
  %w = arith.select %m, %v, %y : tensor<8xi1>, tensor<8xf32>
  return %w : tensor<8xf32>
}
