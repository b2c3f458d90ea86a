// RUN: nereid-opt %s -warp-accumulate-products | FileCheck %s

// CHECK-LABEL: func.func @sum
// CHECK: %[[D:.*]] = tile.dot %arg0, %arg1, %arg2
// CHECK-NOT: arith.addf
// CHECK: return %[[D]]
func.func @sum(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %p = tile.dot %a, %b, %zero {precision = #tile<precision tf32>} : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  %d = arith.addf %c, %p : tensor<16x16xf32>
  return %d : tensor<16x16xf32>
}

// A product that something else wants too stays as it is.
// CHECK-LABEL: func.func @used_twice
// CHECK: arith.addf
func.func @used_twice(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %c: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %p = tile.dot %a, %b, %zero {precision = #tile<precision tf32>} : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  %d = arith.addf %c, %p : tensor<16x16xf32>
  return %d, %p : tensor<16x16xf32>, tensor<16x16xf32>
}

// Products that add to each other start from it too, behind what it is computed from.
// CHECK-LABEL: func.func @chain
// CHECK: %[[X:.*]] = arith.mulf
// CHECK: %[[P:.*]] = tile.dot %arg0, %arg1, %[[X]]
// CHECK: %[[Q:.*]] = tile.dot %arg1, %arg0, %[[P]]
// CHECK-NOT: arith.addf
// CHECK: return %[[Q]]
func.func @chain(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %p = tile.dot %a, %b, %zero {precision = #tile<precision tf32>} : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  %q = tile.dot %b, %a, %p {precision = #tile<precision tf32>} : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  %x = arith.mulf %c, %c : tensor<16x16xf32>
  %d = arith.addf %x, %q : tensor<16x16xf32>
  return %d : tensor<16x16xf32>
}
