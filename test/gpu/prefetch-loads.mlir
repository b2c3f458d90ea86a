// RUN: nereid-opt %s -warp-prefetch-loads=stages=3 | FileCheck %s
// RUN: nereid-opt %s -warp-prefetch-loads=stages=1 | FileCheck %s --check-prefix=ONE

// CHECK-LABEL: func.func @rows
// CHECK: %[[FIRST:.*]] = tile.load
// CHECK: scf.for {{.*}} iter_args({{.*}}, %[[ROW:.*]] = %[[FIRST]])
// CHECK: %[[NEXT:.*]] = tile.load
// CHECK: tile.reduce %[[ROW]]
// CHECK: scf.yield %{{.*}}, %[[NEXT]]
// ONE-LABEL: func.func @rows
// ONE: scf.for
// ONE: tile.load
func.func @rows(%base: !tile.ptr<f32>, %n: i32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %bases = tile.splat %base : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f32) : i32 {
    %offset = tile.splat %i : i32 -> tensor<128xi32>
    %p = tile.addptr %bases, %offset : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %x = tile.load %p : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
    %total = tile.reduce %x {axis = 0 : i32} : (tensor<128xf32>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.maxnumf %a, %b : f32
      tile.yield %c : f32
    }
    %next = arith.addf %acc, %total : f32
    scf.yield %next : f32
  }
  return %sum : f32
}

// The sum of what is summed up: threads meet behind the loop.
// CHECK-LABEL: func.func @folded
// CHECK-NOT: tile.load
// CHECK: scf.for
// CHECK: tile.load
func.func @folded(%base: !tile.ptr<f32>, %n: i32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %bases = tile.splat %base : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f32) : i32 {
    %offset = tile.splat %i : i32 -> tensor<128xi32>
    %p = tile.addptr %bases, %offset : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %x = tile.load %p : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
    %total = tile.reduce %x {axis = 0 : i32} : (tensor<128xf32>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %next = arith.addf %acc, %total : f32
    scf.yield %next : f32
  }
  return %sum : f32
}

// No thread waits for another one: the assembler unrolls the loop and loads for several iterations at once.
// CHECK-LABEL: func.func @apart
// CHECK-NOT: tile.load
// CHECK: scf.for
// CHECK: tile.load
func.func @apart(%base: !tile.ptr<f32>, %n: i32) -> tensor<128xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %bases = tile.splat %base : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128xf32>) : i32 {
    %offset = tile.splat %i : i32 -> tensor<128xi32>
    %p = tile.addptr %bases, %offset : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %x = tile.load %p : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
    %next = arith.addf %acc, %x : tensor<128xf32>
    scf.yield %next : tensor<128xf32>
  }
  return %sum : tensor<128xf32>
}

// A number beside a product comes an iteration early, too.
// CHECK-LABEL: func.func @scaled
// CHECK: %[[FIRST:.*]] = tile.load %{{.*}} mask
// CHECK: scf.for {{.*}} iter_args({{.*}}%[[NOW:[a-z0-9]+]] = %[[FIRST]])
// CHECK: %[[NEXT:.*]] = tile.load
// CHECK: tile.splat %[[NOW]]
// CHECK: scf.yield {{.*}}%[[NEXT]]
func.func @scaled(%scales: !tile.ptr<f32>, %a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %n: i32) -> tensor<16x16xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
    %p = tile.addptr %scales, %i : !tile.ptr<f32>, i32
    %scale = tile.load %p : !tile.ptr<f32> -> f32
    %all = tile.splat %scale : f32 -> tensor<16x16xf32>
    %d = tile.dot %a, %b, %zero {precision = #tile<precision tf32>} : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    %scaled = arith.mulf %d, %all : tensor<16x16xf32>
    %next = arith.addf %acc, %scaled : tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  return %sum : tensor<16x16xf32>
}
