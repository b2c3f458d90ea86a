// RUN: nereid-opt %s -tile-separate-strips | FileCheck %s

// CHECK-LABEL: func.func @two
// CHECK: %[[S:.*]] = tile.reshape
// CHECK-NEXT: tile.reduce %[[S]]
// CHECK: %[[T:.*]] = tile.reshape
// CHECK-NEXT: tile.reduce %[[T]]
func.func @two(%x: tensor<4x64xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %strips = tile.reshape %x : tensor<4x64xf32> -> tensor<4x4x16xf32>
  %a = tile.reduce %strips {axis = 1 : i32} : (tensor<4x4x16xf32>) -> tensor<4x16xf32> {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tile.yield %s : f32
  }
  %b = tile.reduce %strips {axis = 1 : i32} : (tensor<4x4x16xf32>) -> tensor<4x16xf32> {
  ^bb0(%l: f32, %r: f32):
    %s = arith.maximumf %l, %r : f32
    tile.yield %s : f32
  }
  return %a, %b : tensor<4x16xf32>, tensor<4x16xf32>
}
