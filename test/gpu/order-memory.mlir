// RUN: nereid-opt %s -warp-order-memory=warps=4 | FileCheck %s

// Another thread may load what was stored.
// CHECK-LABEL: func.func @shifted
// CHECK: tile.store
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.load
func.func @shifted(%base: !tile.ptr<f32>, %x: tensor<256xf32>, %i: tensor<256xi32>, %j: tensor<256xi32>) -> tensor<256xf32> {
  %bases = tile.splat %base : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %p = tile.addptr %bases, %i : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %q = tile.addptr %bases, %j : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  tile.store %p, %x : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  %y = tile.load %q : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  return %y : tensor<256xf32>
}

// The same pointers are those of the same threads, and another argument is other memory.
// CHECK-LABEL: func.func @apart
// CHECK-NOT: tile.barrier
// CHECK: return
func.func @apart(%base: !tile.ptr<f32>, %other: !tile.ptr<f32>, %x: tensor<256xf32>, %i: tensor<256xi32>) -> (tensor<256xf32>, tensor<256xf32>) {
  %bases = tile.splat %base : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %others = tile.splat %other : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %p = tile.addptr %bases, %i : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %q = tile.addptr %others, %i : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  tile.store %p, %x : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  %y = tile.load %p : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  %z = tile.load %q : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  return %y, %z : tensor<256xf32>, tensor<256xf32>
}

// Of a small tile several threads hold the same element.
// CHECK-LABEL: func.func @small
// CHECK: tile.store
// CHECK-NEXT: tile.barrier
func.func @small(%base: !tile.ptr<f32>, %x: tensor<16xf32>, %i: tensor<16xi32>) -> tensor<16xf32> {
  %bases = tile.splat %base : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %p = tile.addptr %bases, %i : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  tile.store %p, %x : tensor<16x!tile.ptr<f32>>, tensor<16xf32>
  %y = tile.load %p : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
  return %y : tensor<16xf32>
}
