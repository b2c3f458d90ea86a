// RUN: nereid-opt %s -warp-promote-products=target=sm_80 | FileCheck %s --check-prefix=AMPERE
// RUN: nereid-opt %s -warp-promote-products=target=sm_90a | FileCheck %s --check-prefix=HOPPER

// AMPERE-LABEL: func.func @bytes
// AMPERE: %[[A:.*]] = arith.extf %arg0 : tensor<16x32xf8E5M2> to tensor<16x32xf16>
// AMPERE: %[[B:.*]] = arith.extf %arg1 : tensor<32x16xf8E5M2> to tensor<32x16xf16>
// AMPERE: tile.dot %[[A]], %[[B]]
// HOPPER-LABEL: func.func @bytes
// HOPPER-NOT: arith.extf
func.func @bytes(%a: tensor<16x32xf8E5M2>, %b: tensor<32x16xf8E5M2>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %d = tile.dot %a, %b, %c {precision = #tile<precision tf32>} : tensor<16x32xf8E5M2>, tensor<32x16xf8E5M2> -> tensor<16x16xf32>
  return %d : tensor<16x16xf32>
}

// A format that no tensor core knows.
// HOPPER-LABEL: func.func @rare
// HOPPER-COUNT-2: arith.extf
func.func @rare(%a: tensor<16x32xf8E4M3FNUZ>, %b: tensor<32x16xf8E4M3FNUZ>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %d = tile.dot %a, %b, %c {precision = #tile<precision tf32>} : tensor<16x32xf8E4M3FNUZ>, tensor<32x16xf8E4M3FNUZ> -> tensor<16x16xf32>
  return %d : tensor<16x16xf32>
}

// Wide numbers that were 16-bit floats are multiplied as these, where TF32 is allowed: it holds them exactly.
// HOPPER-LABEL: func.func @narrow
// HOPPER: %[[RIGHT:.*]] = tile.trans %arg1
// HOPPER: tile.dot %arg0, %[[RIGHT]], %arg2 {{.*}} : tensor<16x16xf16>, tensor<16x16xf16>
func.func @narrow(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %left = arith.extf %a : tensor<16x16xf16> to tensor<16x16xf32>
  %wide = arith.extf %b : tensor<16x16xf16> to tensor<16x16xf32>
  %right = tile.trans %wide {order = array<i32: 1, 0>} : tensor<16x16xf32> -> tensor<16x16xf32>
  %d = tile.dot %left, %right, %c {precision = #tile<precision tf32>} : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  return %d : tensor<16x16xf32>
}

// Masked to zero, and with an 8-bit float on the other side.
// HOPPER-LABEL: func.func @masked
// HOPPER: %[[LEFT:.*]] = arith.select %arg3, %arg0, %{{.*}} : tensor<16x16xi1>, tensor<16x16xbf16>
// HOPPER: %[[RIGHT:.*]] = arith.extf %arg1 : tensor<16x16xf8E5M2> to tensor<16x16xbf16>
// HOPPER: tile.dot %[[LEFT]], %[[RIGHT]]
func.func @masked(%a: tensor<16x16xbf16>, %b: tensor<16x16xf8E5M2>, %c: tensor<16x16xf32>, %mask: tensor<16x16xi1>) -> tensor<16x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %wide = arith.extf %a : tensor<16x16xbf16> to tensor<16x16xf32>
  %left = arith.select %mask, %wide, %zero : tensor<16x16xi1>, tensor<16x16xf32>
  %right = arith.extf %b : tensor<16x16xf8E5M2> to tensor<16x16xf32>
  %d = tile.dot %left, %right, %c {precision = #tile<precision tf32>} : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  return %d : tensor<16x16xf32>
}

// Two types that no 16-bit type holds both of, the precision of f32, or too little depth for the instruction: as it was.
// HOPPER-LABEL: func.func @different
// HOPPER-COUNT-4: arith.extf {{.*}} to tensor<16x16xf32>
// HOPPER-NOT: tensor<16x16xf16>, tensor<16x16xf16>
// HOPPER: return
func.func @different(%a: tensor<16x16xf16>, %b: tensor<16x16xbf16>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %left = arith.extf %a : tensor<16x16xf16> to tensor<16x16xf32>
  %right = arith.extf %b : tensor<16x16xbf16> to tensor<16x16xf32>
  %d = tile.dot %left, %right, %c {precision = #tile<precision tf32>} : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %same = arith.extf %a : tensor<16x16xf16> to tensor<16x16xf32>
  %again = arith.extf %a : tensor<16x16xf16> to tensor<16x16xf32>
  %e = tile.dot %same, %again, %d {precision = #tile<precision ieee>} : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  return %e : tensor<16x16xf32>
}
