// RUN: nereid-opt %s -tile-state-claims | FileCheck %s
// What the analysis says of arguments, results and what a loop carries, and what sums and quotients are made of. Nothing of floats, and of values
// of which nothing is known.
// CHECK: func.func @values(%[[X:.*]]: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %[[N:.*]]: i32)
// CHECK-NEXT: tile.print "" {claims = {divisibility = array<i64: 16>}, isSigned = array<i1: true>} %[[X]] : !tile.ptr<f32>
// CHECK: %[[PID:.*]] = tile.program_id
// CHECK-NEXT: tile.print "tile.program_id" {claims = {isNonNegative}, isSigned = array<i1: true>} %[[PID]] : i32
// CHECK: %[[SUM:.*]] = arith.addi %[[N]], %[[PID]]
// CHECK-NEXT: scf.for %[[I:.*]] =
// CHECK-NEXT: tile.print "" {claims = {divisibility = array<i64: 64>, isNonNegative}, isSigned = array<i1: true>} %[[I]] : i32
// CHECK: %[[TWICE:.*]] = arith.muli %[[I]], %[[PID]]
// CHECK-NEXT: tile.print "arith.muli" {claims = {divisibility = array<i64: 64>, isNonNegative}, isSigned = array<i1: true, true, true>} %[[TWICE]], %[[I]], %[[PID]] : i32, i32, i32
// CHECK: tile.store
// CHECK-NOT: tile.print
func.func @values(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1.0 : f32
  %pid = tile.program_id 0 : i32
  %sum = arith.addi %n, %pid : i32
  scf.for %i = %c0 to %sum step %c64 : i32 {
    %twice = arith.muli %i, %pid : i32
    %p = tile.addptr %x, %twice : !tile.ptr<f32>, i32
    tile.store %p, %one : !tile.ptr<f32>, f32
  }
  return
}

// What a program states of a tile is meant of what its last statement gives.
// CHECK-LABEL: func.func @stated
// CHECK: %[[HALF:.*]] = tile.hint
// CHECK-NEXT: %[[WHOLE:.*]] = tile.hint %[[HALF]]
// CHECK-NEXT: tile.print "tile.hint" {claims = {contiguity = array<i64: 16>, divisibility = array<i64: 16>}
func.func @stated(%x: !tile.ptr<i32>, %n: tensor<16xi32>) {
  %half = tile.hint %n {divisibility = array<i64: 16>} : tensor<16xi32>
  %whole = tile.hint %half {contiguity = array<i64: 16>} : tensor<16xi32>
  tile.print "n" {isSigned = array<i1: true>} %whole : tensor<16xi32>
  return
}
