// RUN: nereid-opt %s -tile-carry-descriptors | FileCheck %s

// The loop carries where the tensor begins, how long it is and its stride.
// CHECK-LABEL: func.func @moved
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> ({{.*}}!tile.ptr<f32>
// CHECK: %[[DESC:.*]] = tile.make_desc
// CHECK: tile.desc_load %[[DESC]]
func.func @moved(%base: !tile.ptr<f32>, %n: i32, %i: i32) -> tensor<64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %first = tile.make_desc %base shape [%n] strides [%one] : !tile.ptr<f32> -> <tensor<64xf32>>
  %sum:2 = scf.for %k = %c0 to %n step %c1 iter_args(%desc = %first, %acc = %zero) -> (!tile.desc<tensor<64xf32>>, tensor<64xf32>) : i32 {
    %x = tile.desc_load %desc[%i] : <tensor<64xf32>> -> tensor<64xf32>
    %p = tile.addptr %base, %k : !tile.ptr<f32>, i32
    %next = tile.make_desc %p shape [%n] strides [%one] : !tile.ptr<f32> -> <tensor<64xf32>>
    %more = arith.addf %acc, %x : tensor<64xf32>
    scf.yield %next, %more : !tile.desc<tensor<64xf32>>, tensor<64xf32>
  }
  return %sum#1 : tensor<64xf32>
}
