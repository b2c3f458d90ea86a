// RUN: nereid-interp %s --function words x=buf:i32:1,2,3,-4 y=buf:i32:zeros*4 | FileCheck %s --check-prefix=WORDS
// RUN: nereid-interp %s --function bytes x=buf:i8:1,2,3,4,5,6,7,8 y=buf:i8:zeros*8 | FileCheck %s --check-prefix=BYTES
// RUN: nereid-interp %s --function bytes --check x=buf:i8:1,2,3,4,5,6,7,8 y=buf:i8:zeros*8 | FileCheck %s --check-prefix=BYTES --implicit-check-not=report
// RUN: nereid-interp %s --function unpacked x=buf:i8:1,-1,3,127 y=buf:f32:zeros*4 | FileCheck %s --check-prefix=UNPACKED
// RUN: nereid-interp %s --function floats x=buf:f32:1.5,-2,0.1,3 y=buf:f32:zeros*4 | FileCheck %s --check-prefix=FLOATS
// RUN: nereid-interp %s --function halves x=buf:f16:1.5,-2,0.5,3 y=buf:f16:zeros*4 | FileCheck %s --check-prefix=HALVES
// RUN: nereid-interp %s --function chosen x=buf:i32:1,20,-3,40 y=buf:i32:zeros*4 | FileCheck %s --check-prefix=CHOSEN
// RUN: not nereid-interp %s --function registers x=buf:i32:0 y=buf:i32:0 | FileCheck %s --check-prefix=REGISTERS

// A funnel shift, a product's high half, a permutation of bytes and a three-input table, one after the other.
func.func @words(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>) {
  %i = tile.arange 0 to 4 : tensor<4xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
  %p = tile.addptr %xs, %i : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  %v = tile.load %p : tensor<4x!tile.ptr<i32>> -> tensor<4xi32>
  %w = tile.inline_asm "{ .reg .b32 t<2>; shf.l.wrap.b32 t0, $1, $1, 8; // rotate\0A prmt.b32 t1, t0, 0, 0x0123; xor.b32 $0, t1, 0b11; }" "=r,r" (%v) pack 1 {isPure} : (tensor<4xi32>) -> tensor<4xi32>
  %ys = tile.splat %y : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
  %q = tile.addptr %ys, %i : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  tile.store %q, %w : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  return
}
// 1 rotated left by 8 is 0x100; its bytes reversed 0x10000.
// WORDS: y = 65539 131075 196611 -196612

// Four bytes in one register.
func.func @bytes(%x: !tile.ptr<i8>, %y: !tile.ptr<i8>) {
  %i = tile.arange 0 to 8 : tensor<8xi32>
  %xs = tile.splat %x : !tile.ptr<i8> -> tensor<8x!tile.ptr<i8>>
  %p = tile.addptr %xs, %i : tensor<8x!tile.ptr<i8>>, tensor<8xi32>
  %v = tile.load %p : tensor<8x!tile.ptr<i8>> -> tensor<8xi8>
  %w = tile.inline_asm "and.b32 $0, $1, 0x1F1F1F1F; shl.b32 $0, $0, 3;" "=r,r" (%v) pack 4 {isPure} : (tensor<8xi8>) -> tensor<8xi8>
  %ys = tile.splat %y : !tile.ptr<i8> -> tensor<8x!tile.ptr<i8>>
  %q = tile.addptr %ys, %i : tensor<8x!tile.ptr<i8>>, tensor<8xi32>
  tile.store %q, %w : tensor<8x!tile.ptr<i8>>, tensor<8xi8>
  return
}
// BYTES: y = 8 16 24 32 40 48 56 64

// Bytes taken apart and converted: four results for one register.
func.func @unpacked(%x: !tile.ptr<i8>, %y: !tile.ptr<f32>) {
  %i = tile.arange 0 to 4 : tensor<4xi32>
  %xs = tile.splat %x : !tile.ptr<i8> -> tensor<4x!tile.ptr<i8>>
  %p = tile.addptr %xs, %i : tensor<4x!tile.ptr<i8>>, tensor<4xi32>
  %v = tile.load %p : tensor<4x!tile.ptr<i8>> -> tensor<4xi8>
  %w = tile.inline_asm ".reg .b8 b<4>; .reg .b32 t; mov.b32 {b0, b1, b2, b3}, $4; cvt.u32.u8 t, b0; cvt.rn.f32.u32 $0, t; cvt.rn.f32.s8 $1, b1; cvt.rn.f32.u8 $2, b2; cvt.rn.f32.s8 $3, b3;" "=f,=f,=f,=f,r" (%v) pack 4 {isPure} : (tensor<4xi8>) -> tensor<4xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %q = tile.addptr %ys, %i : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  tile.store %q, %w : tensor<4x!tile.ptr<f32>>, tensor<4xf32>
  return
}
// UNPACKED: y = 1 -1 3 127

func.func @floats(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) {
  %i = tile.arange 0 to 4 : tensor<4xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  %v = tile.load %p : tensor<4x!tile.ptr<f32>> -> tensor<4xf32>
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %w = tile.inline_asm "fma.rn.f32 $0, $1, $1, 0f3F800000; min.NaN.xorsign.abs.f32 $0, $0, $2;" "=f,f,f" (%v, %one) pack 1 {isPure} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %half = tile.inline_asm "mul.f32 $0, $1, $2;" "=f,f,f" (%v, %w) pack 1 {isPure} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %q = tile.addptr %ys, %i : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  tile.store %q, %half : tensor<4x!tile.ptr<f32>>, tensor<4xf32>
  return
}
// FLOATS: y = 1.5 -2 0.10000000{{[0-9]*}} 3

func.func @halves(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>) {
  %i = tile.arange 0 to 4 : tensor<4xi32>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<4x!tile.ptr<f16>>
  %p = tile.addptr %xs, %i : tensor<4x!tile.ptr<f16>>, tensor<4xi32>
  %v = tile.load %p : tensor<4x!tile.ptr<f16>> -> tensor<4xf16>
  %w = tile.inline_asm "{ .reg .b16 e; cvt.rn.satfinite.e4m3x2.f16x2 e, $1; cvt.rn.f16x2.e4m3x2 $0, e; mul.f16x2 $0, $0, $0; }" "=r,r" (%v) pack 2 {isPure} : (tensor<4xf16>) -> tensor<4xf16>
  %ys = tile.splat %y : !tile.ptr<f16> -> tensor<4x!tile.ptr<f16>>
  %q = tile.addptr %ys, %i : tensor<4x!tile.ptr<f16>>, tensor<4xi32>
  tile.store %q, %w : tensor<4x!tile.ptr<f16>>, tensor<4xf16>
  return
}
// HALVES: y = 2.25 4 0.25 9

func.func @chosen(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>) {
  %i = tile.arange 0 to 4 : tensor<4xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
  %p = tile.addptr %xs, %i : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  %v = tile.load %p : tensor<4x!tile.ptr<i32>> -> tensor<4xi32>
  %w = tile.inline_asm "{ .reg .pred p; setp.lt.s32 p, $1, 10; selp.b32 $0, $1, 0, p; @!p add.s32 $0, $1, 100; }" "=r,r" (%v) pack 1 {isPure} : (tensor<4xi32>) -> tensor<4xi32>
  %ys = tile.splat %y : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
  %q = tile.addptr %ys, %i : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  tile.store %q, %w : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  return
}
// CHOSEN: y = 1 120 -3 140

func.func @registers(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>) {
  %v = tile.load %x : !tile.ptr<i32> -> i32
  %w = tile.inline_asm "mov.b32 $0, $1;" "=r,r,r" (%v) pack 1 {isPure} : (i32) -> i32
  tile.store %y, %w : !tile.ptr<i32>, i32
  return
}
// REGISTERS: the constraints of inline assembly must name 2 registers
