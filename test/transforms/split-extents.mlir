// RUN: nereid-opt %s -split-input-file -tile-split-extents -canonicalize -cse -verify-diagnostics | FileCheck %s

// Loads, arithmetic and stores: each piece by itself, at its place.
// CHECK-LABEL: func.func @line
// CHECK-DAG: %[[FIRST:.*]] = tile.arange 0 to 64 : tensor<64xi32>
// CHECK-DAG: %[[SECOND:.*]] = tile.arange 64 to 96 : tensor<32xi32>
// CHECK-NOT: 96x
func.func @line(%p: !tile.ptr<f32>) {
  %i = tile.arange 0 to 96 : tensor<96xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<96x!tile.ptr<f32>>
  %at = tile.addptr %base, %i : tensor<96x!tile.ptr<f32>>, tensor<96xi32>
  %x = tile.load %at : tensor<96x!tile.ptr<f32>> -> tensor<96xf32>
  %y = arith.addf %x, %x : tensor<96xf32>
  tile.store %at, %y : tensor<96x!tile.ptr<f32>>, tensor<96xf32>
  return
}

// -----

// A product: pieces of columns by themselves, pieces along K one behind the other. Loops carry all pieces. In kernels with products
// the maximum is taken of one tile as wide as the smallest piece.
// CHECK-LABEL: func.func @product
// CHECK: scf.for {{.*}} -> (tensor<64x32xf32>, tensor<64x16xf32>)
// CHECK: tile.dot {{.*}} : tensor<64x16xf16>, tensor<16x32xf16> -> tensor<64x32xf32>
// CHECK: tile.dot {{.*}} : tensor<64x8xf16>, tensor<8x32xf16> -> tensor<64x32xf32>
// CHECK: tile.dot {{.*}} : tensor<64x16xf16>, tensor<16x16xf16> -> tensor<64x16xf32>
// CHECK: tile.dot {{.*}} : tensor<64x8xf16>, tensor<8x16xf16> -> tensor<64x16xf32>
// CHECK: scf.yield {{.*}} : tensor<64x32xf32>, tensor<64x16xf32>
// CHECK: tile.reshape {{.*}} : tensor<64x32xf32> -> tensor<64x2x16xf32>
// CHECK: tile.reduce {{.*}} {axis = 1 : i32} : (tensor<64x2x16xf32>) -> tensor<64x16xf32>
// CHECK: arith.maxnumf {{.*}} : tensor<64x16xf32>
// CHECK: tile.reduce {{.*}} {axis = 1 : i32} : (tensor<64x16xf32>) -> tensor<64xf32>
func.func @product(%p: tensor<64x!tile.ptr<f32>>, %a: !tile.ptr<f16>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x48xf32>
  %pa = tile.splat %a : !tile.ptr<f16> -> tensor<64x24x!tile.ptr<f16>>
  %pb = tile.splat %a : !tile.ptr<f16> -> tensor<24x48x!tile.ptr<f16>>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<64x48xf32> : i32 {
    %x = tile.load %pa : tensor<64x24x!tile.ptr<f16>> -> tensor<64x24xf16>
    %y = tile.load %pb : tensor<24x48x!tile.ptr<f16>> -> tensor<24x48xf16>
    %next = tile.dot %x, %y, %acc : tensor<64x24xf16>, tensor<24x48xf16> -> tensor<64x48xf32>
    scf.yield %next : tensor<64x48xf32>
  }
  %most = tile.reduce %sum {axis = 1 : i32} : (tensor<64x48xf32>) -> tensor<64xf32> {
  ^bb0(%l: f32, %r: f32):
    %m = arith.maxnumf %l, %r : f32
    tile.yield %m : f32
  }
  tile.store %p, %most : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}

// -----

// Without products each piece is reduced, and the results are combined in order; a region that is no plain arithmetic runs element
// by element.
// CHECK-LABEL: func.func @rows
// CHECK: %[[FIRST:.*]] = tile.reduce {{.*}} : (tensor<4x8xi32>) -> tensor<4xi32>
// CHECK: %[[SECOND:.*]] = tile.reduce {{.*}} : (tensor<4x4xi32>) -> tensor<4xi32>
// CHECK: tile.map %[[FIRST]], %[[SECOND]] pack 1
// CHECK: scf.if
func.func @rows(%p: tensor<4x!tile.ptr<i32>>) {
  %c = tile.arange 0 to 12 : tensor<12xi32>
  %e = tile.expand_dims %c {axis = 0 : i32} : tensor<12xi32> -> tensor<1x12xi32>
  %x = tile.broadcast %e : tensor<1x12xi32> -> tensor<4x12xi32>
  %s = tile.reduce %x {axis = 1 : i32} : (tensor<4x12xi32>) -> tensor<4xi32> {
  ^bb0(%l: i32, %r: i32):
    %less = arith.cmpi slt, %l, %r : i32
    %m = scf.if %less -> i32 {
      %sum = arith.addi %l, %r : i32
      scf.yield %sum : i32
    } else {
      scf.yield %r : i32
    }
    tile.yield %m : i32
  }
  tile.store %p, %s : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  return
}

// -----

// A prefix sum goes on with what all pieces before it sum up to.
// CHECK-LABEL: func.func @prefix
// CHECK: %[[FIRST:.*]] = tile.scan
// CHECK: %[[TOTAL:.*]] = tile.reduce
// CHECK: %[[SECOND:.*]] = tile.scan
// CHECK: %[[BEFORE:.*]] = tile.splat %[[TOTAL]] : i32 -> tensor<8xi32>
// CHECK: arith.addi %[[BEFORE]], %[[SECOND]] : tensor<8xi32>
func.func @prefix(%p: !tile.ptr<i32>) {
  %c = tile.arange 0 to 24 : tensor<24xi32>
  %s = tile.scan %c {axis = 0 : i32} : (tensor<24xi32>) -> tensor<24xi32> {
  ^bb0(%l: i32, %r: i32):
    %m = arith.addi %l, %r : i32
    tile.yield %m : i32
  }
  %base = tile.splat %p : !tile.ptr<i32> -> tensor<24x!tile.ptr<i32>>
  %at = tile.addptr %base, %c : tensor<24x!tile.ptr<i32>>, tensor<24xi32>
  tile.store %at, %s : tensor<24x!tile.ptr<i32>>, tensor<24xi32>
  return
}

// -----

// Blocks: a descriptor for each shape, and the place where the piece begins. The value may lack axes of one element.
// CHECK-LABEL: func.func @blocks
// CHECK-SAME: (%[[HOST:.*]]: !tile.desc<tensor<1x96xf32>>, %[[N:.*]]: i32, %[[C:.*]]: i32, %[[S:.*]]: i64, %[[ONE:.*]]: i64, %[[P:.*]]: !tile.ptr<f32>, %[[I:.*]]: i32)
// CHECK: %[[BASE:.*]] = tile.ptr_cast %[[HOST]]
// CHECK-DAG: %[[WIDE:.*]] = tile.make_desc %[[BASE]] shape[%[[N]], %[[C]]] strides[%[[S]], %[[ONE]]] : !tile.ptr<f32> -> <tensor<1x64xf32>>
// CHECK-DAG: %[[THIN:.*]] = tile.make_desc %[[BASE]] shape[%[[N]], %[[C]]] strides[%[[S]], %[[ONE]]] : !tile.ptr<f32> -> <tensor<1x32xf32>>
// CHECK: %[[X:.*]] = tile.desc_load %[[WIDE]][%[[I]], %[[I]]] : <tensor<1x64xf32>> -> tensor<64xf32>
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]], %c64_i32
// CHECK: %[[Y:.*]] = tile.desc_load %[[THIN]][%[[I]], %[[NEXT]]] : <tensor<1x32xf32>> -> tensor<32xf32>
// CHECK: tile.desc_store {{.*}}, %[[X]] : <tensor<64xf32>>, tensor<64xf32>
// CHECK: tile.desc_store {{.*}}, %[[Y]] : <tensor<32xf32>>, tensor<32xf32>
func.func @blocks(%host: !tile.desc<tensor<1x96xf32>>, %n: i32, %c: i32, %s: i64, %one: i64, %p: !tile.ptr<f32>, %i: i32) {
  %x = tile.desc_load %host[%i, %i] : <tensor<1x96xf32>> -> tensor<96xf32>
  %d = tile.make_desc %p shape [%c] strides [%one] : !tile.ptr<f32> -> <tensor<96xf32>>
  tile.desc_store %d[%i], %x : <tensor<96xf32>>, tensor<96xf32>
  return
}

// -----

// A sum of all elements does not ask in which order they lie.
// CHECK-LABEL: func.func @sum
// CHECK: tile.reshape {{.*}} : tensor<4x8xi32> -> tensor<32xi32>
// CHECK: tile.reshape {{.*}} : tensor<4x4xi32> -> tensor<16xi32>
// CHECK: tile.reduce {{.*}} : (tensor<32xi32>) -> i32
// CHECK: tile.reduce {{.*}} : (tensor<16xi32>) -> i32
// CHECK: arith.addi {{.*}} : i32
func.func @sum(%p: !tile.ptr<i32>) {
  %c = tile.arange 0 to 12 : tensor<12xi32>
  %e = tile.expand_dims %c {axis = 0 : i32} : tensor<12xi32> -> tensor<1x12xi32>
  %x = tile.broadcast %e : tensor<1x12xi32> -> tensor<4x12xi32>
  %flat = tile.reshape %x : tensor<4x12xi32> -> tensor<48xi32>
  %s = tile.reduce %flat {axis = 0 : i32} : (tensor<48xi32>) -> i32 {
  ^bb0(%l: i32, %r: i32):
    %m = arith.addi %l, %r : i32
    tile.yield %m : i32
  }
  tile.store %p, %s : !tile.ptr<i32>, i32
  return
}

// -----

// An extent in front may be taken apart, one behind many others may not.
func.func @shapes(%p: !tile.ptr<i32>) {
  %at = tile.splat %p : !tile.ptr<i32> -> tensor<96x!tile.ptr<i32>>
  %c = tile.arange 0 to 96 : tensor<96xi32>
  %x = tile.reshape %c : tensor<96xi32> -> tensor<3x32xi32>
  %t = tile.trans %x {order = array<i32: 1, 0>} : tensor<3x32xi32> -> tensor<32x3xi32>
  // expected-error @+1 {{this reshape mixes the parts of an extent that is no power of two}}
  %y = tile.reshape %t : tensor<32x3xi32> -> tensor<96xi32>
  tile.store %at, %y : tensor<96x!tile.ptr<i32>>, tensor<96xi32>
  return
}

// -----

func.func @sorted(%p: !tile.ptr<i32>) {
  %c = tile.arange 0 to 96 : tensor<96xi32>
  // expected-error @+1 {{only a power of two of elements can be sorted}}
  %y = tile.sort %c count 8 : tensor<96xi32> -> tensor<8xi32>
  return
}
