// RUN: nereid-opt %s -warp-mark-blocks=target=sm_90a -split-input-file -verify-diagnostics | FileCheck %s
// RUN: nereid-opt %s -warp-mark-blocks=target=sm_80 -split-input-file | FileCheck %s --check-prefix=WITHOUT
// RUN: nereid-opt %s -warp-mark-blocks="target=sm_90a tensor-maps=false" -split-input-file | FileCheck %s --check-prefix=WITHOUT

// WITHOUT-NOT: warp.block
// CHECK-LABEL: func.func @copied
// CHECK: tile.desc_load {{.*}} {warp.block}
// CHECK: tile.desc_store {{.*}} {warp.block}
func.func @copied(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                  %n: i32 {tile.divisibility = 16 : i32}, %stride: i64 {tile.divisibility = 16 : i32}) {
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %a = tile.make_desc %p shape [%n, %n] strides [%stride, %one] : !tile.ptr<f16> -> <tensor<64x64xf16>>
  %b = tile.make_desc %q shape [%n, %n] strides [%stride, %one] : !tile.ptr<f16> -> <tensor<64x64xf16>>
  %x = tile.desc_load %a[%c0, %c0] : <tensor<64x64xf16>> -> tensor<64x64xf16>
  tile.desc_store %b[%c0, %c0], %x : <tensor<64x64xf16>>, tensor<64x64xf16>
  return
}

// -----

// An address that nobody knows to be aligned: in a loop, that is worth a remark.
// CHECK-LABEL: func.func @unaligned
// CHECK-NOT: warp.block
func.func @unaligned(%p: !tile.ptr<f16>, %n: i32 {tile.divisibility = 16 : i32}, %stride: i64 {tile.divisibility = 16 : i32}) -> tensor<64x64xf16> {
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf16>
  %a = tile.make_desc %p shape [%n, %n] strides [%stride, %one] : !tile.ptr<f16> -> <tensor<64x64xf16>>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf16>) : i32 {
    // expected-remark @+1 {{this block does not come by TMA: its address and its strides are not known to be multiples of 16 bytes}}
    %x = tile.desc_load %a[%c0, %i] : <tensor<64x64xf16>> -> tensor<64x64xf16>
    %next = arith.addf %acc, %x : tensor<64x64xf16>
    scf.yield %next : tensor<64x64xf16>
  }
  return %sum : tensor<64x64xf16>
}

// -----

// A block that the kernel also writes.
// CHECK-LABEL: func.func @in_place
// CHECK-NOT: warp.block
func.func @in_place(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}, %stride: i64 {tile.divisibility = 16 : i32}) {
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %a = tile.make_desc %p shape [%n, %n] strides [%stride, %one] : !tile.ptr<f16> -> <tensor<64x64xf16>>
  %x = tile.desc_load %a[%c0, %c0] : <tensor<64x64xf16>> -> tensor<64x64xf16>
  tile.desc_store %a[%c0, %c0], %x : <tensor<64x64xf16>>, tensor<64x64xf16>
  return
}

// -----

// All axes but the last as the rows of a matrix, loaded and stored.
// CHECK-LABEL: func.func @rows_of_axes
// CHECK: %[[X:.*]] = tile.desc_load {{.*}} {warp.block} : <tensor<2x4x8x64xf16>> -> tensor<64x64xf16>
// CHECK-NOT: tile.reshape
// CHECK: tile.desc_store {{.*}}, %[[X]] {warp.block} : <tensor<2x4x8x64xf16>>, tensor<64x64xf16>
func.func @rows_of_axes(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                        %n: i32 {tile.divisibility = 16 : i32}, %stride: i64 {tile.divisibility = 16 : i32}) {
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %a = tile.make_desc %p shape [%n, %n, %n, %n] strides [%stride, %stride, %stride, %one] : !tile.ptr<f16> -> <tensor<2x4x8x64xf16>>
  %b = tile.make_desc %q shape [%n, %n, %n, %n] strides [%stride, %stride, %stride, %one] : !tile.ptr<f16> -> <tensor<2x4x8x64xf16>>
  %x = tile.desc_load %a[%c0, %c0, %c0, %c0] : <tensor<2x4x8x64xf16>> -> tensor<2x4x8x64xf16>
  %rows = tile.reshape %x : tensor<2x4x8x64xf16> -> tensor<64x64xf16>
  %y = tile.reshape %rows : tensor<64x64xf16> -> tensor<2x4x8x64xf16>
  tile.desc_store %b[%c0, %c0, %c0, %c0], %y : <tensor<2x4x8x64xf16>>, tensor<2x4x8x64xf16>
  return
}

// -----

// A row is loaded by TMA, and not stored; of few rows it is neither.
// CHECK-LABEL: func.func @row
// CHECK: tile.desc_load {{.*}} {warp.block} : <tensor<1x128xf32>>
// CHECK: tile.desc_load {{[^{]*}} : <tensor<4x128xf32>>
// CHECK: tile.desc_store {{[^{]*}} : <tensor<1x128xf32>>
func.func @row(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f32> {tile.divisibility = 16 : i32},
               %n: i32 {tile.divisibility = 16 : i32}, %stride: i64 {tile.divisibility = 16 : i32}) -> tensor<4x128xf32> {
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %a = tile.make_desc %p shape [%n, %n] strides [%stride, %one] : !tile.ptr<f32> -> <tensor<1x128xf32>>
  %b = tile.make_desc %p shape [%n, %n] strides [%stride, %one] : !tile.ptr<f32> -> <tensor<4x128xf32>>
  %c = tile.make_desc %q shape [%n, %n] strides [%stride, %one] : !tile.ptr<f32> -> <tensor<1x128xf32>>
  %x = tile.desc_load %a[%c0, %c0] : <tensor<1x128xf32>> -> tensor<1x128xf32>
  %y = tile.desc_load %b[%c0, %c0] : <tensor<4x128xf32>> -> tensor<4x128xf32>
  tile.desc_store %c[%c0, %c0], %x : <tensor<1x128xf32>>, tensor<1x128xf32>
  return %y : tensor<4x128xf32>
}
