// RUN: nereid-opt %s -warp-unroll-loops=warps=4 | FileCheck %s

// Two iterations, and nothing in them that threads wait for.
// CHECK-LABEL: func.func @short
// CHECK-NOT: scf.for
// CHECK: tile.load
// CHECK: arith.addf
// CHECK: tile.load
// CHECK: arith.addf
// CHECK: return
func.func @short(%base: !tile.ptr<f32>) -> tensor<256xf32> {
  %c0 = arith.constant 0 : i32
  %end = arith.constant 500 : i32
  %step = arith.constant 256 : i32
  %zero = arith.constant dense<0.0> : tensor<256xf32>
  %bases = tile.splat %base : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %sum = scf.for %i = %c0 to %end step %step iter_args(%acc = %zero) -> (tensor<256xf32>) : i32 {
    %offset = tile.splat %i : i32 -> tensor<256xi32>
    %p = tile.addptr %bases, %offset : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
    %x = tile.load %p : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
    %next = arith.addf %acc, %x : tensor<256xf32>
    scf.yield %next : tensor<256xf32>
  }
  return %sum : tensor<256xf32>
}

// Too many registers would wait: 16 for each of 8 iterations.
// CHECK-LABEL: func.func @large
// CHECK: scf.for
func.func @large(%base: !tile.ptr<f32>) -> tensor<2048xf32> {
  %c0 = arith.constant 0 : i32
  %end = arith.constant 16384 : i32
  %step = arith.constant 2048 : i32
  %zero = arith.constant dense<0.0> : tensor<2048xf32>
  %bases = tile.splat %base : !tile.ptr<f32> -> tensor<2048x!tile.ptr<f32>>
  %sum = scf.for %i = %c0 to %end step %step iter_args(%acc = %zero) -> (tensor<2048xf32>) : i32 {
    %offset = tile.splat %i : i32 -> tensor<2048xi32>
    %p = tile.addptr %bases, %offset : tensor<2048x!tile.ptr<f32>>, tensor<2048xi32>
    %x = tile.load %p : tensor<2048x!tile.ptr<f32>> -> tensor<2048xf32>
    %next = arith.addf %acc, %x : tensor<2048xf32>
    scf.yield %next : tensor<2048xf32>
  }
  return %sum : tensor<2048xf32>
}

// Nobody knows how many iterations there are.
// CHECK-LABEL: func.func @unknown
// CHECK: scf.for
func.func @unknown(%base: !tile.ptr<f32>, %end: i32) -> tensor<256xf32> {
  %c0 = arith.constant 0 : i32
  %step = arith.constant 256 : i32
  %zero = arith.constant dense<0.0> : tensor<256xf32>
  %bases = tile.splat %base : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %sum = scf.for %i = %c0 to %end step %step iter_args(%acc = %zero) -> (tensor<256xf32>) : i32 {
    %offset = tile.splat %i : i32 -> tensor<256xi32>
    %p = tile.addptr %bases, %offset : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
    %x = tile.load %p : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
    %next = arith.addf %acc, %x : tensor<256xf32>
    scf.yield %next : tensor<256xf32>
  }
  return %sum : tensor<256xf32>
}

// Threads write what others may read in the next iteration.
// CHECK-LABEL: func.func @stores
// CHECK: scf.for
func.func @stores(%base: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %end = arith.constant 512 : i32
  %step = arith.constant 256 : i32
  %bases = tile.splat %base : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  scf.for %i = %c0 to %end step %step : i32 {
    %offset = tile.splat %i : i32 -> tensor<256xi32>
    %p = tile.addptr %bases, %offset : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
    %x = tile.load %p : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
    tile.store %p, %x : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  }
  return
}

// The first iteration is told from the others: each goes one way.
// CHECK-LABEL: func.func @told_apart
// CHECK-NOT: scf.
// CHECK: %[[FIRST:.*]] = tile.load
// CHECK: %[[SECOND:.*]] = tile.load
// CHECK: arith.maximumf %[[FIRST]], %[[SECOND]]
// CHECK: return
func.func @told_apart(%base: !tile.ptr<f32>) -> tensor<256xf32> {
  %c0 = arith.constant 0 : i32
  %end = arith.constant 500 : i32
  %step = arith.constant 256 : i32
  %zero = arith.constant dense<0.0> : tensor<256xf32>
  %bases = tile.splat %base : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %most = scf.for %i = %c0 to %end step %step iter_args(%acc = %zero) -> (tensor<256xf32>) : i32 {
    %offset = tile.splat %i : i32 -> tensor<256xi32>
    %p = tile.addptr %bases, %offset : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
    %x = tile.load %p : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
    %isFirst = arith.cmpi eq, %i, %c0 : i32
    %next = scf.if %isFirst -> (tensor<256xf32>) {
      scf.yield %x : tensor<256xf32>
    } else {
      %larger = arith.maximumf %acc, %x : tensor<256xf32>
      scf.yield %larger : tensor<256xf32>
    }
    scf.yield %next : tensor<256xf32>
  }
  return %most : tensor<256xf32>
}
