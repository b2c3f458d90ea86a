// RUN: nereid-opt %s -tile-unroll-loops | FileCheck %s

// Ten iterations by four: two of the loop, two behind it.
// CHECK-LABEL: func.func @unrolled
func.func @unrolled(%p: !tile.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c10 = arith.constant 10 : i32
  // CHECK: scf.for
  // CHECK-COUNT-4: tile.store
  // CHECK-NOT: tile.loop_unroll_factor
  // CHECK: scf.for
  // CHECK-COUNT-1: tile.store
  scf.for %i = %c0 to %c10 step %c1 : i32 {
    tile.store %p, %i : !tile.ptr<i32>, i32
  } {tile.loop_unroll_factor = 4 : i32}
  return
}

// What is not known to be small enough to count stays; a length that is only known at run time is divided.
// CHECK-LABEL: func.func @unknown
func.func @unknown(%p: !tile.ptr<i32>, %n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c3 = arith.constant 3 : i32
  // CHECK: %[[L:.*]] = arith.maxsi %arg1
  // CHECK: arith.divsi %[[L]]
  // CHECK: %[[W:.*]] = scf.for {{.*}} iter_args
  // CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[W]])
  // CHECK: return %[[R]]
  %sum = scf.for %i = %c0 to %n step %c3 iter_args(%s = %c0) -> (i32) : i32 {
    %t = arith.addi %s, %i : i32
    scf.yield %t : i32
  } {tile.loop_unroll_factor = 2 : i32}
  return %sum : i32
}

// Loops in loops multiply: those that would become too large stay as they are.
// CHECK-LABEL: func.func @endless
func.func @endless(%p: !tile.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: scf.for %{{.*}} = %c0_i32 to %arg1 step %c1_i32
  // CHECK-NEXT: scf.for
  // CHECK: return
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.for %j = %c0 to %n step %c1 : i32 {
      tile.store %p, %j : !tile.ptr<i32>, i32
    } {tile.loop_unroll_factor = 1000000000 : i32}
  } {tile.loop_unroll_factor = 1000000 : i32}
  return
}
