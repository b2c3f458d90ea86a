// RUN: nereid-interp %s --function masked x=buf:i16:1,2,3,4 y=buf:i16:zeros*4 | FileCheck %s --check-prefix=MASKED
// RUN: not nereid-interp %s --function outside --grid 3 x=buf:f32:1,2,3,4,5,6 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not nereid-interp %s --function null 0 | FileCheck %s --check-prefix=NULL
// RUN: nereid-interp %s --function blocks x=buf:f32:arange*15 y=buf:f32:zeros*8 z=buf:f32:zeros*15 | FileCheck %s --check-prefix=BLOCKS
// RUN: nereid-interp %s --function host x=buf:f32:arange*6 d=desc:x:2x3:3x1:nan 2 3 3 1 y=buf:f32:zeros*8 | FileCheck %s --check-prefix=HOST
// RUN: nereid-interp %s --function rows x=buf:i32:arange*16 y=buf:i32:zeros*8 | FileCheck %s --check-prefix=ROWS
// RUN: nereid-interp %s --function bools x=buf:i8:0,1,2,-1 y=buf:i8:zeros*4 | FileCheck %s --check-prefix=BOOLS

// Lanes outside the mask get `other`, and are not stored.
func.func @masked(%x: !tile.ptr<i16>, %y: !tile.ptr<i16>) {
  %i = tile.arange 0 to 8 : tensor<8xi32>
  %four = arith.constant dense<4> : tensor<8xi32>
  %mask = arith.cmpi slt, %i, %four : tensor<8xi32>
  %other = arith.constant dense<9> : tensor<8xi16>
  %xs = tile.splat %x : !tile.ptr<i16> -> tensor<8x!tile.ptr<i16>>
  %p = tile.addptr %xs, %i : tensor<8x!tile.ptr<i16>>, tensor<8xi32>
  %v = tile.load %p mask %mask : tensor<8xi1> other %other : tensor<8xi16> : tensor<8x!tile.ptr<i16>> -> tensor<8xi16>
  %f = tile.flip %v {axis = 0 : i32} : tensor<8xi16> -> tensor<8xi16>
  %sum = arith.addi %v, %f : tensor<8xi16>
  %ys = tile.splat %y : !tile.ptr<i16> -> tensor<8x!tile.ptr<i16>>
  %q = tile.addptr %ys, %i : tensor<8x!tile.ptr<i16>>, tensor<8xi32>
  tile.store %q, %sum mask %mask : tensor<8xi1> : tensor<8x!tile.ptr<i16>>, tensor<8xi16>
  return
}
// MASKED: y = 10 11 12 13

func.func @outside(%x: !tile.ptr<f32>) {
  %pid = tile.program_id 0 : i32
  %c2 = arith.constant 2 : i32
  %start = arith.muli %pid, %c2 : i32
  %p = tile.addptr %x, %start : !tile.ptr<f32>, i32
  %q = tile.addptr %p, %c2 : !tile.ptr<f32>, i32
  %v = tile.load %q : !tile.ptr<f32> -> f32
  tile.store %p, %v : !tile.ptr<f32>, f32
  return
}
// OUTSIDE: failed in program (2, 0, 0) at {{.*}}memory.mlir:[[#@LINE-4]]:8: `x` has 6 elements, and the load reads element 6

func.func @null(%x: !tile.ptr<f32>) {
  %v = tile.load %x : !tile.ptr<f32> -> f32
  return
}
// NULL: the load reads through a null pointer

// A 3 x 5 tensor in blocks of 2 x 4: reads outside give zero, writes outside are dropped.
func.func @blocks(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %z: !tile.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c5 = arith.constant 5 : i32
  %l1 = arith.constant 1 : i64
  %l5 = arith.constant 5 : i64
  %d = tile.make_desc %x shape [%c3, %c5] strides [%l5, %l1] : !tile.ptr<f32> -> !tile.desc<tensor<2x4xf32>>
  %v = tile.desc_load %d[%c2, %c3] : !tile.desc<tensor<2x4xf32>> -> tensor<2x4xf32>
  %i = tile.arange 0 to 8 : tensor<8xi32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %p = tile.addptr %ys, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %f = tile.reshape %v : tensor<2x4xf32> -> tensor<8xf32>
  tile.store %p, %f : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  %e = tile.make_desc %z shape [%c3, %c5] strides [%l5, %l1] : !tile.ptr<f32> -> !tile.desc<tensor<2x4xf32>>
  %nine = arith.constant dense<9.0> : tensor<2x4xf32>
  tile.desc_store %e[%c2, %c3], %nine : !tile.desc<tensor<2x4xf32>>, tensor<2x4xf32>
  tile.desc_reduce fadd %e[%c1, %c2], %nine : !tile.desc<tensor<2x4xf32>>, tensor<2x4xf32>
  return
}
// BLOCKS: y = 13 14 0 0 0 0 0 0
// BLOCKS: z = 0 0 0 0 0 0 0 9 9 9 0 0 9 18 18

// A descriptor from the host, followed by its extents and strides, with NaN outside.
func.func @host(%x: !tile.ptr<f32>, %d: !tile.desc<tensor<2x4xf32>>, %m: i32, %n: i32, %sm: i64, %sn: i64, %y: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %v = tile.desc_load %d[%c0, %c0] : !tile.desc<tensor<2x4xf32>> -> tensor<2x4xf32>
  %i = tile.arange 0 to 8 : tensor<8xi32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %p = tile.addptr %ys, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %f = tile.reshape %v : tensor<2x4xf32> -> tensor<8xf32>
  tile.store %p, %f : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  return
}
// HOST: y = 0 1 2 nan 3 4 5 nan

// Rows 2 and 0 of a 4 x 4 tensor are read, and written back to rows 1 and 3 of the same.
func.func @rows(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %l1 = arith.constant 1 : i64
  %l4 = arith.constant 4 : i64
  %d = tile.make_desc %x shape [%c4, %c4] strides [%l4, %l1] : !tile.ptr<i32> -> !tile.desc<tensor<1x4xi32>>
  %from = arith.constant dense<[2, 0]> : tensor<2xi32>
  %to = arith.constant dense<[1, 3]> : tensor<2xi32>
  %v = tile.desc_gather %d[%from, %c0] : !tile.desc<tensor<1x4xi32>>, tensor<2xi32> -> tensor<2x4xi32>
  tile.desc_scatter %d[%to, %c0], %v : !tile.desc<tensor<1x4xi32>>, tensor<2xi32>, tensor<2x4xi32>
  return
}
// ROWS: x = 0 1 2 3 8 9 10 11 8 9 10 11 0 1 2 3

// A truth value in memory is a byte; any that is not zero is true.
func.func @bools(%x: !tile.ptr<i8>, %y: !tile.ptr<i8>) {
  %i = tile.arange 0 to 4 : tensor<4xi32>
  %xb = tile.ptr_cast %x : !tile.ptr<i8> -> !tile.ptr<i1>
  %xs = tile.splat %xb : !tile.ptr<i1> -> tensor<4x!tile.ptr<i1>>
  %p = tile.addptr %xs, %i : tensor<4x!tile.ptr<i1>>, tensor<4xi32>
  %v = tile.load %p : tensor<4x!tile.ptr<i1>> -> tensor<4xi1>
  %wide = arith.extui %v : tensor<4xi1> to tensor<4xi8>
  %address = tile.ptr_to_int %y : !tile.ptr<i8> -> i64
  %yy = tile.int_to_ptr %address : i64 -> !tile.ptr<i8>
  %ys = tile.splat %yy : !tile.ptr<i8> -> tensor<4x!tile.ptr<i8>>
  %q = tile.addptr %ys, %i : tensor<4x!tile.ptr<i8>>, tensor<4xi32>
  tile.store %q, %wide : tensor<4x!tile.ptr<i8>>, tensor<4xi8>
  return
}
// BOOLS: y = 0 1 1 1
