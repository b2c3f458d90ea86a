// Shape, elementwise, reduction, dot, atomic and debug ops print as they parse.
// RUN: nereid-opt %s | nereid-opt | FileCheck %s

// CHECK-LABEL: func.func @shape
func.func @shape(%s: f32, %x: tensor<4x2xf32>, %i: tensor<4x8xi32>) {
  // CHECK: tile.arange 3 to 11 : tensor<8xi32>
  %a = tile.arange 3 to 11 : tensor<8xi32>
  // CHECK: tile.splat
  %b = tile.splat %s : f32 -> tensor<1xf32>
  // CHECK: tile.unsplat
  %c = tile.unsplat %b : tensor<1xf32> -> f32
  // CHECK: tile.broadcast
  %d = tile.broadcast %b : tensor<1xf32> -> tensor<16xf32>
  // CHECK: tile.expand_dims %{{.*}} {axis = 0 : i32}
  %e = tile.expand_dims %a {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  // CHECK: tile.reshape %{{.*}} {allowReorder}
  %f = tile.reshape %x {allowReorder} : tensor<4x2xf32> -> tensor<8xf32>
  // CHECK: tile.trans %{{.*}} {order = array<i32: 1, 0>}
  %g = tile.trans %x {order = array<i32: 1, 0>} : tensor<4x2xf32> -> tensor<2x4xf32>
  // CHECK: tile.flip
  %h = tile.flip %x {axis = 1 : i32} : tensor<4x2xf32> -> tensor<4x2xf32>
  // CHECK: tile.join
  %j = tile.join %f, %f : tensor<8xf32> -> tensor<8x2xf32>
  // CHECK: tile.split
  %k, %l = tile.split %x : tensor<4x2xf32> -> tensor<4xf32>
  // CHECK: tile.cat
  %m = tile.cat %k, %f {axis = 0 : i32} : tensor<4xf32>, tensor<8xf32> -> tensor<12xf32>
  // CHECK: tile.gather
  %n = tile.gather %x[%i] {axis = 1 : i32} : tensor<4x2xf32>, tensor<4x8xi32> -> tensor<4x8xf32>
  return
}

// CHECK-LABEL: func.func @elementwise
func.func @elementwise(%x: tensor<8xf32>, %c: i1) {
  // CHECK: tile.program_id 2 : i32
  %p = tile.program_id 2 : i32
  // CHECK: tile.num_programs 0 : i32
  %n = tile.num_programs 0 : i32
  // CHECK: tile.div_rn
  %d = tile.div_rn %x, %x : tensor<8xf32>
  // CHECK: tile.sqrt_rn
  %s = tile.sqrt_rn %x : tensor<8xf32>
  // CHECK: tile.hint %{{.*}} {contiguity = array<i64: 8>, divisibility = array<i64: 16>}
  %h = tile.hint %x {contiguity = array<i64: 8>, divisibility = array<i64: 16>} : tensor<8xf32>
  // CHECK: tile.assume
  tile.assume %c
  // CHECK: tile.extern "__nv_tanhf"(%{{.*}}) {isPure} : (tensor<8xf32>) -> tensor<8xf32>
  %e = tile.extern "__nv_tanhf" (%x) {isPure} : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: tile.inline_asm "mov.b32 $0, $1;" "=r,r"(%{{.*}}) pack 1 : (tensor<8xf32>) -> tensor<8xi32>
  %a = tile.inline_asm "mov.b32 $0, $1;" "=r,r" (%x) pack 1 : (tensor<8xf32>) -> tensor<8xi32>
  // CHECK: tile.special_register "smid" : i32
  %r = tile.special_register "smid" : i32
  // CHECK: tile.map %{{.*}} pack 1
  %m = tile.map %x pack 1 : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%v: f32):
    %w = arith.negf %v : f32
    // CHECK: tile.yield
    tile.yield %w : f32
  }
  return
}

// CHECK-LABEL: func.func @combine
func.func @combine(%x: tensor<4x8xf32>, %i: tensor<8xi32>, %b: tensor<8xi1>) {
  // CHECK: tile.reduce %{{.*}} {axis = 1 : i32} : (tensor<4x8xf32>) -> tensor<4xf32>
  %r = tile.reduce %x {axis = 1 : i32} : (tensor<4x8xf32>) -> tensor<4xf32> {
  ^bb0(%l: f32, %rr: f32):
    %s = arith.addf %l, %rr : f32
    tile.yield %s : f32
  }
  // CHECK: tile.scan %{{.*}} {axis = 0 : i32, reverse} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %c = tile.scan %x {axis = 0 : i32, reverse} : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%l: f32, %rr: f32):
    %s = arith.mulf %l, %rr : f32
    tile.yield %s : f32
  }
  // CHECK: tile.sort %{{.*}} count 2 {descending} : tensor<4x8xf32> -> tensor<4x2xf32>
  %t = tile.sort %x count 2 {descending} : tensor<4x8xf32> -> tensor<4x2xf32>
  // CHECK: tile.histogram %{{.*}} mask %{{.*}} : tensor<8xi1> : tensor<8xi32> -> tensor<16xi32>
  %h = tile.histogram %i mask %b : tensor<8xi1> : tensor<8xi32> -> tensor<16xi32>
  return
}

// CHECK-LABEL: func.func @dot
func.func @dot(%a: tensor<16x32xf16>, %b: tensor<32x8xf16>, %c: tensor<16x8xf32>, %q: tensor<16x32xi8>, %qs: tensor<16x2xi8>, %r: tensor<64x8xbf16>) {
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} {precision = #tile<precision tf32>} : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
  %d = tile.dot %a, %b, %c {precision = #tile<precision tf32>} : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
  // CHECK: tile.dot_scaled %{{.*}} scale %{{.*}} : tensor<16x2xi8> e2m1, %{{.*}} bf16, %{{.*}} : tensor<16x32xi8>, tensor<64x8xbf16>, tensor<16x8xf32> -> tensor<16x8xf32>
  %e = tile.dot_scaled %q scale %qs : tensor<16x2xi8> e2m1, %r bf16, %c : tensor<16x32xi8>, tensor<64x8xbf16>, tensor<16x8xf32> -> tensor<16x8xf32>
  return
}

// CHECK-LABEL: func.func @atomic
func.func @atomic(%p: tensor<8x!tile.ptr<i32>>, %v: tensor<8xi32>, %m: tensor<8xi1>, %s: !tile.ptr<i32>, %x: i32, %t: i64) {
  // CHECK: tile.atomic_rmw add acq_rel gpu
  %a = tile.atomic_rmw add acq_rel gpu %p, %v mask %m : tensor<8xi1> : tensor<8x!tile.ptr<i32>>, tensor<8xi32> -> tensor<8xi32>
  // CHECK: tile.atomic_cas acquire sys
  %c = tile.atomic_cas acquire sys %s, %x, %x : !tile.ptr<i32>, i32
  // CHECK: tile.atomic_poll relaxed cta
  %d = tile.atomic_poll relaxed cta %s, %x timeout %t : !tile.ptr<i32>, i32
  return
}

// CHECK-LABEL: func.func @debug
func.func @debug(%x: tensor<8xi32>, %c: tensor<8xi1>) {
  // CHECK: tile.print "x" {hex, isSigned = array<i1: true>} %{{.*}} : tensor<8xi32>
  tile.print "x" {hex, isSigned = array<i1: true>} %x : tensor<8xi32>
  // CHECK: tile.assert %{{.*}}, "positive" mask %{{.*}} : tensor<8xi1> : tensor<8xi1>
  tile.assert %c, "positive" mask %c : tensor<8xi1> : tensor<8xi1>
  // CHECK: tile.barrier
  tile.barrier
  // CHECK: tile.scope "sum"
  // CHECK-NEXT: tile.scope "sum" {exit}
  tile.scope "sum"
  tile.scope "sum" {exit}
  // CHECK: tile.grid_dependency {launch}
  tile.grid_dependency {launch}
  return
}
