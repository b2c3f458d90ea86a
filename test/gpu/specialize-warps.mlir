// RUN: nereid-opt %S/Inputs/blocks.mlir -warp-specialize-warps="target=sm_90a warps=8 stages=3" | FileCheck %s
// RUN: nereid-opt %S/Inputs/blocks.mlir -warp-specialize-warps="target=sm_80 warps=8 stages=3" | FileCheck %s --check-prefix=AMPERE

// Two tiles of operands in each slot; the producer waits until a slot is empty, the consumer until it is full.
// CHECK: %[[A:.*]] = warp.alloc : <[128, 64] x f16, 6, fast 1, swizzle 128>
// CHECK: %[[B:.*]] = warp.alloc : <[128, 64] x f16, 6, fast 1, swizzle 128>
// CHECK: %[[FULL:.*]] = warp.make_barriers 1 : <6>
// CHECK: %[[EMPTY:.*]] = warp.make_barriers 8 : <6>
// CHECK: warp.specialize producer {
// CHECK: scf.for
// CHECK: warp.wait_phase %[[EMPTY]]
// CHECK: warp.expect %[[FULL]]{{.*}}, 32768
// CHECK: warp.copy_block {{.*}} %[[A]], %[[FULL]]
// CHECK: warp.copy_block {{.*}} %[[B]], %[[FULL]]
// CHECK: } consumer {
// CHECK: scf.for
// CHECK: warp.wait_phase %[[FULL]]
// CHECK: warp.read %[[A]]
// CHECK: warp.read %[[B]]
// CHECK: tile.dot {{.*}}warp.async
// CHECK: warp.await 1
// CHECK: warp.arrive %[[EMPTY]]
// CHECK: warp.drain
// CHECK: warp.arrive %[[EMPTY]]
// CHECK: warp.release %[[A]]
// AMPERE-NOT: warp.specialize

// RUN: nereid-opt %s -warp-specialize-warps="target=sm_90a warps=8 stages=3" | FileCheck %s --check-prefix=SCALED
// Products whose results are scaled and added end in their iteration; the slot is given back behind the last of them, and scales are loaded by
// those who multiply. A block that two products share comes once. The next blocks are awaited at the end of an iteration, if there is one: behind the slots
// there is a barrier that nobody has to wait at.
// SCALED: func.func @scaled
// SCALED: %[[FULL:.*]] = warp.make_barriers 1 : <5>
// SCALED: warp.make_barriers 8 : <4>
// SCALED: warp.specialize producer {
// SCALED: warp.expect {{.*}}, 40960
// SCALED-COUNT-3: warp.copy_block
// SCALED-NOT: tile.load
// SCALED: } consumer {
// SCALED: warp.wait_phase %[[FULL]]
// SCALED: scf.for
// SCALED-NOT: warp.wait_phase
// SCALED: warp.read %{{.*}}[%[[SLOT:[a-z0-9]+]]] :
// SCALED: tile.load
// SCALED: tile.dot {{.*}}warp.free
// SCALED-NOT: warp.arrive
// SCALED: tile.dot {{.*}}warp.free
// SCALED-NOT: warp.async
// SCALED-NEXT: warp.arrive %{{.*}}[%[[SLOT]]] : <
// SCALED: %[[LEFT:.*]] = arith.subi
// SCALED: %[[GOES:.*]] = arith.cmpi ugt, %[[LEFT]]
// SCALED: %[[NEXT:.*]] = arith.select %[[GOES]]
// SCALED: %[[PHASE:.*]] = arith.select %[[GOES]]
// SCALED: warp.wait_phase %[[FULL]][%[[NEXT]]] phase %[[PHASE]]
// SCALED-NEXT: scf.yield
// SCALED-NOT: warp.drain
func.func @scaled(%a: !tile.desc<tensor<128x64xf16>>, %a0: i32, %a1: i32, %as0: i64, %as1: i64,
                  %b: !tile.desc<tensor<128x64xf16>>, %b0: i32, %b1: i32, %bs0: i64, %bs1: i64,
                  %c: !tile.desc<tensor<64x64xf16>>, %c0: i32, %c1: i32, %cs0: i64, %cs1: i64, %scales: !tile.ptr<f32>,
                  %out: tensor<128x128x!tile.ptr<f32>>, %k: i32) {
  %zero = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %none = arith.constant dense<0.0> : tensor<128x128xf32>
  %nothing = arith.constant dense<0.0> : tensor<128x64xf32>
  %i = tile.program_id 0 : i32
  %sums:2 = scf.for %at = %zero to %k step %step iter_args(%first = %none, %second = %nothing) -> (tensor<128x128xf32>, tensor<128x64xf32>) : i32 {
    %x = tile.desc_load %a[%i, %at] {warp.block} : <tensor<128x64xf16>> -> tensor<128x64xf16>
    %y = tile.desc_load %b[%i, %at] {warp.block} : <tensor<128x64xf16>> -> tensor<128x64xf16>
    %z = tile.desc_load %c[%at, %i] {warp.block} : <tensor<64x64xf16>> -> tensor<64x64xf16>
    %t = tile.trans %y {order = array<i32: 1, 0>} : tensor<128x64xf16> -> tensor<64x128xf16>
    %place = tile.addptr %scales, %at : !tile.ptr<f32>, i32
    %scale = tile.load %place : !tile.ptr<f32> -> f32
    %one = tile.dot %x, %t, %none {precision = #tile<precision tf32>} : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
    %two = tile.dot %x, %z, %nothing {precision = #tile<precision tf32>} : tensor<128x64xf16>, tensor<64x64xf16> -> tensor<128x64xf32>
    %wide = tile.splat %scale : f32 -> tensor<128x128xf32>
    %narrow = tile.splat %scale : f32 -> tensor<128x64xf32>
    %scaled = arith.mulf %one, %wide : tensor<128x128xf32>
    %scaled2 = arith.mulf %two, %narrow : tensor<128x64xf32>
    %sum = arith.addf %first, %scaled : tensor<128x128xf32>
    %sum2 = arith.addf %second, %scaled2 : tensor<128x64xf32>
    scf.yield %sum, %sum2 : tensor<128x128xf32>, tensor<128x64xf32>
  } {tile.warp_specialize = true}
  tile.store %out, %sums#0 : tensor<128x128x!tile.ptr<f32>>, tensor<128x128xf32>
  return
}

// Two sums that the loop carries: their products go on into the next iteration together.
// SCALED: func.func @pair
// SCALED: } consumer {
// SCALED: tile.dot {{.*}}warp.async
// SCALED: tile.dot {{.*}}warp.async
// SCALED-NEXT: warp.await 2
// SCALED: warp.arrive %[[EMPTY:.*]][{{.*}}] when
// SCALED: warp.drain
// SCALED: warp.arrive %[[EMPTY]][{{.*}}] when
func.func @pair(%a: !tile.desc<tensor<128x64xf16>>, %a0: i32, %a1: i32, %as0: i64, %as1: i64,
                %b: !tile.desc<tensor<64x64xf16>>, %b0: i32, %b1: i32, %bs0: i64, %bs1: i64, %out: tensor<128x64x!tile.ptr<f32>>, %k: i32) {
  %zero = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %none = arith.constant dense<0.0> : tensor<128x64xf32>
  %i = tile.program_id 0 : i32
  %sums:2 = scf.for %at = %zero to %k step %step iter_args(%first = %none, %second = %none) -> (tensor<128x64xf32>, tensor<128x64xf32>) : i32 {
    %x = tile.desc_load %a[%i, %at] {warp.block} : <tensor<128x64xf16>> -> tensor<128x64xf16>
    %y = tile.desc_load %b[%at, %zero] {warp.block} : <tensor<64x64xf16>> -> tensor<64x64xf16>
    %z = tile.desc_load %b[%at, %step] {warp.block} : <tensor<64x64xf16>> -> tensor<64x64xf16>
    %one = tile.dot %x, %y, %first {precision = #tile<precision tf32>} : tensor<128x64xf16>, tensor<64x64xf16> -> tensor<128x64xf32>
    %two = tile.dot %x, %z, %second {precision = #tile<precision tf32>} : tensor<128x64xf16>, tensor<64x64xf16> -> tensor<128x64xf32>
    scf.yield %one, %two : tensor<128x64xf32>, tensor<128x64xf32>
  } {tile.warp_specialize = true}
  %total = arith.addf %sums#0, %sums#1 : tensor<128x64xf32>
  tile.store %out, %total : tensor<128x64x!tile.ptr<f32>>, tensor<128x64xf32>
  return
}

// Sums of which one is touched in between are left to the pipeline of all threads.
// SCALED: func.func @mixed
// SCALED-NOT: warp.specialize
func.func @mixed(%a: !tile.desc<tensor<128x64xf16>>, %a0: i32, %a1: i32, %as0: i64, %as1: i64, %out: tensor<128x64x!tile.ptr<f32>>, %k: i32) {
  %zero = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %none = arith.constant dense<0.0> : tensor<128x128xf32>
  %i = tile.program_id 0 : i32
  %sums:2 = scf.for %at = %zero to %k step %step iter_args(%first = %none, %second = %none) -> (tensor<128x128xf32>, tensor<128x128xf32>) : i32 {
    %x = tile.desc_load %a[%i, %at] {warp.block} : <tensor<128x64xf16>> -> tensor<128x64xf16>
    %y = tile.trans %x {order = array<i32: 1, 0>} : tensor<128x64xf16> -> tensor<64x128xf16>
    %one = tile.dot %x, %y, %first {precision = #tile<precision tf32>} : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
    %two = tile.dot %x, %y, %none {precision = #tile<precision tf32>} : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
    %larger = arith.maximumf %second, %two : tensor<128x128xf32>
    scf.yield %one, %larger : tensor<128x128xf32>, tensor<128x128xf32>
  } {tile.warp_specialize = true}
  return
}

// Numbers from memory that the kernel does not change may say where blocks are, as the expert of a tile does: the producer loads them too.
// SCALED: func.func @experts
// SCALED: warp.specialize producer {
// SCALED: tile.load
// SCALED: warp.copy_block
// SCALED: } consumer {
func.func @experts(%a: !tile.desc<tensor<128x64xf16>>, %a0: i32, %a1: i32, %as0: i64, %as1: i64, %out: !tile.ptr<f32>, %table: !tile.ptr<i32>, %k: i32) {
  %zero = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %none = arith.constant dense<0.0> : tensor<128x128xf32>
  %i = tile.program_id 0 : i32
  %at = tile.addptr %table, %i : !tile.ptr<i32>, i32
  %row = tile.load %at : !tile.ptr<i32> -> i32
  %sum = scf.for %j = %zero to %k step %step iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %x = tile.desc_load %a[%row, %j] {warp.block} : <tensor<128x64xf16>> -> tensor<128x64xf16>
    %y = tile.trans %x {order = array<i32: 1, 0>} : tensor<128x64xf16> -> tensor<64x128xf16>
    %next = tile.dot %x, %y, %acc {precision = #tile<precision tf32>} : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  } {tile.warp_specialize = true}
  %places = tile.splat %out : !tile.ptr<f32> -> tensor<128x128x!tile.ptr<f32>>
  tile.store %places, %sum : tensor<128x128x!tile.ptr<f32>>, tensor<128x128xf32>
  return
}

// Where the kernel writes to that memory, the producer would not see it.
// SCALED: func.func @changed
// SCALED-NOT: warp.specialize
func.func @changed(%a: !tile.desc<tensor<128x64xf16>>, %a0: i32, %a1: i32, %as0: i64, %as1: i64, %table: !tile.ptr<i32>, %k: i32) {
  %zero = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %none = arith.constant dense<0.0> : tensor<128x128xf32>
  tile.store %table, %k : !tile.ptr<i32>, i32
  %row = tile.load %table : !tile.ptr<i32> -> i32
  %sum = scf.for %j = %zero to %k step %step iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %x = tile.desc_load %a[%row, %j] {warp.block} : <tensor<128x64xf16>> -> tensor<128x64xf16>
    %y = tile.trans %x {order = array<i32: 1, 0>} : tensor<128x64xf16> -> tensor<64x128xf16>
    %next = tile.dot %x, %y, %acc {precision = #tile<precision tf32>} : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  } {tile.warp_specialize = true}
  return
}
