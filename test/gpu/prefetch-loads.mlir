// RUN: nereid-opt %s -warp-prefetch-loads=stages=3 | FileCheck %s
// RUN: nereid-opt %s -warp-prefetch-loads=stages=1 | FileCheck %s --check-prefix=ONE

// CHECK-LABEL: func.func @rows
// CHECK: %[[FIRST:.*]] = tile.load
// CHECK: scf.for {{.*}} iter_args({{.*}}, %[[ROW:.*]] = %[[FIRST]])
// CHECK: %[[NEXT:.*]] = tile.load
// CHECK: arith.addf %{{.*}}, %[[ROW]]
// CHECK: scf.yield %{{.*}}, %[[NEXT]]
// ONE-LABEL: func.func @rows
// ONE: scf.for
// ONE: tile.load
func.func @rows(%base: !tile.ptr<f32>, %n: i32) -> tensor<128xf32> {
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
