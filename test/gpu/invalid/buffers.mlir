// RUN: nereid-opt %s  -split-input-file -verify-diagnostics

// A buffer without slots.
func.func @f() {
  // expected-error @+1 {{makes a buffer without slots}}
  %B = warp.alloc : <[64, 64] x f16, 0, fast 1, swizzle 128>
  return
}

// -----

// Two ends.
func.func @f() {
  // expected-error @+1 {{is released twice}}
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// A buffer that somebody else made.
func.func @f(%B: !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>) {
  // expected-error @+1 {{takes what `warp.alloc` or `warp.make_barriers` makes, by itself}}
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// A buffer lives as long as its block.
func.func @f(%when: i1) {
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  scf.if %when {
    // expected-error @+1 {{stands in another block than what it releases is made in}}
    warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  }
  return
}

// -----

// A tile of another shape goes into no slot.
func.func @f(%x: tensor<64x32xf16>) {
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %s = arith.constant 0 : i32
  // expected-error @+1 {{has a tile of another shape than the buffer's}}
  warp.store %x, %B[%s] : tensor<64x32xf16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// Nor one of another type.
func.func @f(%x: tensor<64x64xf32>) {
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %s = arith.constant 0 : i32
  // expected-error @+1 {{has a tile of 'f32' and a buffer of 'f16'}}
  warp.store %x, %B[%s] : tensor<64x64xf32>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// There are two slots.
func.func @f(%x: tensor<64x64xf16>) {
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %s = arith.constant 2 : i32
  // expected-error @+1 {{names slot 2 of 2}}
  warp.store %x, %B[%s] : tensor<64x64xf16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// And none before the first.
func.func @f() {
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %s = arith.constant -1 : i32
  // expected-error @+1 {{names slot -1 of 2}}
  %x = warp.read %B[%s] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
  return
}

// -----

// A slot gives the tile that it holds.
func.func @f() {
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %s = arith.constant 0 : i32
  // expected-error @+1 {{has a tile of another shape than the buffer's}}
  %x = warp.read %B[%s] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x128xf16>
  return
}

// -----

// In its type.
func.func @f() {
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %s = arith.constant 0 : i32
  // expected-error @+1 {{has a tile of 'bf16' and a buffer of 'f16'}}
  %x = warp.read %B[%s] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xbf16>
  return
}

// -----

// Who reads sees where the buffer is made.
func.func @f(%B: !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>) {
  %s = arith.constant 0 : i32
  // expected-error @+1 {{takes what `warp.alloc` makes, by itself}}
  %x = warp.read %B[%s] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
  return
}

// -----

// A choice between buffers is none.
func.func @f(%when: i1) {
  %A = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %s = arith.constant 0 : i32
  %C = arith.select %when, %A, %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  // expected-error @+1 {{takes what `warp.alloc` makes, by itself}}
  %x = warp.read %C[%s] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
  return
}

// -----

// A copy takes pointers.
func.func @f(%x: tensor<64x64xf16>) {
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %s = arith.constant 0 : i32
  // expected-error @+1 {{copies from pointers, not from 'f16'}}
  warp.copy_async %x, %B[%s] : tensor<64x64xf16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// One for each element.
func.func @f(%p: tensor<64x32x!tile.ptr<f16>>) {
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %s = arith.constant 0 : i32
  // expected-error @+1 {{has pointers of another shape than the buffer's}}
  warp.copy_async %p, %B[%s] : tensor<64x32x!tile.ptr<f16>>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// A copy does not convert.
func.func @f(%p: tensor<64x64x!tile.ptr<f32>>) {
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %s = arith.constant 0 : i32
  // expected-error @+1 {{copies 'f32' into a buffer of 'f16'}}
  warp.copy_async %p, %B[%s] : tensor<64x64x!tile.ptr<f32>>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// A mask has a bit for each element.
func.func @f(%p: tensor<64x64x!tile.ptr<f16>>, %m: tensor<64x32xi1>) {
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %s = arith.constant 0 : i32
  // expected-error @+1 {{has a mask that is no tile of i1 in the buffer's shape}}
  warp.copy_async %p, %B[%s] mask %m : tensor<64x32xi1> : tensor<64x64x!tile.ptr<f16>>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// A mask of numbers.
func.func @f(%p: tensor<64x64x!tile.ptr<f16>>, %m: tensor<64x64xi8>) {
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %s = arith.constant 0 : i32
  // expected-error @+1 {{has a mask that is no tile of i1 in the buffer's shape}}
  warp.copy_async %p, %B[%s] mask %m : tensor<64x64xi8> : tensor<64x64x!tile.ptr<f16>>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// A mask that other threads hold.
func.func @f(%p: tensor<64x64x!tile.ptr<f16>, #warp.layout<"64x64: register 1..32@0, lane 1..16@1, warp 32@1 32@0">>, %m: tensor<64x64xi1>) {
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %s = arith.constant 0 : i32
  // expected-error @+1 {{has a mask in another layout than its pointers}}
  warp.copy_async %p, %B[%s] mask %m : tensor<64x64xi1> : tensor<64x64x!tile.ptr<f16>, #warp.layout<"64x64: register 1..32@0, lane 1..16@1, warp 32@1 32@0">>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// A copy into a slot that is not there.
func.func @f(%p: tensor<64x64x!tile.ptr<f16>>) {
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %s = arith.constant 7 : i32
  // expected-error @+1 {{names slot 7 of 2}}
  warp.copy_async %p, %B[%s] : tensor<64x64x!tile.ptr<f16>>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// Fewer than no groups.
func.func @f() {
  // expected-error @+1 {{leaves a negative number of groups}}
  warp.wait -1
  return
}

// -----

// Fewer than no products.
func.func @f() {
  // expected-error @+1 {{leaves a negative number of products}}
  warp.await -1
  return
}

// -----

// Waiting does not change a tile.
func.func @f(%x: tensor<64x64xf32>) {
  // expected-error @+1 {{gives other tiles than it takes}}
  %y = "warp.await"(%x) <{pending = 0 : i32}> : (tensor<64x64xf32>) -> tensor<64x64xf16>
  return
}

// -----

// Nor how many there are.
func.func @f(%x: tensor<64x64xf32>) {
  // expected-error @+1 {{gives other tiles than it takes}}
  %y:2 = "warp.await"(%x) <{pending = 0 : i32}> : (tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>)
  return
}
