// RUN: nereid-opt %s -tile-spread-hints | FileCheck %s

// CHECK-LABEL: func.func @dropped
func.func @dropped(%p: tensor<8x!tile.ptr<f32>>) -> tensor<8xf32> {
  // CHECK: tile.load %arg0
  // CHECK: %[[A:.*]] = tile.hint %arg0
  // CHECK: %[[B:.*]] = tile.hint %[[A]]
  // CHECK: %[[V:.*]] = tile.load %[[B]]
  // CHECK: return %[[V]]
  %before = tile.load %p : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  %a = tile.hint %p {divisibility = array<i64: 16>} : tensor<8x!tile.ptr<f32>>
  %b = tile.hint %a {contiguity = array<i64: 8>} : tensor<8x!tile.ptr<f32>>
  %v = tile.load %p : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  return %v : tensor<8xf32>
}

// The program says itself who uses the result.
// CHECK-LABEL: func.func @used
func.func @used(%p: tensor<8x!tile.ptr<f32>>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: %[[A:.*]] = tile.hint %arg0
  // CHECK: tile.load %[[A]]
  // CHECK: tile.load %arg0
  %a = tile.hint %p {divisibility = array<i64: 16>} : tensor<8x!tile.ptr<f32>>
  %v = tile.load %a : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  %w = tile.load %p : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  return %v, %w : tensor<8xf32>, tensor<8xf32>
}
