// RUN: nereid-opt %s -tile-expand-sparse | FileCheck %s

// Two of every four elements are chosen by two bits each; the rest is zero.
// CHECK-LABEL: func.func @bytes
// CHECK-SAME: (%[[VALUES:.*]]: tensor<16x16xf16>, %[[PLACES:.*]]: tensor<16x4xi8>
// CHECK: %[[FIRST:.*]], %[[SECOND:.*]] = tile.split {{.*}} : tensor<16x8x2xf16> -> tensor<16x8xf16>
// CHECK: tile.join {{.*}} : tensor<16x4xi8> -> tensor<16x4x2xi8>
// CHECK-COUNT-8: arith.select
// CHECK: %[[WHOLE:.*]] = tile.reshape {{.*}} : tensor<16x8x2x2xf16> -> tensor<16x32xf16>
// CHECK: tile.dot %[[WHOLE]], %{{.*}}, %{{.*}} : tensor<16x32xf16>, tensor<32x16xf16> -> tensor<16x16xf32>
func.func @bytes(%values: tensor<16x16xf16>, %places: tensor<16x4xi8>, %b: tensor<32x16xf16>, %acc: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %c = tile.dot %values, %b, %acc places %places : tensor<16x4xi8> : tensor<16x16xf16>, tensor<32x16xf16> -> tensor<16x16xf32>
  return %c : tensor<16x16xf32>
}

// Half words are taken apart twice.
// CHECK-LABEL: func.func @halves
// CHECK: tile.join {{.*}} : tensor<16x2xi16> -> tensor<16x2x2xi16>
// CHECK: tile.join {{.*}} : tensor<16x4xi16> -> tensor<16x4x2xi16>
func.func @halves(%values: tensor<16x16xf16>, %places: tensor<16x2xi16>, %b: tensor<32x16xf16>, %acc: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %c = tile.dot %values, %b, %acc places %places : tensor<16x2xi16> : tensor<16x16xf16>, tensor<32x16xf16> -> tensor<16x16xf32>
  return %c : tensor<16x16xf32>
}
