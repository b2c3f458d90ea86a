// RUN: nereid-opt %s -tile-fold-ranges -canonicalize | FileCheck %s

// All iterations are in the first block of 16777216: its entry is the one that counts, and the next one is never loaded.
// CHECK-LABEL: func.func @list
func.func @list(%list: !tile.ptr<i32>, %n: i32) -> i32 {
  // CHECK: scf.for
  // CHECK-NOT: tile.load
  // CHECK: arith.addi %{{.*}}, %c64_i32
  // CHECK: scf.yield
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %limit = arith.constant 64 : i32
  %size = arith.constant 16777216 : i32
  %end = arith.minsi %n, %limit : i32
  %sum = scf.for %i = %zero to %end step %one iter_args(%at = %zero) -> (i32) : i32 {
    %block = arith.divsi %i, %size : i32
    %entry = tile.addptr %list, %block : !tile.ptr<i32>, i32
    %jump = tile.load %entry : !tile.ptr<i32> -> i32
    %next = arith.addi %i, %one : i32
    %rest = arith.remsi %next, %size : i32
    %isLast = arith.cmpi eq, %rest, %zero : i32
    %step = arith.select %isLast, %jump, %limit : i32
    %then = arith.addi %at, %step : i32
    scf.yield %then : i32
  }
  return %sum : i32
}

// A loop may count to more than the largest signed number where its numbers have no sign.
// CHECK-LABEL: func.func @unsigned
func.func @unsigned(%n: i32) -> i32 {
  // CHECK: arith.cmpi slt
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %sum = scf.for unsigned %i = %zero to %n step %one iter_args(%at = %zero) -> (i32) : i32 {
    %isNegative = arith.cmpi slt, %i, %zero : i32
    %add = arith.extui %isNegative : i1 to i32
    %then = arith.addi %at, %add : i32
    scf.yield %then : i32
  }
  return %sum : i32
}
