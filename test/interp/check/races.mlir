// RUN: nereid-interp %s --function same --check --grid 3 x=buf:f32:0 | FileCheck %s --check-prefix=SAME
// RUN: nereid-interp %s --function shifted --check --grid 4 x=buf:f32:zeros*5 | FileCheck %s --check-prefix=SHIFTED
// RUN: nereid-interp %s --function own --check --grid 4 x=buf:f32:zeros*5 | FileCheck %s --check-prefix=OWN --implicit-check-not=report
// RUN: nereid-interp %s --function relayed --check --grid 4 x=buf:f32:zeros*5 c=buf:i32:0 | FileCheck %s --check-prefix=RELAYED --implicit-check-not=report
// RUN: nereid-interp %s --function relaxed --check --grid 4 x=buf:f32:zeros*5 c=buf:i32:0 | FileCheck %s --check-prefix=RELAXED
// RUN: nereid-interp %s --function twice --check --grid 1 x=buf:f32:zeros*4 v=buf:f32:1,2,3,4 | FileCheck %s --check-prefix=TWICE
// RUN: nereid-interp %s --function twice --check --grid 1 x=buf:f32:zeros*4 v=buf:f32:5,2,5,2 | FileCheck %s --check-prefix=ONCE --implicit-check-not=report

// All programs write the same element, though the same value.
func.func @same(%x: !tile.ptr<f32>) {
  %one = arith.constant 1.0 : f32
  tile.store %x, %one : !tile.ptr<f32>, f32
  return
}
// SAME: report race at {{.*}}:[[#@LINE-3]]:3: the store writes element [0] of `x`, which has the shape [1], and program (0, 0, 0) writes it too, without an order between them [program (1, 0, 0), 2 times]

// Program i reads what program i + 1 writes.
func.func @shifted(%x: !tile.ptr<f32>) {
  %pid = tile.program_id 0 : i32
  %one = arith.constant 1 : i32
  %mine = tile.addptr %x, %pid : !tile.ptr<f32>, i32
  %next = tile.addptr %mine, %one : !tile.ptr<f32>, i32
  %v = tile.load %next : !tile.ptr<f32> -> f32
  tile.store %mine, %v : !tile.ptr<f32>, f32
  return
}
// SHIFTED: report race at {{.*}}:[[#@LINE-3]]:3: the store writes element [1] of `x`, which has the shape [5], and program (0, 0, 0) reads it too
// SHIFTED-NEXT: other: {{.*}}:[[#@LINE-5]]:8

func.func @own(%x: !tile.ptr<f32>) {
  %pid = tile.program_id 0 : i32
  %mine = tile.addptr %x, %pid : !tile.ptr<f32>, i32
  %four = arith.constant 4 : i32
  %shared = tile.addptr %x, %four : !tile.ptr<f32>, i32
  %v = tile.load %shared : !tile.ptr<f32> -> f32
  tile.store %mine, %v : !tile.ptr<f32>, f32
  tile.store %mine, %v : !tile.ptr<f32>, f32
  return
}
// OWN: x = 0 0 0 0 0

// Each writes its own element; the last to count up reads them all, and the atomics order it after the others.
func.func @relayed(%x: !tile.ptr<f32>, %c: !tile.ptr<i32>) {
  %pid = tile.program_id 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %f = arith.constant 2.0 : f32
  %mine = tile.addptr %x, %pid : !tile.ptr<f32>, i32
  tile.store %mine, %f : !tile.ptr<f32>, f32
  %old = tile.atomic_rmw add acq_rel gpu %c, %one : !tile.ptr<i32>, i32 -> i32
  %last = arith.cmpi eq, %old, %three : i32
  scf.if %last {
    %v = tile.load %x : !tile.ptr<f32> -> f32
    %four = arith.constant 4 : i32
    %end = tile.addptr %x, %four : !tile.ptr<f32>, i32
    tile.store %end, %v : !tile.ptr<f32>, f32
  }
  return
}
// RELAYED: x = 2 2 2 2 2

// The same with an atomic that orders nothing.
func.func @relaxed(%x: !tile.ptr<f32>, %c: !tile.ptr<i32>) {
  %pid = tile.program_id 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %f = arith.constant 2.0 : f32
  %mine = tile.addptr %x, %pid : !tile.ptr<f32>, i32
  tile.store %mine, %f : !tile.ptr<f32>, f32
  %old = tile.atomic_rmw add relaxed gpu %c, %one : !tile.ptr<i32>, i32 -> i32
  %last = arith.cmpi eq, %old, %three : i32
  scf.if %last {
    %v = tile.load %x : !tile.ptr<f32> -> f32
  }
  return
}
// RELAXED: report race at {{.*}}:[[#@LINE-4]]:10: the load reads element [0] of `x`, which has the shape [5], and program (0, 0, 0) writes it too

// The first two elements are written by two lanes each.
func.func @twice(%x: !tile.ptr<f32>, %v: !tile.ptr<f32>) {
  %lanes = tile.arange 0 to 4 : tensor<4xi32>
  %one = arith.constant dense<1> : tensor<4xi32>
  %low = arith.andi %lanes, %one : tensor<4xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %vs = tile.splat %v : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %from = tile.addptr %vs, %lanes : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  %to = tile.addptr %xs, %low : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  %value = tile.load %from : tensor<4x!tile.ptr<f32>> -> tensor<4xf32>
  tile.store %to, %value : tensor<4x!tile.ptr<f32>>, tensor<4xf32>
  return
}
// TWICE: report race at {{.*}}:[[#@LINE-3]]:3: the store writes element [0] of `x`, which has the shape [4], more than once with different values: which of them stays is not defined [program (0, 0, 0), 2 times]
// ONCE: x = 5 2 0 0
