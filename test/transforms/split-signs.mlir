// RUN: nereid-opt %s -split-input-file -tile-split-signs -canonicalize | FileCheck %s

// A remainder of a run by a multiple of `n` is a run where `n` is not below zero: the kernel asks for it.
// CHECK-LABEL: @remainder(
// CHECK-SAME: %[[POINTER:.*]]: !tile.ptr<f32> {{.*}}, %[[N:.*]]: i32
func.func @remainder(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) {
  // CHECK: %[[SIZE:.*]] = arith.maxsi %[[N]], %c0_i32
  // CHECK: %[[IS:.*]] = arith.cmpi sge, %[[N]], %c0_i32
  // CHECK: scf.if %[[IS]]
  // CHECK: arith.muli %[[SIZE]], %c64_i32
  // CHECK: arith.muli %[[SIZE]], %c512_i32
  // CHECK: arith.remsi
  // CHECK: } else {
  // CHECK: arith.muli %[[N]], %c64_i32
  // CHECK: arith.muli %[[N]], %c512_i32
  // CHECK: arith.remsi
  %c64 = arith.constant 64 : i32
  %c512 = arith.constant 512 : i32
  %pid = tile.program_id 0 : i32
  %run = tile.arange 0 to 1024 : tensor<1024xi32>
  %step = arith.muli %n, %c64 : i32
  %begin = arith.muli %step, %pid : i32
  %begins = tile.splat %begin : i32 -> tensor<1024xi32>
  %at = arith.addi %run, %begins : tensor<1024xi32>
  %end = arith.muli %n, %c512 : i32
  %ends = tile.splat %end : i32 -> tensor<1024xi32>
  %rest = arith.remsi %at, %ends : tensor<1024xi32>
  %pointers = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %places = tile.addptr %pointers, %rest : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %values = tile.load %places : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  tile.store %places, %values : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>
  return
}

// -----

// Rows of which nothing divides the beginning are loaded one by one in any case; so are numbers that are no runs.
// CHECK-LABEL: @narrow
// CHECK-NOT: scf.if
// CHECK: return
func.func @narrow(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) {
  %pid = tile.program_id 0 : i32
  %run = tile.arange 0 to 1024 : tensor<1024xi32>
  %begin = arith.muli %n, %pid : i32
  %begins = tile.splat %begin : i32 -> tensor<1024xi32>
  %at = arith.addi %run, %begins : tensor<1024xi32>
  %ends = tile.splat %n : i32 -> tensor<1024xi32>
  %rest = arith.remsi %at, %ends : tensor<1024xi32>
  %pointers = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %places = tile.addptr %pointers, %rest : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %values = tile.load %places : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  tile.store %places, %values : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>
  return
}
