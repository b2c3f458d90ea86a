// RUN: nereid-interp %s --function print --grid 2 1.5:f32 | FileCheck %s --check-prefix=PRINT
// RUN: not nereid-interp %s --function check --grid 3 2 | FileCheck %s --check-prefix=ASSERT
// RUN: nereid-interp %s --function registers x=buf:i64:zeros*2 | FileCheck %s --check-prefix=REGISTERS
// RUN: not nereid-interp %s --function assembly x=buf:f32:1 | FileCheck %s --check-prefix=ASM
// RUN: not nereid-interp %s --function unknown 1.0:f32 | FileCheck %s --check-prefix=UNKNOWN

// Triton's format: the program, the index in the tile, the prefix, and which operand where there are several.
func.func @print(%x: f32) {
  %pid = tile.program_id 0 : i32
  %i = tile.arange 0 to 2 : tensor<2xi32>
  %minus = arith.constant dense<-1> : tensor<2xi8>
  tile.print "start" {isSigned = array<i1>}
  tile.print "x" {isSigned = array<i1: true>} %x : f32
  tile.print " both: " {isSigned = array<i1: true, false>} %i, %minus : tensor<2xi32>, tensor<2xi8>
  tile.print "hex" {hex, isSigned = array<i1: true>} %minus : tensor<2xi8>
  return
}
// PRINT: pid (0, 0, 0) start
// PRINT-NEXT: pid (0, 0, 0) idx () x: 1.500000
// PRINT-NEXT: pid (0, 0, 0) idx (0) both: (operand 0) 0
// PRINT-NEXT: pid (0, 0, 0) idx (1) both: (operand 0) 1
// PRINT-NEXT: pid (0, 0, 0) idx (0) both: (operand 1) 255
// PRINT-NEXT: pid (0, 0, 0) idx (1) both: (operand 1) 255
// PRINT-NEXT: pid (0, 0, 0) idx (0) hex: 0xff
// PRINT-NEXT: pid (0, 0, 0) idx (1) hex: 0xff
// PRINT-NEXT: pid (1, 0, 0) start

func.func @check(%n: i32) {
  %pid = tile.program_id 0 : i32
  tile.barrier
  tile.grid_dependency
  %i = tile.arange 0 to 4 : tensor<4xi32>
  %p = tile.splat %pid : i32 -> tensor<4xi32>
  %ok = arith.cmpi uge, %i, %p : tensor<4xi32>
  %three = arith.constant dense<[false, true, true, true]> : tensor<4xi1>
  tile.assert %ok, "index below the program" mask %three : tensor<4xi1> : tensor<4xi1>
  %known = arith.cmpi sgt, %n, %pid : i32
  tile.assume %known
  return
}
// ASSERT: failed in program (2, 0, 0) at {{.*}}debug.mlir:[[#@LINE-5]]:3: assertion failed: index below the program (element (1))

func.func @registers(%x: !tile.ptr<i64>) {
  %t = tile.special_register "globaltimer" : i64
  %s = tile.special_register "smid" : i32
  %u = tile.special_register "globaltimer" : i64
  %ordered = arith.cmpi sle, %t, %u : i64
  %one = arith.extui %ordered : i1 to i64
  tile.store %x, %one : !tile.ptr<i64>, i64
  return
}
// REGISTERS: x = 1 0

func.func @assembly(%x: !tile.ptr<f32>) {
  %v = tile.load %x : !tile.ptr<f32> -> f32
  %w = tile.inline_asm "ld.global.f32 $0, [$1];" "=f,f" (%v) pack 1 {isPure} : (f32) -> f32
  return
}
// ASM: cannot translate at {{.*}}debug.mlir:[[#@LINE-3]]:8: the instruction `ld.global.f32` of inline assembly runs only on the GPU

func.func @unknown(%x: f32) {
  %v = tile.extern "my_function"(%x) : (f32) -> f32
  return
}
// UNKNOWN: the device function `my_function` runs only on the GPU
