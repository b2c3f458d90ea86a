// RUN: nereid-opt %s -warp-expand-scaled -split-input-file -verify-diagnostics | FileCheck %s

// Elements and scales become bf16 and are multiplied in front of a plain product.
// CHECK-LABEL: func.func @bytes
// CHECK-COUNT-2: arith.mulf {{.*}}bf16
// CHECK: tile.dot {{.*}} : tensor<32x64xbf16>, tensor<64x32xbf16> -> tensor<32x32xf32>
// CHECK-NOT: tile.dot_scaled
func.func @bytes(%a: tensor<32x64xf8E5M2>, %s: tensor<32x2xi8>, %b: tensor<64x32xf8E5M2>, %t: tensor<32x2xi8>, %c: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %d = tile.dot_scaled %a scale %s : tensor<32x2xi8> e5m2, %b scale %t : tensor<32x2xi8> e5m2, %c : tensor<32x64xf8E5M2>, tensor<64x32xf8E5M2>, tensor<32x32xf32> -> tensor<32x32xf32>
  return %d : tensor<32x32xf32>
}

// -----

func.func @rare(%a: tensor<32x64xi8>, %s: tensor<32x2xi8>, %b: tensor<64x32xf8E5M2>, %t: tensor<32x2xi8>, %c: tensor<32x32xf32>) -> tensor<32x32xf32> {
  // expected-error @+1 {{a scaled product of e2m3 or e3m2 is not supported on the GPU}}
  %d = tile.dot_scaled %a scale %s : tensor<32x2xi8> e2m3, %b scale %t : tensor<32x2xi8> e5m2, %c : tensor<32x64xi8>, tensor<64x32xf8E5M2>, tensor<32x32xf32> -> tensor<32x32xf32>
  return %d : tensor<32x32xf32>
}
