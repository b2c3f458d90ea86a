// RUN: nereid-interp %s --function loops out=buf:i32:zeros*8 5 | FileCheck %s --check-prefix=LOOPS
// RUN: nereid-interp %s --function collatz out=buf:i32:zeros*2 27 | FileCheck %s --check-prefix=COLLATZ
// RUN: not nereid-interp %s --function endless --steps 1000 | FileCheck %s --check-prefix=ENDLESS
// RUN: not nereid-interp %s --function by_zero out=buf:i32:7 0 | FileCheck %s --check-prefix=ZERO
// RUN: not nereid-interp %s --function by_zero out=buf:i32:7 | FileCheck %s --check-prefix=ARITY
// RUN: not nereid-interp %s --function recursion 3 | FileCheck %s --check-prefix=RECURSION
// RUN: not nereid-interp %s --function stuck_step 0 | FileCheck %s --check-prefix=STEP

// Two carried values that change places each time: 5 trips leave them swapped. The branch runs on even trips.
func.func @loops(%out: !tile.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c10 = arith.constant 10 : i32
  %c20 = arith.constant 20 : i32
  %a, %b, %sum = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c10, %y = %c20, %s = %c0) -> (i32, i32, i32) : i32 {
    %r = arith.remsi %i, %c2 : i32
    %even = arith.cmpi eq, %r, %c0 : i32
    %t = scf.if %even -> i32 {
      %u = arith.addi %s, %i : i32
      scf.yield %u : i32
    } else {
      scf.yield %s : i32
    }
    scf.yield %y, %x, %t : i32, i32, i32
  }
  tile.store %out, %a : !tile.ptr<i32>, i32
  %p1 = tile.addptr %out, %c1 : !tile.ptr<i32>, i32
  tile.store %p1, %b : !tile.ptr<i32>, i32
  %p2 = tile.addptr %out, %c2 : !tile.ptr<i32>, i32
  tile.store %p2, %sum : !tile.ptr<i32>, i32
  %called = func.call @twice(%n) : (i32) -> i32
  %p3 = tile.addptr %out, %c3 : !tile.ptr<i32>, i32
  tile.store %p3, %called : !tile.ptr<i32>, i32
  return
}
// LOOPS: out = 20 10 6 20 0 0 0 0

func.func private @twice(%x: i32) -> i32 attributes {noinline} {
  %a = func.call @double(%x) : (i32) -> i32
  %b = func.call @double(%a) : (i32) -> i32
  return %b : i32
}
func.func private @double(%x: i32) -> i32 {
  %y = arith.addi %x, %x : i32
  return %y : i32
}

func.func @collatz(%out: !tile.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %last, %steps = scf.while (%x = %n, %s = %c0) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi ne, %x, %c1 : i32
    scf.condition(%more) %x, %s : i32, i32
  } do {
  ^bb0(%x: i32, %s: i32):
    %bit = arith.andi %x, %c1 : i32
    %odd = arith.cmpi ne, %bit, %c0 : i32
    %half = arith.shrui %x, %c1 : i32
    %triple = arith.muli %x, %c3 : i32
    %next = arith.addi %triple, %c1 : i32
    %y = arith.select %odd, %next, %half : i32
    %t = arith.addi %s, %c1 : i32
    scf.yield %y, %t : i32, i32
  }
  tile.store %out, %last : !tile.ptr<i32>, i32
  %p1 = tile.addptr %out, %c1 : !tile.ptr<i32>, i32
  tile.store %p1, %steps : !tile.ptr<i32>, i32
  return
}
// COLLATZ: out = 1 111

func.func @endless() {
  %true = arith.constant true
  scf.while : () -> () {
    scf.condition(%true)
  } do {
    scf.yield
  }
  return
}
// ENDLESS: failed in program (0, 0, 0) at {{.*}}control.mlir:[[#@LINE-7]]:3: the program went round loops more than 1000 times

func.func @by_zero(%out: !tile.ptr<i32>, %n: i32) {
  %x = tile.load %out : !tile.ptr<i32> -> i32
  %q = arith.divsi %x, %n : i32
  tile.store %out, %q : !tile.ptr<i32>, i32
  return
}
// ZERO: failed in program (0, 0, 0) at {{.*}}control.mlir:[[#@LINE-4]]:8: integer division by zero
// ARITY: the kernel takes 2 arguments, got 1

func.func @recursion(%n: i32) {
  func.call @recursion(%n) : (i32) -> ()
  return
}
// RECURSION: cannot translate at {{.*}}control.mlir:[[#@LINE-3]]:3{{.*}}: a function that calls itself cannot run

func.func @stuck_step(%step: i32) {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  scf.for %i = %c0 to %c8 step %step : i32 {
  }
  return
}
// STEP: the step of the loop must be positive, got 0
