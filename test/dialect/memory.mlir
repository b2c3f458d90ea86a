// Memory ops print as they parse.
// RUN: nereid-opt %s | nereid-opt | FileCheck %s

// CHECK-LABEL: func.func @pointers
func.func @pointers(%p: !tile.ptr<f32>, %n: i64) -> i64 {
  // CHECK: tile.addptr %{{.*}}, %{{.*}} : !tile.ptr<f32>, i64
  %q = tile.addptr %p, %n : !tile.ptr<f32>, i64
  // CHECK: tile.ptr_cast %{{.*}} : !tile.ptr<f32> -> !tile.ptr<i8>
  %b = tile.ptr_cast %q : !tile.ptr<f32> -> !tile.ptr<i8>
  // CHECK: tile.ptr_to_int %{{.*}} : !tile.ptr<i8> -> i64
  %i = tile.ptr_to_int %b : !tile.ptr<i8> -> i64
  // CHECK: tile.int_to_ptr %{{.*}} : i64 -> !tile.ptr<f16>
  %r = tile.int_to_ptr %i : i64 -> !tile.ptr<f16>
  return %i : i64
}

// CHECK-LABEL: func.func @access
func.func @access(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<8xi1>, %o: tensor<8xf32>) {
  // CHECK: tile.load %{{.*}} mask %{{.*}} : tensor<8xi1> other %{{.*}} : tensor<8xf32> {cache = #tile<cache cg>, evict = #tile<evict last>, isVolatile} : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  %v = tile.load %p mask %m : tensor<8xi1> other %o : tensor<8xf32> {cache = #tile<cache cg>, evict = #tile<evict last>, isVolatile} : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  // CHECK: tile.store %{{.*}}, %{{.*}} mask %{{.*}} : tensor<8xi1> {cache = #tile<cache wt>} : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  tile.store %p, %v mask %m : tensor<8xi1> {cache = #tile<cache wt>} : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  return
}

// CHECK-LABEL: func.func @descriptors
func.func @descriptors(%p: !tile.ptr<f32>, %m: i32, %n: i32, %s: i64, %t: i64, %rows: tensor<8xi32>, %v: tensor<8x4xf32>, %r: tensor<1x4xf32>) {
  // CHECK: tile.make_desc %{{.*}} shape[%{{.*}}, %{{.*}}] strides[%{{.*}}, %{{.*}}] {padding = #tile<padding nan>} : !tile.ptr<f32> -> <tensor<8x4xf32>>
  %d = tile.make_desc %p shape [%m, %n] strides [%s, %t] {padding = #tile<padding nan>} : !tile.ptr<f32> -> !tile.desc<tensor<8x4xf32>>
  // CHECK: tile.desc_load %{{.*}}[%{{.*}}, %{{.*}}] : <tensor<8x4xf32>> -> tensor<8x4xf32>
  %x = tile.desc_load %d[%m, %n] : !tile.desc<tensor<8x4xf32>> -> tensor<8x4xf32>
  // CHECK: tile.desc_store
  tile.desc_store %d[%m, %n], %x : !tile.desc<tensor<8x4xf32>>, tensor<8x4xf32>
  // CHECK: tile.desc_reduce fadd
  tile.desc_reduce fadd %d[%m, %n], %x : !tile.desc<tensor<8x4xf32>>, tensor<8x4xf32>
  // CHECK: tile.desc_gather
  %g = tile.desc_gather %d[%rows, %n] : !tile.desc<tensor<8x4xf32>>, tensor<8xi32> -> tensor<8x4xf32>
  // CHECK: tile.desc_scatter
  tile.desc_scatter %d[%rows, %n], %g : !tile.desc<tensor<8x4xf32>>, tensor<8xi32>, tensor<8x4xf32>
  return
}
