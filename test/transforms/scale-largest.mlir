// RUN: nereid-opt %s -tile-scale-largest | FileCheck %s

// The scores of attention: the largest of a row is multiplied alone, and what is left of the products is subtracted from.
// CHECK-LABEL: func.func @scores
func.func @scores(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  // CHECK: %[[S:.*]] = arith.mulf %arg0, %{{.*}} : tensor<4x64xf32>
  // CHECK: %[[L:.*]] = tile.reduce %arg0 {axis = 1 : i32}
  // CHECK: %[[C:.*]] = arith.constant dense<1.44269502> : tensor<4xf32>
  // CHECK: %[[M:.*]] = arith.mulf %[[L]], %[[C]] : tensor<4xf32>
  // CHECK: tile.expand_dims %[[M]]
  // CHECK: arith.subf %[[S]]
  %c = arith.constant dense<1.44269502> : tensor<4x64xf32>
  %s = arith.mulf %x, %c : tensor<4x64xf32>
  %m = tile.reduce %s {axis = 1 : i32} : (tensor<4x64xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    %r = arith.maxnumf %a, %b : f32
    tile.yield %r : f32
  }
  %e = tile.expand_dims %m {axis = 1 : i32} : tensor<4xf32> -> tensor<4x1xf32>
  %w = tile.broadcast %e : tensor<4x1xf32> -> tensor<4x64xf32>
  %d = arith.subf %s, %w : tensor<4x64xf32>
  return %d : tensor<4x64xf32>
}

// A tile of one axis gives a number.
// CHECK-LABEL: func.func @number
func.func @number(%x: tensor<64xf32>) -> f32 {
  // CHECK: %[[L:.*]] = tile.reduce %arg0
  // CHECK: %[[C:.*]] = arith.constant 2.500000e-01 : f32
  // CHECK: arith.mulf %[[L]], %[[C]] : f32
  %c = arith.constant dense<0.25> : tensor<64xf32>
  %s = arith.mulf %x, %c : tensor<64xf32>
  %m = tile.reduce %s {axis = 0 : i32} : (tensor<64xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %r = arith.minimumf %a, %b : f32
    tile.yield %r : f32
  }
  return %m : f32
}

// By a negative number the largest becomes the least.
// CHECK-LABEL: func.func @negative
func.func @negative(%x: tensor<64xf32>) -> f32 {
  // CHECK: %[[S:.*]] = arith.mulf
  // CHECK: tile.reduce %[[S]]
  %c = arith.constant dense<-2.0> : tensor<64xf32>
  %s = arith.mulf %x, %c : tensor<64xf32>
  %m = tile.reduce %s {axis = 0 : i32} : (tensor<64xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %r = arith.maxnumf %a, %b : f32
    tile.yield %r : f32
  }
  return %m : f32
}

// The sum of products is rounded in another way than the product of the sum.
// CHECK-LABEL: func.func @sum
func.func @sum(%x: tensor<64xf32>) -> f32 {
  // CHECK: %[[S:.*]] = arith.mulf
  // CHECK: tile.reduce %[[S]]
  %c = arith.constant dense<2.0> : tensor<64xf32>
  %s = arith.mulf %x, %c : tensor<64xf32>
  %m = tile.reduce %s {axis = 0 : i32} : (tensor<64xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    tile.yield %r : f32
  }
  return %m : f32
}

// The products are stored: there is nothing to save.
// CHECK-LABEL: func.func @stored
func.func @stored(%x: tensor<64xf32>, %p: tensor<64x!tile.ptr<f32>>) -> f32 {
  // CHECK: %[[S:.*]] = arith.mulf
  // CHECK: tile.reduce %[[S]]
  %c = arith.constant dense<2.0> : tensor<64xf32>
  %s = arith.mulf %x, %c : tensor<64xf32>
  tile.store %p, %s : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  %m = tile.reduce %s {axis = 0 : i32} : (tensor<64xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %r = arith.maxnumf %a, %b : f32
    tile.yield %r : f32
  }
  return %m : f32
}

// An eighth, a mask, and the base of the exponential: one factor.
// CHECK-LABEL: func.func @merged
func.func @merged(%x: tensor<4x64xf32>, %mask: tensor<4x64xi1>, %w: tensor<4x64xf32>) -> (tensor<4x64xf32>, tensor<4xf32>) {
  // CHECK: %[[U:.*]] = arith.select %arg1, %arg0, %{{.*}}
  // CHECK: %[[C:.*]] = arith.constant dense<1.875000e-01> : tensor<4x64xf32>
  // CHECK: %[[S:.*]] = arith.mulf %[[U]], %[[C]]
  // CHECK: %[[L:.*]] = tile.reduce %[[U]]
  // CHECK: arith.mulf %[[L]], %{{.*}} : tensor<4xf32>
  // CHECK: arith.subf %[[S]], %arg2
  %eighth = arith.constant dense<0.125> : tensor<4x64xf32>
  %c = arith.constant dense<1.5> : tensor<4x64xf32>
  %low = arith.constant dense<0xFF800000> : tensor<4x64xf32>
  %t = arith.mulf %x, %eighth : tensor<4x64xf32>
  %u = arith.select %mask, %t, %low : tensor<4x64xi1>, tensor<4x64xf32>
  %s = arith.mulf %u, %c : tensor<4x64xf32>
  %m = tile.reduce %s {axis = 1 : i32} : (tensor<4x64xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    %r = arith.maxnumf %a, %b : f32
    tile.yield %r : f32
  }
  %d = arith.subf %s, %w : tensor<4x64xf32>
  return %d, %m : tensor<4x64xf32>, tensor<4xf32>
}

// Two roundings are not one.
// CHECK-LABEL: func.func @rounded
func.func @rounded(%x: tensor<64xf32>, %w: tensor<64xf32>) -> tensor<64xf32> {
  // CHECK: %[[T:.*]] = arith.mulf %arg0
  // CHECK: %[[S:.*]] = arith.mulf %[[T]]
  // CHECK: arith.subf %[[S]]
  %tenth = arith.constant dense<0.1> : tensor<64xf32>
  %c = arith.constant dense<1.5> : tensor<64xf32>
  %t = arith.mulf %x, %tenth : tensor<64xf32>
  %s = arith.mulf %t, %c : tensor<64xf32>
  %d = arith.subf %s, %w : tensor<64xf32>
  return %d : tensor<64xf32>
}

// Of exponentials nobody has the last bit.
// CHECK-LABEL: func.func @exponentials
func.func @exponentials(%x: tensor<64xf32>, %w: tensor<64xf32>) -> tensor<64xf32> {
  // CHECK: %[[C:.*]] = arith.constant dense<1.500000e-01> : tensor<64xf32>
  // CHECK: %[[S:.*]] = arith.mulf %arg0, %[[C]]
  // CHECK: arith.subf %[[S]]
  %tenth = arith.constant dense<0.1> : tensor<64xf32>
  %c = arith.constant dense<1.5> : tensor<64xf32>
  %t = arith.mulf %x, %tenth : tensor<64xf32>
  %s = arith.mulf %t, %c : tensor<64xf32>
  %d = arith.subf %s, %w : tensor<64xf32>
  %e = math.exp2 %d : tensor<64xf32>
  return %e : tensor<64xf32>
}

// Masks in a mask, and a factor that makes numbers larger before one that makes none smaller.
// CHECK-LABEL: func.func @masks
func.func @masks(%x: tensor<64xf32>, %one: tensor<64xi1>, %two: tensor<64xi1>, %w: tensor<64xf32>) -> tensor<64xf32> {
  // CHECK: %[[U:.*]] = arith.select %arg1, %arg0, %{{.*}}
  // CHECK: %[[V:.*]] = arith.select %arg2, %[[U]], %{{.*}}
  // CHECK: %[[C:.*]] = arith.constant dense<3.000000e+01> : tensor<64xf32>
  // CHECK: %[[S:.*]] = arith.mulf %[[V]], %[[C]]
  // CHECK: arith.subf %[[S]]
  %twenty = arith.constant dense<20.0> : tensor<64xf32>
  %c = arith.constant dense<1.5> : tensor<64xf32>
  %low = arith.constant dense<0xFF800000> : tensor<64xf32>
  %t = arith.mulf %x, %twenty : tensor<64xf32>
  %u = arith.select %one, %t, %low : tensor<64xi1>, tensor<64xf32>
  %v = arith.select %two, %u, %low : tensor<64xi1>, tensor<64xf32>
  %s = arith.mulf %v, %c : tensor<64xf32>
  %d = arith.subf %s, %w : tensor<64xf32>
  %e = math.exp2 %d : tensor<64xf32>
  return %e : tensor<64xf32>
}

// What is infinite between the factors would not be behind them.
// CHECK-LABEL: func.func @infinite
func.func @infinite(%x: tensor<64xf32>, %w: tensor<64xf32>) -> tensor<64xf32> {
  // CHECK: %[[T:.*]] = arith.mulf %arg0
  // CHECK: %[[S:.*]] = arith.mulf %[[T]]
  // CHECK: arith.subf %[[S]]
  %twenty = arith.constant dense<20.0> : tensor<64xf32>
  %c = arith.constant dense<0.1> : tensor<64xf32>
  %t = arith.mulf %x, %twenty : tensor<64xf32>
  %s = arith.mulf %t, %c : tensor<64xf32>
  %d = arith.subf %s, %w : tensor<64xf32>
  %e = math.exp2 %d : tensor<64xf32>
  return %e : tensor<64xf32>
}
