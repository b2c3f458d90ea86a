// What the analysis says of values (transforms/StateClaims.cpp), compared with them: a claim that is true, and false ones of each kind.
// RUN: nereid-interp %s --function holds --grid 2 16 | count 0
// RUN: not nereid-interp %s --function run 16 | FileCheck %s --check-prefix FOLLOWS
// RUN: not nereid-interp %s --function divisor 24 | FileCheck %s --check-prefix DIVISOR
// RUN: not nereid-interp %s --function equal 0 | FileCheck %s --check-prefix EQUAL
// RUN: not nereid-interp %s --function falling 2 | FileCheck %s --check-prefix FALLING
// RUN: not nereid-interp %s --function constant 3 | FileCheck %s --check-prefix CONSTANT
// RUN: not nereid-interp %s --function positive -1 | FileCheck %s --check-prefix POSITIVE
// RUN: not nereid-interp %s --function columns 1 | FileCheck %s --check-prefix COLUMNS
// RUN: not nereid-interp %s --function wrapped 127 | FileCheck %s --check-prefix WRAPPED
// RUN: nereid-interp %s --function promised 2147483647 | count 0
// RUN: nereid-interp %s --function promised_divisor -1 | count 0
// RUN: not nereid-interp %s --function promised 0 | FileCheck %s --check-prefix PROMISED

func.func @holds(%n: i32) {
  %i = tile.arange 0 to 16 : tensor<16xi32>
  %ns = tile.splat %n : i32 -> tensor<16xi32>
  %sum = arith.addi %i, %ns : tensor<16xi32>
  tile.print "arith.addi" {claims = {contiguity = array<i64: 16>, divisibility = array<i64: 16>, isNonNegative}, isSigned = array<i1: true>} %sum : tensor<16xi32>
  return
}

func.func @run(%n: i32) {
  %ns = tile.splat %n : i32 -> tensor<4xi32>
  tile.print "tile.splat" {claims = {contiguity = array<i64: 2>}, isSigned = array<i1: true>} %ns : tensor<4xi32>
  return
}
// FOLLOWS: failed in program (0, 0, 0) at {{.*}}claims.mlir:[[#@LINE-3]]:3: false claim: `tile.splat` has runs of 2 that follow each other: element 1 is 16, the one before 16

func.func @divisor(%n: i32) {
  tile.print "" {claims = {divisibility = array<i64: 16>}, isSigned = array<i1: true>} %n : i32
  return
}
// DIVISOR: false claim: this value begins runs of 1 at multiples of 16: element 0 is 24

func.func @equal(%n: i32) {
  %i = tile.arange 0 to 4 : tensor<4xi32>
  tile.print "tile.arange" {claims = {constancy = array<i64: 4>}, isSigned = array<i1: true>} %i : tensor<4xi32>
  return
}
// EQUAL: false claim: `tile.arange` has runs of 4 equal values: element 1 is 1, the one before 0

func.func @falling(%n: i32) {
  %i = tile.arange 0 to 4 : tensor<4xi32>
  %ns = tile.splat %n : i32 -> tensor<4xi32>
  %mask = arith.cmpi sge, %i, %ns : tensor<4xi32>
  tile.print "arith.cmpi" {claims = {falling = array<i64: 2>}, isSigned = array<i1: true>} %mask : tensor<4xi1>
  tile.print "arith.cmpi" {claims = {falling = array<i64: 4>}, isSigned = array<i1: true>} %mask : tensor<4xi1>
  return
}
// FALLING: claims.mlir:[[#@LINE-3]]:3: false claim: `arith.cmpi` has runs of 4 that hold for the first ones: element 2 is -1, the one before 0

func.func @constant(%n: i32) {
  tile.print "" {claims = {constant = 2 : i64}, isSigned = array<i1: true>} %n : i32
  return
}
// CONSTANT: false claim: this value is always 2: element 0 is 3

func.func @positive(%n: i32) {
  tile.print "" {claims = {isNonNegative}, isSigned = array<i1: true>} %n : i32
  return
}
// POSITIVE: false claim: this value is never below zero: element 0 is -1

func.func @columns(%n: i32) {
  %i = tile.arange 0 to 4 : tensor<4xi32>
  %column = tile.expand_dims %i {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %both = tile.broadcast %column : tensor<4x1xi32> -> tensor<4x2xi32>
  tile.print "tile.broadcast" {claims = {contiguity = array<i64: 4, 1>, constancy = array<i64: 1, 2>}, isSigned = array<i1: true>} %both : tensor<4x2xi32>
  tile.print "tile.broadcast" {claims = {constancy = array<i64: 2, 1>}, isSigned = array<i1: true>} %both : tensor<4x2xi32>
  return
}
// COLUMNS: claims.mlir:[[#@LINE-3]]:3: false claim: `tile.broadcast` has runs of 2 equal values along axis 0: element 2 is 1, the one before 0

// In a byte 127 is followed by -128, which is no run when it is extended.
func.func @wrapped(%n: i32) {
  %byte = arith.trunci %n : i32 to i8
  %i = tile.arange 0 to 2 : tensor<2xi32>
  %bytes = arith.trunci %i : tensor<2xi32> to tensor<2xi8>
  %ns = tile.splat %byte : i8 -> tensor<2xi8>
  %sum = arith.addi %bytes, %ns : tensor<2xi8>
  %wide = arith.extsi %sum : tensor<2xi8> to tensor<2xi32>
  tile.print "arith.extsi" {claims = {contiguity = array<i64: 2>}, isSigned = array<i1: true>} %wide : tensor<2xi32>
  return
}
// WRAPPED: false claim: `arith.extsi` has runs of 2 that follow each other: element 1 is -128, the one before 127

// A kernel promises that indices fit into their type, and that what they are divided by is above zero: what such a program computes says
// nothing. A sum of numbers below zero is no overflow.
func.func @promised(%n: i32) {
  %one = arith.constant 1 : i32
  %sum = arith.addi %n, %one : i32
  tile.print "arith.addi" {claims = {isNonNegative}, isSigned = array<i1: true, true, true>} %sum, %n, %one : i32, i32, i32
  %less = arith.subi %sum, %one : i32
  %minus = arith.subi %less, %one : i32
  %both = arith.addi %minus, %minus : i32
  tile.print "arith.addi" {claims = {isNonNegative}, isSigned = array<i1: true, true, true>} %both, %minus, %minus : i32, i32, i32
  return
}
// PROMISED: false claim: `arith.addi` is never below zero: element 0 is -2

func.func @promised_divisor(%n: i32) {
  %one = arith.constant 1 : i32
  %q = arith.divsi %one, %n : i32
  tile.print "arith.divsi" {claims = {isNonNegative}, isSigned = array<i1: true, true, true>} %q, %one, %n : i32, i32, i32
  return
}
