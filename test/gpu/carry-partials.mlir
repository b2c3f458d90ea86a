// RUN: nereid-opt %s -warp-carry-partials -split-input-file | FileCheck %s

#tile = #warp.layout<"64x64: register 1@1 8@0 8..32@1, lane 2..4@1 1..4@0, warp 16..32@0">
#columns = #warp.layout<"64: register 1@0 8..32@0, lane 2..4@0 0 0 0, warp 0 0">

// Sums of columns: threads add what they have of them, and meet behind the loop.
// CHECK-LABEL: @columns
// CHECK: scf.for {{.*}} -> (tensor<4x8x64xf32, {{.*}}"4x8x64: register 1@2 8..32@2, lane 2..4@2 1..4@1, warp 1..2@0">>)
// CHECK: %[[CUT:.*]] = tile.reshape {{.*}} -> tensor<4x2x8x64xf32
// CHECK: %[[PART:.*]] = tile.reduce %[[CUT]] {axis = 1 : i32}
// CHECK: arith.addf %{{.*}}, %[[PART]]
// CHECK: scf.yield
// CHECK: tile.reshape {{.*}} -> tensor<32x64xf32
// CHECK: tile.reduce {{.*}} {axis = 0 : i32} : {{.*}} -> tensor<64xf32, {{.*}}"64: register 1@0 8..32@0, lane 2..4@0 0 0 0, warp 0 0">>
// CHECK: arith.addf %arg1
func.func @columns(%x: tensor<64x64xf32, #tile>, %start: tensor<64xf32, #columns>, %n: i32) -> tensor<64xf32, #columns> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %start) -> (tensor<64xf32, #columns>) : i32 {
    %y = math.exp2 %x : tensor<64x64xf32, #tile>
    %r = tile.reduce %y {axis = 0 : i32} : (tensor<64x64xf32, #tile>) -> tensor<64xf32, #columns> {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tile.yield %s : f32
    }
    %next = arith.addf %acc, %r : tensor<64xf32, #columns>
    scf.yield %next : tensor<64xf32, #columns>
  }
  return %sum : tensor<64xf32, #columns>
}

// -----

#row = #warp.layout<"1024: register 1..2@0, lane 4..64@0, warp 128..512@0">

// One number out of a row: the loop carries what each thread has of it.
// CHECK-LABEL: @row
// CHECK: scf.for {{.*}} -> (tensor<256xf32, {{.*}}"256: lane 1..16@0, warp 32..128@0">>)
// CHECK: tile.reduce {{.*}} -> tensor<256xf32
// CHECK: scf.yield
// CHECK: tile.reduce {{.*}} -> f32
// CHECK: arith.addf {{.*}} : f32
func.func @row(%x: tensor<1024xf32, #row>, %start: f32, %n: i32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %start) -> (f32) : i32 {
    %r = tile.reduce %x {axis = 0 : i32} : (tensor<1024xf32, #row>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tile.yield %s : f32
    }
    %next = arith.addf %r, %acc : f32
    scf.yield %next : f32
  }
  return %sum : f32
}

// -----

#mine = #warp.layout<"4x128: register 1..2@0, lane 1..16@1, warp 32..64@1">
#slice = #warp.layout<"128: lane 1..16@0, warp 32..64@0">

// Threads have whole columns: nobody meets.
// CHECK-LABEL: @alone
// CHECK-NOT: tile.reshape
func.func @alone(%x: tensor<4x128xf32, #mine>, %start: tensor<128xf32, #slice>, %n: i32) -> tensor<128xf32, #slice> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %start) -> (tensor<128xf32, #slice>) : i32 {
    %r = tile.reduce %x {axis = 0 : i32} : (tensor<4x128xf32, #mine>) -> tensor<128xf32, #slice> {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tile.yield %s : f32
    }
    %next = arith.addf %acc, %r : tensor<128xf32, #slice>
    scf.yield %next : tensor<128xf32, #slice>
  }
  return %sum : tensor<128xf32, #slice>
}
