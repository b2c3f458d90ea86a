// RUN: nereid-opt %s -tile-expand-descriptors -split-input-file -verify-diagnostics | FileCheck %s
// RUN: nereid-opt %s -tile-expand-descriptors="threads=true" -split-input-file -verify-diagnostics | FileCheck %s --check-prefix=THREADS
// RUN: nereid-opt %s -tile-expand-descriptors="keep=some.attribute" -split-input-file -verify-diagnostics | FileCheck %s --check-prefix=KEEP

// CHECK-LABEL: func.func @block
// CHECK: arith.extsi %{{.*}} : tensor<64xi32> to tensor<64xi64>
// CHECK: tile.load %{{.*}} mask %{{.*}} other
// CHECK-NOT: tile.desc_load
// What all threads share is added to the base, and 32-bit numbers are compared.
// THREADS-LABEL: func.func @block
// THREADS: tile.addptr %arg0, %{{.*}} : !tile.ptr<f32>, i64
// THREADS: arith.cmpi ult, %{{.*}} : tensor<64xi32>
// THREADS: tile.load
// KEEP-LABEL: func.func @block
// KEEP: tile.desc_load
func.func @block(%base: !tile.ptr<f32>, %n: i32, %i: i32) -> tensor<64xf32> {
  %one = arith.constant 1 : i64
  %desc = tile.make_desc %base shape [%n] strides [%one] : !tile.ptr<f32> -> <tensor<64xf32>>
  %x = tile.desc_load %desc[%i] {some.attribute} : <tensor<64xf32>> -> tensor<64xf32>
  return %x : tensor<64xf32>
}

// -----

// A host's descriptor is the pointer to its tensor, behind which extents and strides come.
// CHECK-LABEL: func.func @given(%arg0: !tile.ptr<f32>
// CHECK: tile.store
func.func @given(%desc: !tile.desc<tensor<64xf32>>, %n: i32, %stride: i64, %i: i32, %x: tensor<64xf32>) {
  tile.desc_store %desc[%i], %x : <tensor<64xf32>>, tensor<64xf32>
  return
}

// -----

func.func @chosen(%a: !tile.desc<tensor<64xf32>>, %an: i32, %as: i64, %b: !tile.desc<tensor<64xf32>>, %bn: i32, %bs: i64, %i: i32, %which: i1) {
  %desc = arith.select %which, %a, %b : !tile.desc<tensor<64xf32>>
  // expected-error @+1 {{a descriptor that is chosen at run time is not supported here}}
  %x = tile.desc_load %desc[%i] : <tensor<64xf32>> -> tensor<64xf32>
  return
}

// -----

// A matrix whose rows are several axes has pointers of the block's axes.
// CHECK-LABEL: func.func @rows_of_axes
// CHECK: %[[X:.*]] = tile.load {{.*}} : tensor<2x4x8x!tile.ptr<f32>>
// CHECK: tile.reshape %[[X]] : tensor<2x4x8xf32> -> tensor<8x8xf32>
// CHECK: %[[Y:.*]] = tile.reshape {{.*}} : tensor<8x8xf32> -> tensor<2x4x8xf32>
// CHECK: tile.store %{{.*}}, %[[Y]]
func.func @rows_of_axes(%base: !tile.ptr<f32>, %n: i32, %stride: i64, %i: i32) {
  %one = arith.constant 1 : i64
  %desc = tile.make_desc %base shape [%n, %n, %n] strides [%stride, %stride, %one] : !tile.ptr<f32> -> <tensor<2x4x8xf32>>
  %x = tile.desc_load %desc[%i, %i, %i] : <tensor<2x4x8xf32>> -> tensor<8x8xf32>
  %y = arith.addf %x, %x : tensor<8x8xf32>
  tile.desc_store %desc[%i, %i, %i], %y : <tensor<2x4x8xf32>>, tensor<8x8xf32>
  return
}

// -----

// What a kernel loads is taken for multiples of 16 bytes, as descriptors ask for; arguments say themselves what they are.
// THREADS-LABEL: func.func @loaded
// THREADS: tile.hint %{{.*}} {divisibility = array<i64: 16>} : !tile.ptr<f32>
// THREADS: tile.hint %{{.*}} {divisibility = array<i64: 4>} : i64
// THREADS-LABEL: func.func @argument
// THREADS-NOT: tile.hint
func.func @loaded(%from: !tile.ptr<i64>, %n: i32, %i: i32) -> tensor<4x8xf32> {
  %one = arith.constant 1 : i64
  %address = tile.load %from : !tile.ptr<i64> -> i64
  %base = tile.int_to_ptr %address : i64 -> !tile.ptr<f32>
  %desc = tile.make_desc %base shape [%n, %n] strides [%address, %one] : !tile.ptr<f32> -> <tensor<4x8xf32>>
  %x = tile.desc_load %desc[%i, %i] : <tensor<4x8xf32>> -> tensor<4x8xf32>
  return %x : tensor<4x8xf32>
}

func.func @argument(%base: !tile.ptr<f32>, %stride: i64, %n: i32, %i: i32) -> tensor<4x8xf32> {
  %one = arith.constant 1 : i64
  %desc = tile.make_desc %base shape [%n, %n] strides [%stride, %one] : !tile.ptr<f32> -> <tensor<4x8xf32>>
  %x = tile.desc_load %desc[%i, %i] : <tensor<4x8xf32>> -> tensor<4x8xf32>
  return %x : tensor<4x8xf32>
}
