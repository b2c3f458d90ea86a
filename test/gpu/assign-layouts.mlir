// RUN: nereid-opt %s -warp-assign-layouts=warps=4 | FileCheck %s

// A thread has 16 bytes of a row; index arithmetic and masks are computed as the load wants them.
// CHECK-LABEL: func.func @copy
// CHECK: tile.arange {{.*}} #warp.layout<"1024: register 1..2@0 512@0, lane 4..64@0, warp 128..256@0">
// CHECK: tile.load {{.*}} -> tensor<1024xf32, #warp.layout<"1024: register 1..2@0 512@0, lane 4..64@0, warp 128..256@0">>
// CHECK-NOT: warp.convert_layout
// CHECK: tile.store
func.func @copy(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f32> {tile.divisibility = 16 : i32}) {
  %lanes = tile.arange 0 to 1024 : tensor<1024xi32>
  %from = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %to = tile.splat %q : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %source = tile.addptr %from, %lanes : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %target = tile.addptr %to, %lanes : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %source : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  tile.store %target, %x : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>
  return
}

// A product says which instruction computes it, and takes its operands as that wants them.
// CHECK-LABEL: func.func @product
// CHECK: %[[A:.*]] = warp.convert_layout
// CHECK: %[[B:.*]] = warp.convert_layout
// CHECK: %[[D:.*]] = tile.dot %{{.*}}, %{{.*}}, %{{.*}} {{.*}}warp.instruction
// CHECK: warp.convert_layout %[[D]]
func.func @product(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f32> {tile.divisibility = 16 : i32}) {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %lanes = tile.arange 0 to 1024 : tensor<1024xi32>
  %places = tile.reshape %lanes : tensor<1024xi32> -> tensor<32x32xi32>
  %from = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %to = tile.splat %q : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %source = tile.addptr %from, %places : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %target = tile.addptr %to, %places : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %x = tile.load %source : tensor<32x32x!tile.ptr<f16>> -> tensor<32x32xf16>
  %y = tile.dot %x, %x, %zero {precision = #tile<precision tf32>} : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
  tile.store %target, %y : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xf32>
  return
}
