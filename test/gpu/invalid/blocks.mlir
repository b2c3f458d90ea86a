// RUN: nereid-opt %s  -split-input-file -verify-diagnostics

// A map begins at a pointer.
func.func @f(%n: i32, %k: i64) {
  // expected-error @+1 {{takes a pointer to numbers, not 'i32'}}
  %m = warp.tensor_map %n shape[%n, %n] strides[%k, %k] box [64, 64] swizzle 128 : i32
  return
}

// -----

// To numbers.
func.func @f(%p: !tile.ptr<!tile.ptr<f16>>, %n: i32, %k: i64) {
  // expected-error @+1 {{takes a pointer to numbers, not}}
  %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [64, 64] swizzle 128 : !tile.ptr<!tile.ptr<f16>>
  return
}

// -----

// An extent is missing.
func.func @f(%p: !tile.ptr<f16>, %n: i32, %k: i64) {
  // expected-error @+1 {{has 1 extents, 2 strides and a box of 2 axes}}
  %m = warp.tensor_map %p shape[%n] strides[%k, %k] box [64, 64] swizzle 128 : !tile.ptr<f16>
  return
}

// -----

// A stride too many.
func.func @f(%p: !tile.ptr<f16>, %n: i32, %k: i64) {
  // expected-error @+1 {{has 2 extents, 3 strides and a box of 2 axes}}
  %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k, %k] box [64, 64] swizzle 128 : !tile.ptr<f16>
  return
}

// -----

// One axis is no matrix.
func.func @f(%p: !tile.ptr<f16>, %n: i32, %k: i64) {
  // expected-error @+1 {{is of a tensor of 2 to 5 axes, not 1}}
  %m = warp.tensor_map %p shape[%n] strides[%k] box [64] swizzle 128 : !tile.ptr<f16>
  return
}

// -----

// Six axes are too many.
func.func @f(%p: !tile.ptr<f16>, %n: i32, %k: i64) {
  // expected-error @+1 {{is of a tensor of 2 to 5 axes, not 6}}
  %m = warp.tensor_map %p shape[%n, %n, %n, %n, %n, %n] strides[%k, %k, %k, %k, %k, %k] box [1, 1, 1, 1, 64, 64] swizzle 128 : !tile.ptr<f16>
  return
}

// -----

// A box has 256 rows at most.
func.func @f(%p: !tile.ptr<f16>, %n: i32, %k: i64) {
  // expected-error @+1 {{has a box with an extent that is not 1 to 256}}
  %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [512, 64] swizzle 128 : !tile.ptr<f16>
  return
}

// -----

// And one at least.
func.func @f(%p: !tile.ptr<f16>, %n: i32, %k: i64) {
  // expected-error @+1 {{has a box with an extent that is not 1 to 256}}
  %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [0, 64] swizzle 128 : !tile.ptr<f16>
  return
}

// -----

// Rows of several axes are those of all axes but the last.
func.func @f(%p: !tile.ptr<f16>, %n: i32, %k: i64) {
  // expected-error @+1 {{has rows of 3 axes, and the box 3 axes}}
  %m = warp.tensor_map %p shape[%n, %n, %n] strides[%k, %k, %k] box [2, 64, 64] block [2, 64, 64] swizzle 128 : !tile.ptr<f16>
  return
}

// -----

// A box is a matrix.
func.func @f(%p: !tile.ptr<f16>, %n: i32, %k: i64) {
  // expected-error @+1 {{has a box of more than a matrix}}
  %m = warp.tensor_map %p shape[%n, %n, %n] strides[%k, %k, %k] box [2, 64, 64] swizzle 128 : !tile.ptr<f16>
  return
}

// -----

// A row of a box is as wide as the swizzle.
func.func @f(%p: !tile.ptr<f16>, %n: i32, %k: i64) {
  // expected-error @+1 {{has rows of 64 bytes and a swizzle of 128}}
  %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [64, 32] swizzle 128 : !tile.ptr<f16>
  return
}

// -----

// Rows of 256 bytes.
func.func @f(%p: !tile.ptr<f16>, %n: i32, %k: i64) {
  // expected-error @+1 {{has rows of 256 bytes and a swizzle of 256}}
  %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [64, 128] swizzle 256 : !tile.ptr<f16>
  return
}

// -----

// An index for each axis.
func.func @f(%p: !tile.ptr<f16>, %n: i32, %k: i64) {
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %F = warp.make_barriers 1 : <2>
  %s = arith.constant 0 : i32
  %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [64, 64] swizzle 128 : !tile.ptr<f16>
  // expected-error @+1 {{has 1 indices, and the tensor 2 axes}}
  warp.copy_block %m[%n], %B, %F[%s] : <[64, 64] x f16, 2, fast 1, swizzle 128>, <2>
  return
}

// -----

// A barrier for each slot.
func.func @f(%p: !tile.ptr<f16>, %n: i32, %k: i64) {
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %F = warp.make_barriers 1 : <1>
  %s = arith.constant 0 : i32
  %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [64, 64] swizzle 128 : !tile.ptr<f16>
  // expected-error @+1 {{has a buffer of 2 slots and 1 barriers}}
  warp.copy_block %m[%n, %n], %B, %F[%s] : <[64, 64] x f16, 2, fast 1, swizzle 128>, <1>
  return
}

// -----

// Boxes of another swizzle.
func.func @f(%p: !tile.ptr<f16>, %n: i32, %k: i64) {
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %F = warp.make_barriers 1 : <2>
  %s = arith.constant 0 : i32
  %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [64, 32] swizzle 64 : !tile.ptr<f16>
  // expected-error @+1 {{has boxes of 64 rows with a swizzle of 64 bytes, and the buffer wants 64 and 128}}
  warp.copy_block %m[%n, %n], %B, %F[%s] : <[64, 64] x f16, 2, fast 1, swizzle 128>, <2>
  return
}

// -----

// Boxes of fewer rows than the buffer has.
func.func @f(%p: !tile.ptr<f16>, %n: i32, %k: i64) {
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %F = warp.make_barriers 1 : <2>
  %s = arith.constant 0 : i32
  %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [32, 64] swizzle 128 : !tile.ptr<f16>
  // expected-error @+1 {{has boxes of 32 rows with a swizzle of 128 bytes, and the buffer wants 64 and 128}}
  warp.copy_block %m[%n, %n], %B, %F[%s] : <[64, 64] x f16, 2, fast 1, swizzle 128>, <2>
  return
}

// -----

// A tensor of other numbers.
func.func @f(%p: !tile.ptr<f32>, %n: i32, %k: i64) {
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %F = warp.make_barriers 1 : <2>
  %s = arith.constant 0 : i32
  %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [64, 32] swizzle 128 : !tile.ptr<f32>
  // expected-error @+1 {{has a tensor and a buffer of different types}}
  warp.copy_block %m[%n, %n], %B, %F[%s] : <[64, 64] x f16, 2, fast 1, swizzle 128>, <2>
  return
}

// -----

// Columns one behind the other are not what the engine writes.
func.func @f(%p: !tile.ptr<f16>, %n: i32, %k: i64) {
  %B = warp.alloc : <[64, 64] x f16, 2, fast 0, swizzle 128>
  %F = warp.make_barriers 1 : <2>
  %s = arith.constant 0 : i32
  %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [64, 64] swizzle 128 : !tile.ptr<f16>
  // expected-error @+1 {{takes a buffer of two axes, with rows along the last one}}
  warp.copy_block %m[%n, %n], %B, %F[%s] : <[64, 64] x f16, 2, fast 0, swizzle 128>, <2>
  return
}

// -----

// A map that somebody else made.
func.func @f(%m: !warp.map, %n: i32) {
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %F = warp.make_barriers 1 : <2>
  %s = arith.constant 0 : i32
  // expected-error @+1 {{takes what `warp.tensor_map` makes, by itself}}
  warp.copy_block %m[%n, %n], %B, %F[%s] : <[64, 64] x f16, 2, fast 1, swizzle 128>, <2>
  return
}

// -----

// A slot that has no barrier.
func.func @f(%p: !tile.ptr<f16>, %n: i32, %k: i64) {
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %F = warp.make_barriers 1 : <2>
  %s = arith.constant 2 : i32
  %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [64, 64] swizzle 128 : !tile.ptr<f16>
  // expected-error @+1 {{names slot 2 of 2}}
  warp.copy_block %m[%n, %n], %B, %F[%s] : <[64, 64] x f16, 2, fast 1, swizzle 128>, <2>
  return
}

// -----

// More rows than the buffer has.
func.func @f(%p: !tile.ptr<f16>, %n: i32, %k: i64, %x: tensor<128x64xf16>) {
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [64, 64] swizzle 128 : !tile.ptr<f16>
  // expected-error @+1 {{has a tile that the buffer does not take in parts of its columns}}
  warp.store_block %x, %B, %m[%n, %n] : tensor<128x64xf16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// Half of its columns.
func.func @f(%p: !tile.ptr<f16>, %n: i32, %k: i64, %x: tensor<64x32xf16>) {
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [64, 64] swizzle 128 : !tile.ptr<f16>
  // expected-error @+1 {{has a tile that the buffer does not take in parts of its columns}}
  warp.store_block %x, %B, %m[%n, %n] : tensor<64x32xf16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// A vector.
func.func @f(%p: !tile.ptr<f16>, %n: i32, %k: i64, %x: tensor<64xf16>) {
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [64, 64] swizzle 128 : !tile.ptr<f16>
  // expected-error @+1 {{has a tile that the buffer does not take in parts of its columns}}
  warp.store_block %x, %B, %m[%n, %n] : tensor<64xf16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// A tile of another type.
func.func @f(%p: !tile.ptr<f16>, %n: i32, %k: i64, %x: tensor<64x64xbf16>) {
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [64, 64] swizzle 128 : !tile.ptr<f16>
  // expected-error @+1 {{has a tile of 'bf16' and a buffer of 'f16'}}
  warp.store_block %x, %B, %m[%n, %n] : tensor<64x64xbf16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// No group.
func.func @f(%p: !tile.ptr<f16>, %n: i32, %k: i64, %x: tensor<64x64xf16>) {
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [64, 64] swizzle 128 : !tile.ptr<f16>
  // expected-error @+1 {{shares 64 rows out to 0 groups}}
  warp.store_block %x, %B, %m[%n, %n] {groups = 0 : i32} : tensor<64x64xf16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// Three groups.
func.func @f(%p: !tile.ptr<f16>, %n: i32, %k: i64, %x: tensor<64x64xf16>) {
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [64, 64] swizzle 128 : !tile.ptr<f16>
  // expected-error @+1 {{shares 64 rows out to 3 groups}}
  warp.store_block %x, %B, %m[%n, %n] {groups = 3 : i32} : tensor<64x64xf16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// Two groups want boxes of half of the rows.
func.func @f(%p: !tile.ptr<f16>, %n: i32, %k: i64, %x: tensor<64x64xf16>) {
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [64, 64] swizzle 128 : !tile.ptr<f16>
  // expected-error @+1 {{has boxes of 64 rows with a swizzle of 128 bytes, and the buffer wants 32 and 128}}
  warp.store_block %x, %B, %m[%n, %n] {groups = 2 : i32} : tensor<64x64xf16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}
