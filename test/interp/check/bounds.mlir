// RUN: nereid-interp %s --function outside --check --grid 3 x=buf:f32:1,2,3,4,5 y=buf:f32:zeros*6 | FileCheck %s --check-prefix=OUTSIDE
// RUN: nereid-interp %s --function below --check x=buf:f32:1,2,3,4 | FileCheck %s --check-prefix=BELOW
// RUN: nereid-interp %s --function neighbour --check y=buf:f32:zeros*4 x=buf:f32:zeros*4 | FileCheck %s --check-prefix=NEIGHBOUR
// RUN: nereid-interp %s --function misaligned --check x=buf:i8:zeros*16 | FileCheck %s --check-prefix=MISALIGNED
// RUN: nereid-interp %s --function overflow --check --grid 4 x=buf:i8:zeros*4 | FileCheck %s --check-prefix=OVERFLOW
// RUN: nereid-interp %s --function hashed --check x=buf:i8:zeros*4 | FileCheck %s --check-prefix=HASHED --implicit-check-not=report

// Two elements a program: the last one reads one too many. The run goes on.
func.func @outside(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) {
  %pid = tile.program_id 0 : i32
  %two = arith.constant 2 : i32
  %start = arith.muli %pid, %two : i32
  %starts = tile.splat %start : i32 -> tensor<2xi32>
  %i = tile.arange 0 to 2 : tensor<2xi32>
  %at = arith.addi %starts, %i : tensor<2xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<2x!tile.ptr<f32>>
  %p = tile.addptr %xs, %at : tensor<2x!tile.ptr<f32>>, tensor<2xi32>
  %v = tile.load %p : tensor<2x!tile.ptr<f32>> -> tensor<2xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<2x!tile.ptr<f32>>
  %q = tile.addptr %ys, %at : tensor<2x!tile.ptr<f32>>, tensor<2xi32>
  tile.store %q, %v : tensor<2x!tile.ptr<f32>>, tensor<2xf32>
  return
}
// OUTSIDE: report out-of-bounds at {{.*}}:[[#@LINE-6]]:8: the load reads element [5] of `x`, which has the shape [5] [program (2, 0, 0), 1 times]
// OUTSIDE: y = 1 2 3 4 5 0

func.func @below(%x: !tile.ptr<f32>) {
  %minus = arith.constant -1 : i32
  %one = arith.constant 1.0 : f32
  %p = tile.addptr %x, %minus : !tile.ptr<f32>, i32
  tile.store %p, %one : !tile.ptr<f32>, f32
  return
}
// BELOW: report out-of-bounds at {{.*}}:[[#@LINE-3]]:3: the store writes element [-1] of `x`

// A pointer belongs to its tensor, even where it happens to hit another one.
func.func @neighbour(%y: !tile.ptr<f32>, %x: !tile.ptr<f32>) {
  %a = tile.ptr_to_int %x : !tile.ptr<f32> -> i64
  %b = tile.ptr_to_int %y : !tile.ptr<f32> -> i64
  %distance = arith.subi %b, %a : i64
  %four = arith.constant 4 : i64
  %offset = arith.divsi %distance, %four : i64
  %one = arith.constant 1.0 : f32
  %p = tile.addptr %x, %offset : !tile.ptr<f32>, i64
  tile.store %p, %one : !tile.ptr<f32>, f32
  return
}
// NEIGHBOUR: report out-of-bounds at {{.*}}:[[#@LINE-3]]:3: the store writes element [{{.*}}] of `x`, which has the shape [4]

func.func @misaligned(%x: !tile.ptr<i8>) {
  %three = arith.constant 3 : i32
  %p = tile.addptr %x, %three : !tile.ptr<i8>, i32
  %q = tile.ptr_cast %p : !tile.ptr<i8> -> !tile.ptr<f32>
  %v = tile.load %q : !tile.ptr<f32> -> f32
  return
}
// MISALIGNED: report misaligned at {{.*}}:[[#@LINE-3]]:8: the load reads 4 bytes at byte 3 of `x`, which is not a multiple of 4

func.func @overflow(%x: !tile.ptr<i8>) {
  %pid = tile.program_id 0 : i32
  %big = arith.constant 1073741824 : i32
  %at = arith.muli %pid, %big : i32
  %p = tile.addptr %x, %at : !tile.ptr<i8>, i32
  %zero = arith.constant 0 : i32
  %first = arith.cmpi sgt, %at, %zero : i32
  %v = tile.load %p mask %first : i1 : !tile.ptr<i8> -> i8
  %down = arith.cmpi slt, %at, %zero : i32
  %w = tile.load %p mask %down : i1 : !tile.ptr<i8> -> i8
  return
}
// OVERFLOW: report out-of-bounds at {{.*}}:[[#@LINE-5]]
// OVERFLOW: report address-overflow at {{.*}}:[[#@LINE-10]]:9: the offset of an address overflows [program (2, 0, 0), 2 times]
// OVERFLOW-NEXT: note: 2 * 1073741824 is 2147483648, which 32 bits cannot hold
// OVERFLOW-NEXT: other: {{.*}}:[[#@LINE-6]]:8

// A hash wraps on purpose; its remainder is a good index.
func.func @hashed(%x: !tile.ptr<i8>) {
  %seed = arith.constant 123456789 : i32
  %factor = arith.constant 1664525 : i32
  %hash = arith.muli %seed, %factor : i32
  %four = arith.constant 4 : i32
  %at = arith.remui %hash, %four : i32
  %p = tile.addptr %x, %at : !tile.ptr<i8>, i32
  %v = tile.load %p : !tile.ptr<i8> -> i8
  return
}
// HASHED: x =
