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
