// RUN: nereid-opt %s -warp-sink-conversions -split-input-file | FileCheck %s

#a = #warp.layout<"64: register 1@0, lane 2..32@0, warp">
#b = #warp.layout<"64: register 32@0, lane 1..16@0, warp">
#c = #warp.layout<"1x64: register 32@1, lane 1..16@1, warp">

// The second load is under way while the conversion waits for the first.
// CHECK-LABEL: @behind_load
// CHECK: tile.load
// CHECK-NEXT: tile.load
// CHECK-NEXT: warp.convert_layout
// CHECK-NEXT: tile.expand_dims
// CHECK-NEXT: arith.mulf
func.func @behind_load(%p: tensor<64x!tile.ptr<f32>, #a>, %q: tensor<1x64x!tile.ptr<f32>, #c>) -> tensor<1x64xf32, #c> {
  %x = tile.load %p : tensor<64x!tile.ptr<f32>, #a> -> tensor<64xf32, #a>
  %y = warp.convert_layout %x : tensor<64xf32, #a> -> tensor<64xf32, #b>
  %z = tile.expand_dims %y {axis = 0 : i32} : tensor<64xf32, #b> -> tensor<1x64xf32, #c>
  %w = tile.load %q : tensor<1x64x!tile.ptr<f32>, #c> -> tensor<1x64xf32, #c>
  %s = arith.mulf %z, %w : tensor<1x64xf32, #c>
  return %s : tensor<1x64xf32, #c>
}

// -----

#a = #warp.layout<"64: register 1@0, lane 2..32@0, warp">
#b = #warp.layout<"64: register 32@0, lane 1..16@0, warp">

// Not into a loop, nor past buffers, which are planned around it.
// CHECK-LABEL: @in_front
// CHECK: warp.convert_layout
// CHECK-NEXT: warp.alloc
func.func @in_front(%p: tensor<64x!tile.ptr<f32>, #a>, %q: tensor<64x!tile.ptr<f32>, #b>) {
  %x = tile.load %p : tensor<64x!tile.ptr<f32>, #a> -> tensor<64xf32, #a>
  %y = warp.convert_layout %x : tensor<64xf32, #a> -> tensor<64xf32, #b>
  %buffer = warp.alloc : !warp.buffer<[64, 64] x f16, 1, fast 1, swizzle 128>
  tile.store %q, %y : tensor<64x!tile.ptr<f32>, #b>, tensor<64xf32, #b>
  warp.release %buffer : !warp.buffer<[64, 64] x f16, 1, fast 1, swizzle 128>
  return
}

// -----

#a = #warp.layout<"64: register 1@0, lane 2..32@0, warp">
#b = #warp.layout<"64: register 32@0, lane 1..16@0, warp">

// A tile that is there already does not keep the load waiting; what is loaded would take registers for longer.
// CHECK-LABEL: @there_already
// CHECK: warp.convert_layout
// CHECK: tile.load
func.func @there_already(%x: tensor<64xf32, #a>, %q: tensor<64x!tile.ptr<f32>, #b>) -> tensor<64xf32, #b> {
  %y = warp.convert_layout %x : tensor<64xf32, #a> -> tensor<64xf32, #b>
  %w = tile.load %q : tensor<64x!tile.ptr<f32>, #b> -> tensor<64xf32, #b>
  %s = arith.mulf %y, %w : tensor<64xf32, #b>
  return %s : tensor<64xf32, #b>
}

// -----

#a = #warp.layout<"16x16: register 1@1 8@0 8@1, lane 2..4@1 1..4@0, warp">
#b = #warp.layout<"16x16: register 1@0 8@0 8@1, lane 2..4@0 1..4@1, warp">

// The second operand of the second product takes no registers during the first one; it is read before the slot is filled again.
// CHECK-LABEL: @reads
// CHECK: warp.read
// CHECK-NEXT: warp.read
// CHECK-NEXT: tile.dot
// CHECK-NEXT: arith.truncf
// CHECK-NEXT: warp.read
// CHECK-NEXT: tile.dot
// CHECK-NEXT: warp.read
// CHECK-NEXT: warp.barrier
// CHECK-NEXT: warp.copy_async
// CHECK-NEXT: arith.addf
func.func @reads(%p: tensor<16x16x!tile.ptr<bf16>, #a>, %zero: tensor<16x16xf32, #a>) -> tensor<16x16xf32, #a> {
  %slot = arith.constant 0 : i32
  %one = warp.alloc : !warp.buffer<[16, 16] x bf16, 1, fast 1, swizzle 32>
  %two = warp.alloc : !warp.buffer<[16, 16] x bf16, 1, fast 1, swizzle 32>
  %three = warp.alloc : !warp.buffer<[16, 16] x f32, 1, fast 1, swizzle 64>
  %added = warp.read %three[%slot] : !warp.buffer<[16, 16] x f32, 1, fast 1, swizzle 64> -> tensor<16x16xf32, #a>
  %y = warp.read %two[%slot] : !warp.buffer<[16, 16] x bf16, 1, fast 1, swizzle 32> -> tensor<16x16xbf16, #b>
  %x = warp.read %one[%slot] : !warp.buffer<[16, 16] x bf16, 1, fast 1, swizzle 32> -> tensor<16x16xbf16, #b>
  %w = warp.read %one[%slot] : !warp.buffer<[16, 16] x bf16, 1, fast 1, swizzle 32> -> tensor<16x16xbf16, #a>
  %first = tile.dot %w, %x, %zero {warp.instruction = #warp<instruction mma>} : tensor<16x16xbf16, #a>, tensor<16x16xbf16, #b> -> tensor<16x16xf32, #a>
  %narrow = arith.truncf %first : tensor<16x16xf32, #a> to tensor<16x16xbf16, #a>
  %second = tile.dot %narrow, %y, %zero {warp.instruction = #warp<instruction mma>} : tensor<16x16xbf16, #a>, tensor<16x16xbf16, #b> -> tensor<16x16xf32, #a>
  warp.barrier
  warp.copy_async %p, %two[%slot] : tensor<16x16x!tile.ptr<bf16>, #a>, !warp.buffer<[16, 16] x bf16, 1, fast 1, swizzle 32>
  %sum = arith.addf %second, %added : tensor<16x16xf32, #a>
  warp.release %one : !warp.buffer<[16, 16] x bf16, 1, fast 1, swizzle 32>
  warp.release %two : !warp.buffer<[16, 16] x bf16, 1, fast 1, swizzle 32>
  warp.release %three : !warp.buffer<[16, 16] x f32, 1, fast 1, swizzle 64>
  return %sum : tensor<16x16xf32, #a>
}
