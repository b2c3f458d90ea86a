// RUN: nereid-interp %s --function count --grid 100 c=buf:i32:0,0 f=buf:f32:0 h=buf:f16:0 | FileCheck %s --check-prefix=COUNT
// RUN: nereid-interp %s --function count --grid 100 --threads 4 c=buf:i32:0,0 f=buf:f32:0 h=buf:f16:0 | FileCheck %s --check-prefix=COUNT
// RUN: nereid-interp %s --function locked --grid 50 lock=buf:i32:0 x=buf:f32:0 | FileCheck %s --check-prefix=LOCKED
// RUN: nereid-interp %s --function locked --grid 50 --threads 4 --seed 7 lock=buf:i32:0 x=buf:f32:0 | FileCheck %s --check-prefix=LOCKED
// RUN: nereid-interp %s --function locked --grid 50 --check lock=buf:i32:0 x=buf:f32:0 | FileCheck %s --check-prefix=LOCKED --implicit-check-not=report
// RUN: nereid-interp %s --function backwards --grid 20 x=buf:i32:zeros*21 | FileCheck %s --check-prefix=BACKWARDS
// RUN: nereid-interp %s --function backwards --grid 20 --threads 3 x=buf:i32:zeros*21 | FileCheck %s --check-prefix=BACKWARDS
// RUN: nereid-interp %s --function polled --grid 20 x=buf:i32:zeros*21 | FileCheck %s --check-prefix=BACKWARDS
// RUN: not nereid-interp %s --function forever --grid 3 lock=buf:i32:1 | FileCheck %s --check-prefix=FOREVER

func.func @count(%c: !tile.ptr<i32>, %f: !tile.ptr<f32>, %h: !tile.ptr<f16>) {
  %pid = tile.program_id 0 : i32
  %one = arith.constant 1 : i32
  %old = tile.atomic_rmw add acq_rel gpu %c, %one : !tile.ptr<i32>, i32 -> i32
  %next = tile.addptr %c, %one : !tile.ptr<i32>, i32
  %max = tile.atomic_rmw max relaxed gpu %next, %pid : !tile.ptr<i32>, i32 -> i32
  %half = arith.constant 0.5 : f32
  %before = tile.atomic_rmw fadd relaxed gpu %f, %half : !tile.ptr<f32>, f32 -> f32
  %narrow = arith.constant 0.25 : f16
  %same = tile.atomic_rmw fadd relaxed gpu %h, %narrow : !tile.ptr<f16>, f16 -> f16
  return
}
// COUNT: c = 100 99
// COUNT: f = 50
// COUNT: h = 25

// A plain sum under a lock.
func.func @locked(%lock: !tile.ptr<i32>, %x: !tile.ptr<f32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.while : () -> () {
    %old = tile.atomic_cas acq_rel gpu %lock, %zero, %one : !tile.ptr<i32>, i32
    %taken = arith.cmpi eq, %old, %one : i32
    scf.condition(%taken)
  } do {
    scf.yield
  }
  %v = tile.load %x : !tile.ptr<f32> -> f32
  %step = arith.constant 1.0 : f32
  %w = arith.addf %v, %step : f32
  tile.store %x, %w : !tile.ptr<f32>, f32
  %was = tile.atomic_rmw xchg acq_rel gpu %lock, %zero : !tile.ptr<i32>, i32 -> i32
  return
}
// LOCKED: lock = 0
// LOCKED: x = 50

// Program i waits until program i + 1 is done: all of them are under way before the first can end.
func.func @backwards(%x: !tile.ptr<i32>) {
  %pid = tile.program_id 0 : i32
  %count = tile.num_programs 0 : i32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %mine = tile.addptr %x, %pid : !tile.ptr<i32>, i32
  %next = tile.addptr %mine, %one : !tile.ptr<i32>, i32
  %last = arith.subi %count, %one : i32
  %waits = arith.cmpi ne, %pid, %last : i32
  scf.if %waits {
    scf.while : () -> () {
      %seen = tile.atomic_rmw add acquire gpu %next, %zero : !tile.ptr<i32>, i32 -> i32
      %empty = arith.cmpi eq, %seen, %zero : i32
      scf.condition(%empty)
    } do {
      scf.yield
    }
  }
  %old = tile.atomic_rmw xchg release gpu %mine, %one : !tile.ptr<i32>, i32 -> i32
  return
}
// BACKWARDS: x = 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 0

func.func @polled(%x: !tile.ptr<i32>) {
  %pid = tile.program_id 0 : i32
  %count = tile.num_programs 0 : i32
  %one = arith.constant 1 : i32
  %mine = tile.addptr %x, %pid : !tile.ptr<i32>, i32
  %next = tile.addptr %mine, %one : !tile.ptr<i32>, i32
  %last = arith.subi %count, %one : i32
  %waits = arith.cmpi ne, %pid, %last : i32
  scf.if %waits {
    %seen = tile.atomic_poll acquire gpu %next, %one : !tile.ptr<i32>, i32
  }
  %old = tile.atomic_rmw xchg release gpu %mine, %one : !tile.ptr<i32>, i32 -> i32
  return
}

// The lock is taken, and nobody gives it back.
func.func @forever(%lock: !tile.ptr<i32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.while : () -> () {
    %old = tile.atomic_cas acq_rel gpu %lock, %zero, %one : !tile.ptr<i32>, i32
    %taken = arith.cmpi eq, %old, %one : i32
    scf.condition(%taken)
  } do {
    scf.yield
  }
  return
}
// FOREVER: at {{.*}}atomic.mlir:[[#@LINE-9]]:3: this program waits here for a value that no other program writes
