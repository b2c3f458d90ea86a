// RUN: nereid-opt %s -tile-raise-loops | FileCheck %s

// A loop that counts upwards by a constant. Behind it, its number is where counting has ended.
// CHECK-LABEL: func.func @counts
// CHECK: %[[SUM:.*]] = scf.for %[[I:.*]] = %arg0 to %arg1 step %c64{{.*}} iter_args(%[[X:.*]] = %arg2)
// CHECK: arith.addi %[[X]], %[[I]]
// CHECK-NOT: scf.while
func.func @counts(%from: i32, %to: i32, %x: i32) -> (i32, i32) {
  %c64 = arith.constant 64 : i32
  %0:2 = scf.while (%sum = %x, %i = %from) : (i32, i32) -> (i32, i32) {
    %goes_on = arith.cmpi slt, %i, %to : i32
    scf.condition(%goes_on) %sum, %i : i32, i32
  } do {
  ^bb0(%sum: i32, %i: i32):
    %more = arith.addi %sum, %i : i32
    %next = arith.addi %i, %c64 : i32
    scf.yield %more, %next : i32, i32
  }
  return %0#0, %0#1 : i32, i32
}

// The other way around: `to > i`.
// CHECK-LABEL: func.func @swapped
// CHECK: scf.for
func.func @swapped(%from: i32, %to: i32) -> i32 {
  %c1 = arith.constant 1 : i32
  %0 = scf.while (%i = %from) : (i32) -> i32 {
    %goes_on = arith.cmpi sgt, %to, %i : i32
    scf.condition(%goes_on) %i : i32
  } do {
  ^bb0(%i: i32):
    %next = arith.addi %i, %c1 : i32
    scf.yield %next : i32
  }
  return %0 : i32
}

// What counts downwards, by a number of the launch, or until something else happens stays as it is.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: scf.while
// CHECK-NOT: scf.for
func.func @others(%from: i32, %to: i32, %step: i32, %p: !tile.ptr<i32>) -> (i32, i32, i32) {
  %down = arith.constant -1 : i32
  %c1 = arith.constant 1 : i32
  %0 = scf.while (%i = %from) : (i32) -> i32 {
    %goes_on = arith.cmpi slt, %i, %to : i32
    scf.condition(%goes_on) %i : i32
  } do {
  ^bb0(%i: i32):
    %next = arith.addi %i, %down : i32
    scf.yield %next : i32
  }
  %1 = scf.while (%i = %from) : (i32) -> i32 {
    %goes_on = arith.cmpi slt, %i, %to : i32
    scf.condition(%goes_on) %i : i32
  } do {
  ^bb0(%i: i32):
    %next = arith.addi %i, %step : i32
    scf.yield %next : i32
  }
  %2 = scf.while (%i = %from) : (i32) -> i32 {
    %until = tile.load %p : !tile.ptr<i32> -> i32
    %goes_on = arith.cmpi slt, %i, %until : i32
    scf.condition(%goes_on) %i : i32
  } do {
  ^bb0(%i: i32):
    %next = arith.addi %i, %c1 : i32
    scf.yield %next : i32
  }
  return %0, %1, %2 : i32, i32, i32
}
