// RUN: nereid-opt %s -warp-verify-flight -split-input-file -verify-diagnostics -o /dev/null
// Copies of threads, groups and waits.

// A copy that nobody has waited for.
func.func @f(%p: tensor<64x64x!tile.ptr<f16>>, %c: tensor<64x64xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  // expected-note @+1 {{this one}}
  warp.copy_async %p, %B[%c0] : tensor<64x64x!tile.ptr<f16>>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.commit
  // expected-error @+1 {{reads slot 0, into which a copy is under way}}
  %x = warp.read %B[%c0] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
  %u = arith.addf %x, %x : tensor<64x64xf16>
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// A wait sees groups only: this copy is in none.
func.func @f(%p: tensor<64x64x!tile.ptr<f16>>, %c: tensor<64x64xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  // expected-note @+1 {{this one}}
  warp.copy_async %p, %B[%c0] : tensor<64x64x!tile.ptr<f16>>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.wait 0
  // expected-error @+1 {{reads slot 0, into which a copy is under way}}
  %x = warp.read %B[%c0] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
  %u = arith.addf %x, %x : tensor<64x64xf16>
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// A wait that leaves one group leaves this one.
func.func @f(%p: tensor<64x64x!tile.ptr<f16>>, %c: tensor<64x64xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  // expected-note @+1 {{this one}}
  warp.copy_async %p, %B[%c0] : tensor<64x64x!tile.ptr<f16>>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.commit
  warp.wait 1
  // expected-error @+1 {{reads slot 0, into which a copy is under way}}
  %x = warp.read %B[%c0] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
  %u = arith.addf %x, %x : tensor<64x64xf16>
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// The younger of two.
func.func @f(%p: tensor<64x64x!tile.ptr<f16>>, %c: tensor<64x64xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.copy_async %p, %B[%c0] : tensor<64x64x!tile.ptr<f16>>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.commit
  // expected-note @+1 {{this one}}
  warp.copy_async %p, %B[%c1] : tensor<64x64x!tile.ptr<f16>>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.commit
  warp.wait 1
  %x = warp.read %B[%c0] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
  %u = arith.addf %x, %x : tensor<64x64xf16>
  // expected-error @+1 {{reads slot 1, into which a copy is under way}}
  %y = warp.read %B[%c1] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
  %v = arith.addf %y, %y : tensor<64x64xf16>
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// A slot that was never filled.
func.func @f(%p: tensor<64x64x!tile.ptr<f16>>, %c: tensor<64x64xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-note @+1 {{this one}}
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.copy_async %p, %B[%c0] : tensor<64x64x!tile.ptr<f16>>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.commit
  warp.wait 0
  // expected-error @+1 {{reads slot 1, where nothing was put}}
  %x = warp.read %B[%c1] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
  %u = arith.addf %x, %x : tensor<64x64xf16>
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// Two copies into one slot.
func.func @f(%p: tensor<64x64x!tile.ptr<f16>>, %c: tensor<64x64xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  // expected-note @+1 {{this one}}
  warp.copy_async %p, %B[%c0] : tensor<64x64x!tile.ptr<f16>>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.commit
  // expected-error @+1 {{fills slot 0, into which a copy is under way}}
  warp.copy_async %p, %B[%c0] : tensor<64x64x!tile.ptr<f16>>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.commit
  warp.wait 0
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// Other threads may not have read what is overwritten.
func.func @f(%p: tensor<64x64x!tile.ptr<f16>>, %c: tensor<64x64xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.copy_async %p, %B[%c0] : tensor<64x64x!tile.ptr<f16>>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.commit
  warp.wait 0
  // expected-note @+1 {{this one}}
  %x = warp.read %B[%c0] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
  %u = arith.addf %x, %x : tensor<64x64xf16>
  // expected-error @+1 {{fills slot 0, which other threads may still read}}
  warp.copy_async %p, %B[%c0] : tensor<64x64x!tile.ptr<f16>>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.commit
  warp.wait 0
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// A store does not wait for readers either.
func.func @f(%p: tensor<64x64x!tile.ptr<f16>>, %c: tensor<64x64xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.copy_async %p, %B[%c0] : tensor<64x64x!tile.ptr<f16>>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.commit
  warp.wait 0
  // expected-note @+1 {{this one}}
  %x = warp.read %B[%c0] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
  %u = arith.addf %x, %x : tensor<64x64xf16>
  // expected-error @+1 {{fills slot 0, which other threads may still read}}
  warp.store %u, %B[%c0] : tensor<64x64xf16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// A buffer ends before its copy does.
func.func @f(%p: tensor<64x64x!tile.ptr<f16>>, %c: tensor<64x64xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  // expected-note @+1 {{this one}}
  warp.copy_async %p, %B[%c0] : tensor<64x64x!tile.ptr<f16>>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.commit
  // expected-error @+1 {{releases slot 0, into which a copy is under way}}
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// A buffer that is gone.
func.func @f(%p: tensor<64x64x!tile.ptr<f16>>, %c: tensor<64x64xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.copy_async %p, %B[%c0] : tensor<64x64x!tile.ptr<f16>>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.commit
  warp.wait 0
  // expected-note @+1 {{this one}}
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  // expected-error @+1 {{uses a buffer after its release}}
  %x = warp.read %B[%c0] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
  %u = arith.addf %x, %x : tensor<64x64xf16>
  return
}

// -----

// A copy into a buffer that is gone.
func.func @f(%p: tensor<64x64x!tile.ptr<f16>>, %c: tensor<64x64xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  // expected-note @+1 {{this one}}
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  // expected-error @+1 {{uses a buffer after its release}}
  warp.copy_async %p, %B[%c0] : tensor<64x64x!tile.ptr<f16>>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.commit
  warp.wait 0
  return
}

// -----

// Slots are used up where they do not start again.
func.func @f(%p: tensor<64x64x!tile.ptr<f16>>, %c: tensor<64x64xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0) -> (i32) : i32 {
    // expected-error @+1 {{comes to slot 2 of 2}}
    warp.copy_async %p, %B[%s] : tensor<64x64x!tile.ptr<f16>>, <[64, 64] x f16, 2, fast 1, swizzle 128>
    warp.commit
    warp.wait 0
    %next = arith.addi %s, %c1 : i32
    scf.yield %next : i32
  }
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// A loop whose wait leaves the tile of its own iteration.
func.func @f(%p: tensor<64x64x!tile.ptr<f16>>, %c: tensor<64x64xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  // expected-note @+1 {{this one}}
  warp.copy_async %p, %B[%c0] : tensor<64x64x!tile.ptr<f16>>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.commit
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0) -> (i32) : i32 {
    warp.wait 1
    %t = arith.subi %c1, %s : i32
    %later = arith.addi %i, %c1 : i32
    %more = arith.cmpi slt, %later, %n : i32
      warp.copy_async %p, %B[%t] when %more : tensor<64x64x!tile.ptr<f16>>, <[64, 64] x f16, 2, fast 1, swizzle 128>
    warp.commit
    // expected-error @+1 {{reads slot 0, into which a copy is under way}}
    %x = warp.read %B[%s] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
    %u = arith.addf %x, %x : tensor<64x64xf16>
    scf.yield %t : i32
  }
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// A loop that fills the slot which it reads.
func.func @f(%p: tensor<64x64x!tile.ptr<f16>>, %c: tensor<64x64xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-error @+1 {{fills slot 0, which other threads may still read}}
    warp.copy_async %p, %B[%c0] : tensor<64x64x!tile.ptr<f16>>, <[64, 64] x f16, 2, fast 1, swizzle 128>
    warp.commit
    warp.wait 0
    // expected-note @+1 {{this one}}
    %x = warp.read %B[%c0] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
    %u = arith.addf %x, %x : tensor<64x64xf16>
  }
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}
