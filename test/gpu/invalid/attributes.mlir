// RUN: nereid-opt %s  -split-input-file -verify-diagnostics

// The instruction was a string once.
func.func @f(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %c: tensor<64x64xf32>) {
  // expected-error @+1 {{`warp.instruction` is an instruction}}
  %d = tile.dot %a, %b, %c {warp.instruction = "wgmma"} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  return
}

// -----

// An instruction of a sum.
func.func @f(%a: i32) {
  // expected-error @+1 {{`warp.instruction` stands on products, not on `arith.addi`}}
  %d = arith.addi %a, %a {warp.instruction = #warp<instruction mma>} : i32
  return
}

// -----

// A product that threads compute themselves ends before the next instruction.
func.func @f(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %c: tensor<64x64xf32>) {
  // expected-error @+1 {{a product by `mma` does not go on by itself}}
  %d = tile.dot %a, %b, %c {warp.async, warp.instruction = #warp<instruction mma>} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  return
}

// -----

// Registers that the product reads would be free for others.
func.func @sparse(%a: tensor<64x16xf16>, %b: tensor<32x16xf16>, %c: tensor<64x16xf32>, %places: tensor<64x2xi16>) {
  // expected-error @+1 {{a product of a sparse operand does not go on by itself: its places are in registers}}
  %d = tile.dot %a, %b, %c places %places : tensor<64x2xi16> {warp.async} : tensor<64x16xf16>, tensor<32x16xf16> -> tensor<64x16xf32>
  return
}

// -----

// A sum does not go on by itself.
func.func @f(%a: i32) {
  // expected-error @+1 {{`warp.async` stands on products, not on `arith.addi`}}
  %d = arith.addi %a, %a {warp.async} : i32
  return
}

// -----

// It does or it does not.
func.func @f(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %c: tensor<64x64xf32>) {
  // expected-error @+1 {{`warp.async` has no value}}
  %d = tile.dot %a, %b, %c {warp.async = 1 : i32} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  return
}

// -----

// No loop, nothing to drain.
func.func @f(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %c: tensor<64x64xf32>) {
  // expected-error @+1 {{`warp.drain` stands on loops, not on `tile.dot`}}
  %d = tile.dot %a, %b, %c {warp.drain} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  return
}

// -----

// No loop, no iteration before.
func.func @f(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %c: tensor<64x64xf32>) {
  // expected-error @+1 {{`warp.lag` stands on loops, not on `tile.dot`}}
  %d = tile.dot %a, %b, %c {warp.lag} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  return
}

// -----

// A loop drains or it does not.
func.func @f(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @+1 {{`warp.drain` has no value}}
  scf.for %i = %c0 to %n step %c1 : i32 {
  } {warp.drain = true}
  return
}

// -----

// A loop lags or it does not.
func.func @f(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @+1 {{`warp.lag` has no value}}
  scf.for %i = %c0 to %n step %c1 : i32 {
  } {warp.lag = "one"}
  return
}

// -----

// A loop is no block.
func.func @f(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @+1 {{`warp.block` stands on loads and stores of blocks, not on `scf.for`}}
  scf.for %i = %c0 to %n step %c1 : i32 {
  } {warp.block}
  return
}

// -----

// Pointers are no block.
func.func @f(%p: tensor<64x!tile.ptr<f32>>) {
  // expected-error @+1 {{`warp.block` stands on loads and stores of blocks, not on `tile.load`}}
  %x = tile.load %p {warp.block} : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  return
}

// -----

// A word that nobody knows.
func.func @f(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @+1 {{the warp dialect has no attribute `warp.delay`}}
  scf.for %i = %c0 to %n step %c1 : i32 {
  } {warp.delay = 2 : i32}
  return
}

// -----

func.func @f(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @+1 {{`warp.free` stands on products, not on `scf.for`}}
  scf.for %i = %c0 to %n step %c1 : i32 {
  } {warp.free}
  return
}
