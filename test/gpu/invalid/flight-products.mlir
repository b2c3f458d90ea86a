// RUN: nereid-opt %s -warp-verify-flight -split-input-file -verify-diagnostics -o /dev/null
// Products that go on by themselves.

// A result that is not there yet.
func.func @f(%p: tensor<64x64x!tile.ptr<f16>>, %c: tensor<64x64xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %x0 = tile.load %p : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
  warp.store %x0, %B[%c0] : tensor<64x64xf16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.store %x0, %B[%c1] : tensor<64x64xf16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  %a = warp.read %B[%c0] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
  %b = warp.read %B[%c1] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
  %d = tile.dot %a, %b, %c {warp.async, warp.instruction = #warp<instruction wgmma>} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  // expected-error @+1 {{uses the result of a product that is under way}}
  %e = arith.addf %d, %d : tensor<64x64xf32>
  warp.await 0
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// A wait that leaves it under way.
func.func @f(%p: tensor<64x64x!tile.ptr<f16>>, %c: tensor<64x64xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %x0 = tile.load %p : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
  warp.store %x0, %B[%c0] : tensor<64x64xf16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.store %x0, %B[%c1] : tensor<64x64xf16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  %a = warp.read %B[%c0] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
  %b = warp.read %B[%c1] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
  %d = tile.dot %a, %b, %c {warp.async, warp.instruction = #warp<instruction wgmma>} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  warp.await 1
  // expected-error @+1 {{uses the result of a product that is under way}}
  %e = arith.addf %d, %d : tensor<64x64xf32>
  warp.await 0
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// A wait that gives what it does not wait for.
func.func @f(%p: tensor<64x64x!tile.ptr<f16>>, %c: tensor<64x64xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %x0 = tile.load %p : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
  warp.store %x0, %B[%c0] : tensor<64x64xf16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.store %x0, %B[%c1] : tensor<64x64xf16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  %a = warp.read %B[%c0] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
  %b = warp.read %B[%c1] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
  %d = tile.dot %a, %b, %c {warp.async, warp.instruction = #warp<instruction wgmma>} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  // expected-error @+1 {{gives the result of a product that it does not wait for}}
  %r = warp.await 1 for %d : tensor<64x64xf32> -> tensor<64x64xf32>
  warp.await 0
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// The younger of two products.
func.func @f(%p: tensor<64x64x!tile.ptr<f16>>, %c: tensor<64x64xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %x0 = tile.load %p : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
  warp.store %x0, %B[%c0] : tensor<64x64xf16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.store %x0, %B[%c1] : tensor<64x64xf16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  %a = warp.read %B[%c0] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
  %b = warp.read %B[%c1] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
  %d = tile.dot %a, %b, %c {warp.async, warp.instruction = #warp<instruction wgmma>} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  %d2 = tile.dot %a, %b, %c {warp.async, warp.instruction = #warp<instruction wgmma>} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  warp.await 1
  %e = arith.addf %d, %d : tensor<64x64xf32>
  // expected-error @+1 {{uses the result of a product that is under way}}
  %e2 = arith.addf %d2, %d2 : tensor<64x64xf32>
  warp.await 0
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// A product reads what is overwritten.
func.func @f(%p: tensor<64x64x!tile.ptr<f16>>, %c: tensor<64x64xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %x0 = tile.load %p : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
  warp.store %x0, %B[%c0] : tensor<64x64xf16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.store %x0, %B[%c1] : tensor<64x64xf16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  %a = warp.read %B[%c0] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
  %b = warp.read %B[%c1] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
  // expected-note @+1 {{this one}}
  %d = tile.dot %a, %b, %c {warp.async, warp.instruction = #warp<instruction wgmma>} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  // expected-error @+1 {{fills slot 0, which a product still reads}}
  warp.store %x0, %B[%c0] : tensor<64x64xf16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.await 0
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// So does one behind a barrier: it is no wait for products.
func.func @f(%p: tensor<64x64x!tile.ptr<f16>>, %c: tensor<64x64xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %x0 = tile.load %p : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
  warp.store %x0, %B[%c0] : tensor<64x64xf16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.store %x0, %B[%c1] : tensor<64x64xf16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  %a = warp.read %B[%c0] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
  %b = warp.read %B[%c1] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
  // expected-note @+1 {{this one}}
  %d = tile.dot %a, %b, %c {warp.async, warp.instruction = #warp<instruction wgmma>} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  warp.barrier
  // expected-error @+1 {{fills slot 1, which a product still reads}}
  warp.copy_async %p, %B[%c1] : tensor<64x64x!tile.ptr<f16>>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.commit
  warp.wait 0
  warp.await 0
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// Threads that have not met: others may wait for their product still.
func.func @f(%p: tensor<64x64x!tile.ptr<f16>>, %c: tensor<64x64xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %x0 = tile.load %p : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
  warp.store %x0, %B[%c0] : tensor<64x64xf16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.store %x0, %B[%c1] : tensor<64x64xf16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  %a = warp.read %B[%c0] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
  %b = warp.read %B[%c1] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
  // expected-note @+1 {{this one}}
  %d = tile.dot %a, %b, %c {warp.async, warp.instruction = #warp<instruction wgmma>} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  warp.await 0
  // expected-error @+1 {{fills slot 0, which other threads may still read}}
  warp.copy_async %p, %B[%c0] : tensor<64x64x!tile.ptr<f16>>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.commit
  warp.wait 0
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// A buffer ends before the product that reads it.
func.func @f(%p: tensor<64x64x!tile.ptr<f16>>, %c: tensor<64x64xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %x0 = tile.load %p : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
  warp.store %x0, %B[%c0] : tensor<64x64xf16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.store %x0, %B[%c1] : tensor<64x64xf16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  %a = warp.read %B[%c0] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
  %b = warp.read %B[%c1] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
  // expected-note @+1 {{this one}}
  %d = tile.dot %a, %b, %c {warp.async, warp.instruction = #warp<instruction wgmma>} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  // expected-error @+1 {{releases slot 0, which a product still reads}}
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.await 0
  return
}

// -----

// A product of a slot that is being filled.
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
  %a = warp.read %B[%c0] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
  %b = warp.read %B[%c1] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
  // expected-error @+1 {{reads slot 1, into which a copy is under way}}
  %d = tile.dot %a, %b, %c {warp.async, warp.instruction = #warp<instruction wgmma>} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  warp.await 0
  warp.wait 0
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// A loop that does not drain: its last product goes on behind it.
func.func @f(%p: tensor<64x64x!tile.ptr<f16>>, %c: tensor<64x64xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %x0 = tile.load %p : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
  warp.store %x0, %B[%c0] : tensor<64x64xf16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.store %x0, %B[%c1] : tensor<64x64xf16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32>) : i32 {
    %a = warp.read %B[%c0] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
    %b = warp.read %B[%c1] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
    %d = tile.dot %a, %b, %acc {warp.async, warp.instruction = #warp<instruction wgmma>} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    warp.await 1
    scf.yield %d : tensor<64x64xf32>
  }
  // expected-error @+1 {{uses the result of a product that is under way}}
  %e = arith.addf %s, %s : tensor<64x64xf32>
  warp.await 0
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// What the iteration before left under way.
func.func @f(%p: tensor<64x64x!tile.ptr<f16>>, %c: tensor<64x64xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %x0 = tile.load %p : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
  warp.store %x0, %B[%c0] : tensor<64x64xf16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.store %x0, %B[%c1] : tensor<64x64xf16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32>) : i32 {
    %a = warp.read %B[%c0] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
    %b = warp.read %B[%c1] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
    // expected-error @+1 {{uses the result of a product that is under way}}
    %e = arith.addf %acc, %acc : tensor<64x64xf32>
    %d = tile.dot %a, %b, %acc {warp.async, warp.instruction = #warp<instruction wgmma>} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    warp.await 1
    scf.yield %d : tensor<64x64xf32>
  } {warp.drain}
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// A product on threads waits for none: but its operand is still written.
func.func @f(%p: tensor<64x64x!tile.ptr<f16>>, %c: tensor<64x64xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  // expected-note @+1 {{this one}}
  warp.copy_async %p, %B[%c0] : tensor<64x64x!tile.ptr<f16>>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.commit
  // expected-error @+1 {{reads slot 0, into which a copy is under way}}
  %a = warp.read %B[%c0] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
  %d = tile.dot %a, %a, %c {warp.instruction = #warp<instruction mma>} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  warp.wait 0
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}
