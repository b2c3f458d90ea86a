// RUN: nereid-opt %s -warp-reset-sums | FileCheck %s

// The end of a tile takes the sum in a branch: only that waits for the product, and the sum starts anew there.
// CHECK-LABEL: func.func @tiles
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00>
// CHECK: scf.for
// CHECK: %[[S:.*]] = tile.dot {{.*}}warp.async
// CHECK: %[[NEXT:.*]] = scf.if
// CHECK: %[[DONE:.*]] = warp.await 0 for %[[S]]
// CHECK: tile.store %{{.*}}, %[[DONE]]
// CHECK: scf.yield %[[ZERO]]
// CHECK: } else {
// CHECK: scf.yield %[[S]]
// CHECK: scf.yield %[[NEXT]]
func.func @tiles(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %p: tensor<64x64x!tile.ptr<f32>>, %n: i32, %last: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    %s = tile.dot %a, %b, %sum {warp.async} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    %is_last = arith.cmpi eq, %i, %last : i32
    scf.if %is_last {
      tile.store %p, %s : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xf32>
    }
    %next = arith.select %is_last, %zero, %s : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  } {warp.drain}
  return
}

// Something else looks at the sum: the product waits where it stands.
// CHECK-LABEL: func.func @watched
// CHECK: tile.dot
// CHECK-NOT: warp.async
// CHECK: arith.select
func.func @watched(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %p: tensor<64x64x!tile.ptr<f32>>, %n: i32, %last: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    %s = tile.dot %a, %b, %sum {warp.async} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    tile.store %p, %s : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xf32>
    %is_last = arith.cmpi eq, %i, %last : i32
    %next = arith.select %is_last, %zero, %s : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  return
}
