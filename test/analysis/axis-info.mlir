// RUN: nereid-opt %s -split-input-file -tile-state-claims | FileCheck %s
// What is known of numbers, and what only seems to be: below zero, beyond the type, at the end of a tile.

// Runs of 48 numbers are runs of 16, of which the second one begins at 16.
// CHECK-LABEL: @uneven
// CHECK: tile.print "tile.arange" {claims = {contiguity = array<i64: 16>, divisibility = array<i64: 16>, isNonNegative}
func.func @uneven(%x: tensor<48xi32>) {
  %i = tile.arange 0 to 48 : tensor<48xi32>
  tile.print "" {isSigned = array<i1: true>} %i : tensor<48xi32>
  return
}

// -----

// 16 * n % 17 is no multiple of 16, though 17 is the second number of a run that begins at 16.
// CHECK-LABEL: @remainder
// CHECK: arith.remsi
// CHECK-NOT: divisibility
// CHECK: return
func.func @remainder(%n: i32) {
  %i = tile.arange 16 to 32 : tensor<16xi32>
  %c16 = arith.constant dense<16> : tensor<16xi32>
  %ns = tile.splat %n : i32 -> tensor<16xi32>
  %a = arith.muli %ns, %c16 : tensor<16xi32>
  %r = arith.remsi %a, %i : tensor<16xi32>
  return
}

// -----

// The 32 low bits of a number above zero may be a number below zero, and so may what is moved up by any number of bits.
// CHECK-LABEL: @cut
// CHECK: arith.trunci
// CHECK-NOT: tile.print "arith.{{trunci|shli}}" {{.*}}isNonNegative
// CHECK: return
func.func @cut(%n: i32) {
  %pid = tile.program_id 0 : i32
  %wide = arith.extsi %pid : i32 to i64
  %times = arith.muli %wide, %wide : i64
  %low = arith.trunci %times : i64 to i32
  %one = arith.constant 1 : i32
  %bit = arith.shli %one, %pid : i32
  return
}

// -----

// 1 divided by -20 is not above zero.
// CHECK-LABEL: @negative
// CHECK: arith.divsi
// CHECK-NOT: isNonNegative
// CHECK: return
func.func @negative() {
  %c = arith.constant -20 : i32
  %pid = tile.program_id 0 : i32
  %q = arith.divsi %pid, %c : i32
  return
}

// -----

// A constant is what its type holds of it.
// CHECK-LABEL: @beyond
// CHECK: arith.muli
// CHECK-NOT: constant
// CHECK: return
func.func @beyond() {
  %c = arith.constant 65537 : i32
  %p = arith.muli %c, %c : i32
  return
}

// -----

// Of two masks that hold for the first elements each element has one of its own.
// CHECK-LABEL: @chosen
// CHECK: arith.select
// CHECK-NEXT: return
func.func @chosen(%c: tensor<16xi1>, %n: tensor<16xi32>, %m: i32) {
  %i = tile.arange 0 to 16 : tensor<16xi32>
  %ms = tile.splat %m : i32 -> tensor<16xi32>
  %a = arith.cmpi slt, %i, %ms : tensor<16xi32>
  %b = arith.cmpi sle, %i, %ms : tensor<16xi32>
  %either = arith.select %c, %a, %b : tensor<16xi1>, tensor<16xi1>
  return
}

// -----

// A loop over numbers without a sign counts beyond the largest one with a sign.
// CHECK-LABEL: @unsigned
// CHECK: scf.for unsigned
// CHECK-NEXT: arith.addi
func.func @unsigned(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for unsigned %i = %c0 to %n step %c1 : i32 {
    %s = arith.addi %i, %n : i32
  }
  return
}

// -----

// What is stated of runs ends where the tile does; functions with effects give each element a result of its own.
// CHECK-LABEL: @stated
// CHECK: tile.print "tile.hint" {claims = {contiguity = array<i64: 16>}
// CHECK: tile.extern "clock"
// CHECK-NOT: tile.print "tile.extern"
// CHECK: tile.extern "pure"
// CHECK-NEXT: tile.print "tile.extern" {claims = {constancy = array<i64: 16>}
func.func @stated(%n: tensor<16xi32>, %x: i32) {
  %h = tile.hint %n {contiguity = array<i64: 64>} : tensor<16xi32>
  tile.print "" {isSigned = array<i1: true>} %h : tensor<16xi32>
  %xs = tile.splat %x : i32 -> tensor<16xi32>
  %e = tile.extern "clock" (%xs) : (tensor<16xi32>) -> tensor<16xi32>
  %f = tile.extern "pure" (%xs) {isPure} : (tensor<16xi32>) -> tensor<16xi32>
  return
}

// -----

// Behind the largest number comes the smallest, which is below the bound again; not in runs that begin at multiples of their length, nor where
// an index that is not below zero fits into its type.
// CHECK-LABEL: @around
// CHECK: arith.cmpi slt
// CHECK-NEXT: arith.cmpi slt
// CHECK-NEXT: tile.print "arith.cmpi" {claims = {falling = array<i64: 16>}
// CHECK-NEXT: arith.cmpi slt
// CHECK-NEXT: tile.print "arith.cmpi" {claims = {falling = array<i64: 32>}
func.func @around(%n: i32, %m: i32 {tile.divisibility = 16 : i32}, %end: tensor<32xi32>, %bound: i32) {
  %i = tile.arange 0 to 32 : tensor<32xi32>
  %pid = tile.program_id 0 : i32
  %ns = tile.splat %n : i32 -> tensor<32xi32>
  %ms = tile.splat %m : i32 -> tensor<32xi32>
  %ps = tile.splat %pid : i32 -> tensor<32xi32>
  %bounds = tile.splat %bound : i32 -> tensor<32xi32>
  %a = arith.addi %i, %ns : tensor<32xi32>
  %b = arith.addi %i, %ms : tensor<32xi32>
  %c = arith.addi %i, %ps : tensor<32xi32>
  %any = arith.cmpi slt, %a, %bounds : tensor<32xi32>
  %aligned = arith.cmpi slt, %b, %bounds : tensor<32xi32>
  %index = arith.cmpi slt, %c, %bounds : tensor<32xi32>
  return
}

// -----

// The larger of two numbers is one of them: what divides both divides it, and one that is not below zero is enough.
// CHECK-LABEL: @larger
// CHECK: tile.print "arith.maxsi" {claims = {divisibility = array<i64: 16>, isNonNegative}
// CHECK: tile.print "arith.minsi" {claims = {divisibility = array<i64: 16>}
func.func @larger(%n: i32 {tile.divisibility = 16 : i32}) {
  %c32 = arith.constant 32 : i32
  %larger = arith.maxsi %n, %c32 : i32
  %smaller = arith.minsi %n, %c32 : i32
  return
}
