// RUN: nereid-opt %s -tile-raise-loops | FileCheck %s

// A loop that counts upwards by a constant. Behind it, its number is where counting has ended: the one that stopped the loop, or
// the first one where there was no iteration.
// CHECK-LABEL: func.func @counts
// CHECK: %[[RESULTS:.*]]:2 = scf.for %[[I:.*]] = %arg0 to %arg1 step %c64{{.*}} iter_args(%[[X:.*]] = %arg2, %{{.*}} = %arg0)
// CHECK: %[[SUM:.*]] = arith.addi %[[X]], %[[I]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]], %c64
// CHECK: scf.yield %[[SUM]], %[[NEXT]]
// CHECK: return %[[RESULTS]]#0, %[[RESULTS]]#1
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

// The other way around: `to > i`, and `1 + i`. Nobody asks for the number behind the loop.
// CHECK-LABEL: func.func @swapped
// CHECK: scf.for %{{.*}} = %arg0 to %arg1 step %c1{{.*}} iter_args(%{{.*}} = %arg2) -> (i64)
func.func @swapped(%from: i64, %to: i64, %x: i64) -> i64 {
  %c1 = arith.constant 1 : i64
  %0:2 = scf.while (%i = %from, %product = %x) : (i64, i64) -> (i64, i64) {
    %goes_on = arith.cmpi sgt, %to, %i : i64
    scf.condition(%goes_on) %i, %product : i64, i64
  } do {
  ^bb0(%i: i64, %product: i64):
    %more = arith.muli %product, %i : i64
    %next = arith.addi %c1, %i : i64
    scf.yield %next, %more : i64, i64
  }
  return %0#1 : i64
}

// An inner loop in a loop, which carry nothing but their numbers.
// CHECK-LABEL: func.func @nested
// CHECK: scf.for %[[I:.*]] = %c0{{.*}} to %arg0
// CHECK: scf.for %[[J:.*]] = %[[I]] to %arg0 step %c1{{[^ ]*}} : i32
// CHECK: tile.store {{.*}}, %[[J]]
func.func @nested(%to: i32, %p: !tile.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = scf.while (%i = %c0) : (i32) -> i32 {
    %goes_on = arith.cmpi slt, %i, %to : i32
    scf.condition(%goes_on) %i : i32
  } do {
  ^bb0(%i: i32):
    %1 = scf.while (%j = %i) : (i32) -> i32 {
      %goes_on = arith.cmpi slt, %j, %to : i32
      scf.condition(%goes_on) %j : i32
    } do {
    ^bb0(%j: i32):
      tile.store %p, %j : !tile.ptr<i32>, i32
      %next = arith.addi %j, %c1 : i32
      scf.yield %next : i32
    }
    %next = arith.addi %i, %c1 : i32
    scf.yield %next : i32
  }
  return
}

// What counts by a number of the launch stays as it is, also where another value is this one's number and a constant.
// CHECK-LABEL: func.func @another
// CHECK: scf.while
// CHECK-NOT: scf.for
func.func @another(%from: i32, %to: i32, %step: i32) -> (i32, i32) {
  %c1 = arith.constant 1 : i32
  %0:2 = scf.while (%i = %from, %j = %from) : (i32, i32) -> (i32, i32) {
    %goes_on = arith.cmpi slt, %i, %to : i32
    scf.condition(%goes_on) %i, %j : i32, i32
  } do {
  ^bb0(%i: i32, %j: i32):
    %next = arith.addi %i, %step : i32
    %other = arith.addi %i, %c1 : i32
    scf.yield %next, %other : i32, i32
  }
  return %0#0, %0#1 : i32, i32
}

// Loops count with 32 or 64 bits.
// CHECK-LABEL: func.func @narrow
// CHECK: scf.while
// CHECK-NOT: scf.for
func.func @narrow(%from: i8, %to: i8) -> i8 {
  %c1 = arith.constant 1 : i8
  %0 = scf.while (%i = %from) : (i8) -> i8 {
    %goes_on = arith.cmpi slt, %i, %to : i8
    scf.condition(%goes_on) %i : i8
  } do {
  ^bb0(%i: i8):
    %next = arith.addi %i, %c1 : i8
    scf.yield %next : i8
  }
  return %0 : i8
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
