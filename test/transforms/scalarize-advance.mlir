// RUN: nereid-opt %s -tile-scalarize-advance -cse -loop-invariant-code-motion | FileCheck %s
// RUN: nereid-opt %s -tile-scalarize-advance -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s --check-prefix=LOC

// The pointers of a matrix product: two tiles, steps that are known only at run time, in i32.
// CHECK-LABEL: func.func @matmul
func.func @matmul(%a: tensor<8x4x!tile.ptr<f32>>, %b: tensor<4x8x!tile.ptr<f32>>, %zero: tensor<8x8xf32>, %n: i32, %stride: i32) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %four = arith.constant dense<4> : tensor<8x4xi32>
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i64
  // CHECK-DAG: %[[FOUR:.*]] = arith.constant 4 : i64
  // CHECK: %[[STRIDE:.*]] = arith.extsi %arg4 : i32 to i64
  // CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %[[ZERO]], %[[B:.*]] = %[[ZERO]], %[[SUM:.*]] = %arg2) -> (i64, i64, tensor<8x8xf32>)
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %b, %sum = %zero)
      -> (tensor<8x4x!tile.ptr<f32>>, tensor<4x8x!tile.ptr<f32>>, tensor<8x8xf32>) : i32 {
    // CHECK-DAG: %[[TA:.*]] = tile.splat %[[A]] : i64 -> tensor<8x4xi64>
    // CHECK-DAG: %[[P:.*]] = tile.addptr %arg0, %[[TA]]
    // CHECK-DAG: %[[TB:.*]] = tile.splat %[[B]] : i64 -> tensor<4x8xi64>
    // CHECK-DAG: %[[Q:.*]] = tile.addptr %arg1, %[[TB]]
    // CHECK: tile.load %[[P]]
    // CHECK: tile.load %[[Q]]
    %x = tile.load %p : tensor<8x4x!tile.ptr<f32>> -> tensor<8x4xf32>
    %y = tile.load %q : tensor<4x8x!tile.ptr<f32>> -> tensor<4x8xf32>
    %next = tile.dot %x, %y, %sum : tensor<8x4xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
    %pn = tile.addptr %p, %four : tensor<8x4x!tile.ptr<f32>>, tensor<8x4xi32>
    %step = tile.splat %stride : i32 -> tensor<4x1xi32>
    %steps = tile.broadcast %step : tensor<4x1xi32> -> tensor<4x8xi32>
    %qn = tile.addptr %q, %steps : tensor<4x8x!tile.ptr<f32>>, tensor<4x8xi32>
    // CHECK: %[[AN:.*]] = arith.addi %[[A]], %[[FOUR]] : i64
    // CHECK: %[[BN:.*]] = arith.addi %[[B]], %[[STRIDE]] : i64
    // CHECK: scf.yield %[[AN]], %[[BN]]
    scf.yield %pn, %qn, %next : tensor<8x4x!tile.ptr<f32>>, tensor<4x8x!tile.ptr<f32>>, tensor<8x8xf32>
  }
  // CHECK-NOT: tile.addptr
  return %r#2 : tensor<8x8xf32>
}

// Two advances in one iteration, and the tile between them is read.
// CHECK-LABEL: func.func @two_advances
func.func @two_advances(%a: tensor<8x!tile.ptr<f32>>, %x: tensor<8xf32>, %n: i32, %first: i64, %second: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %f = tile.splat %first : i64 -> tensor<8xi64>
  %s = tile.splat %second : i32 -> tensor<8xi32>
  // CHECK: %[[SECOND:.*]] = arith.extsi %arg4 : i32 to i64
  // CHECK: scf.for {{.*}} iter_args(%[[OFFSET:.*]] =
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a) -> (tensor<8x!tile.ptr<f32>>) : i32 {
    // CHECK-NEXT: %[[MIDDLE:.*]] = arith.addi %[[OFFSET]], %arg3 : i64
    // CHECK-NEXT: %[[TILE:.*]] = tile.splat %[[MIDDLE]]
    // CHECK-NEXT: %[[P:.*]] = tile.addptr %arg0, %[[TILE]]
    // CHECK-NEXT: tile.store %[[P]], %arg1
    // CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[MIDDLE]], %[[SECOND]] : i64
    // CHECK-NEXT: scf.yield %[[NEXT]] : i64
    %p1 = tile.addptr %p, %f : tensor<8x!tile.ptr<f32>>, tensor<8xi64>
    tile.store %p1, %x : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
    %p2 = tile.addptr %p1, %s : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
    scf.yield %p2 : tensor<8x!tile.ptr<f32>>
  }
  return
}

// An index keeps its own type: it wraps as before. It may go down, and the amount may stand on the left.
// CHECK-LABEL: func.func @indices
func.func @indices(%a: !tile.ptr<i32>, %up: tensor<8xi32>, %down: tensor<8xi32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %eight = arith.constant dense<8> : tensor<8xi32>
  %base = tile.splat %a : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>>
  // CHECK: %[[EIGHT:.*]] = arith.constant 8 : i32
  // CHECK: scf.for {{.*}} iter_args(%[[U:.*]] = %c0{{.*}}, %[[D:.*]] = %c0{{.*}}) -> (i32, i32)
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %up, %d = %down) -> (tensor<8xi32>, tensor<8xi32>) : i32 {
    // CHECK-DAG: %[[TU:.*]] = tile.splat %[[U]] : i32 -> tensor<8xi32>
    // CHECK-DAG: %[[UP:.*]] = arith.addi %arg1, %[[TU]] : tensor<8xi32>
    // CHECK-DAG: %[[TD:.*]] = tile.splat %[[D]] : i32 -> tensor<8xi32>
    // CHECK-DAG: %[[DOWN:.*]] = arith.addi %arg2, %[[TD]] : tensor<8xi32>
    // CHECK: %[[P:.*]] = tile.addptr %{{.*}}, %[[UP]]
    // CHECK: tile.store %[[P]], %[[DOWN]]
    // CHECK: %[[UN:.*]] = arith.addi %[[U]], %[[EIGHT]] : i32
    // CHECK: %[[DN:.*]] = arith.subi %[[D]], %[[EIGHT]] : i32
    // CHECK: scf.yield %[[UN]], %[[DN]]
    %p = tile.addptr %base, %u : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
    tile.store %p, %d : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
    %un = arith.addi %eight, %u : tensor<8xi32>
    %dn = arith.subi %d, %eight : tensor<8xi32>
    scf.yield %un, %dn : tensor<8xi32>, tensor<8xi32>
  }
  return
}

// Elements that move by different amounts, tiles that trade places, and a step that depends on the tile stay as they are.
// CHECK-LABEL: func.func @left_alone
func.func @left_alone(%a: tensor<8x!tile.ptr<f32>>, %b: tensor<8x!tile.ptr<f32>>, %i0: tensor<8xi32>, %n: i32) -> tensor<8xi32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %eight = arith.constant dense<8> : tensor<8xi32>
  %lanes = tile.arange 0 to 8 : tensor<8xi32>
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %arg0, %{{.*}} = %arg1, %{{.*}} = %arg0, %{{.*}} = %arg2)
  %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %b, %s = %a, %j = %i0)
      -> (tensor<8x!tile.ptr<f32>>, tensor<8x!tile.ptr<f32>>, tensor<8x!tile.ptr<f32>>, tensor<8xi32>) : i32 {
    %pn = tile.addptr %p, %eight : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
    %sn = tile.addptr %s, %lanes : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
    %jn = arith.addi %j, %j : tensor<8xi32>
    scf.yield %q, %pn, %sn, %jn : tensor<8x!tile.ptr<f32>>, tensor<8x!tile.ptr<f32>>, tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  }
  return %r#3 : tensor<8xi32>
}

// CHECK-LABEL: func.func @scalars
func.func @scalars(%a: !tile.ptr<f32>, %n: i32) -> (!tile.ptr<f32>, i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %arg0, %{{.*}} = %{{.*}}) -> (!tile.ptr<f32>, i32)
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %k = %c0) -> (!tile.ptr<f32>, i32) : i32 {
    %pn = tile.addptr %p, %c1 : !tile.ptr<f32>, i32
    %kn = arith.addi %k, %c1 : i32
    scf.yield %pn, %kn : !tile.ptr<f32>, i32
  }
  return %r#0, %r#1 : !tile.ptr<f32>, i32
}

// What the inner loop has moved is one amount of the outer loop; both carry a scalar.
// CHECK-LABEL: func.func @nested
func.func @nested(%a: tensor<8x!tile.ptr<f32>>, %x: tensor<8xf32>, %n: i32, %step: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %steps = tile.splat %step : i64 -> tensor<8xi64>
  // CHECK: scf.for {{.*}} iter_args(%[[OUTER:.*]] = %c0_i64) -> (i64)
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a) -> (tensor<8x!tile.ptr<f32>>) : i32 {
    // CHECK: %[[ROW:.*]] = tile.addptr %arg0
    // CHECK: %[[MOVED:.*]] = scf.for {{.*}} iter_args(%[[INNER:.*]] = %c0_i64) -> (i64)
    %q = scf.for %j = %c0 to %n step %c1 iter_args(%s = %p) -> (tensor<8x!tile.ptr<f32>>) : i32 {
      // CHECK: %[[P:.*]] = tile.addptr %[[ROW]]
      // CHECK: tile.store %[[P]]
      tile.store %s, %x : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
      %sn = tile.addptr %s, %steps : tensor<8x!tile.ptr<f32>>, tensor<8xi64>
      scf.yield %sn : tensor<8x!tile.ptr<f32>>
    }
    // CHECK: %[[NEXT:.*]] = arith.addi %[[OUTER]], %[[MOVED]] : i64
    // CHECK: scf.yield %[[NEXT]] : i64
    scf.yield %q : tensor<8x!tile.ptr<f32>>
  }
  return
}

// After the loop the tile is built again.
// CHECK-LABEL: func.func @after_the_loop
func.func @after_the_loop(%a: tensor<8x!tile.ptr<f32>>, %x: tensor<8xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %eight = arith.constant dense<8> : tensor<8xi32>
  // CHECK: %[[MOVED:.*]] = scf.for
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a) -> (tensor<8x!tile.ptr<f32>>) : i32 {
    %pn = tile.addptr %p, %eight : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
    scf.yield %pn : tensor<8x!tile.ptr<f32>>
  } {tile.num_stages = 3 : i32}
  // CHECK: } {tile.num_stages = 3 : i32}
  // CHECK: %[[TILE:.*]] = tile.splat %[[MOVED]] : i64 -> tensor<8xi64>
  // CHECK: %[[P:.*]] = tile.addptr %arg0, %[[TILE]]
  // CHECK: tile.store %[[P]], %arg1
  tile.store %r, %x : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  return
}

// A second variable that keeps the tile of the iteration before sees the tile.
// CHECK-LABEL: func.func @previous
func.func @previous(%a: tensor<8x!tile.ptr<f32>>, %n: i32) -> tensor<8x!tile.ptr<f32>> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %eight = arith.constant dense<8> : tensor<8xi32>
  // CHECK: scf.for {{.*}} iter_args(%[[OFFSET:.*]] = %c0_i64, %{{.*}} = %arg0) -> (i64, tensor<8x!tile.ptr<f32>>)
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %last = %a)
      -> (tensor<8x!tile.ptr<f32>>, tensor<8x!tile.ptr<f32>>) : i32 {
    // CHECK: %[[P:.*]] = tile.addptr %arg0
    // CHECK: %[[NEXT:.*]] = arith.addi %[[OFFSET]]
    // CHECK: scf.yield %[[NEXT]], %[[P]]
    %pn = tile.addptr %p, %eight : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
    scf.yield %pn, %p : tensor<8x!tile.ptr<f32>>, tensor<8x!tile.ptr<f32>>
  }
  return %r#1 : tensor<8x!tile.ptr<f32>>
}

// A `while` hands its values on in another order; its test and its body both look at the tile.
// CHECK-LABEL: func.func @while
func.func @while(%a: tensor<8x!tile.ptr<i32>>, %x: tensor<8xi32>, %n: i32) -> tensor<8x!tile.ptr<i32>> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %eight = arith.constant dense<8> : tensor<8xi32>
  // CHECK: %[[R:.*]]:2 = scf.while (%[[P0:.*]] = %c0_i64, %[[I0:.*]] = %c0_i32) : (i64, i32) -> (i32, i64)
  %r:2 = scf.while (%p = %a, %i = %c0) : (tensor<8x!tile.ptr<i32>>, i32) -> (i32, tensor<8x!tile.ptr<i32>>) {
    // CHECK: tile.splat %[[P0]]
    // CHECK: %[[P:.*]] = tile.addptr %arg0
    // CHECK: tile.store %[[P]], %arg1
    // CHECK: scf.condition(%{{.*}}) %[[I0]], %[[P0]] : i32, i64
    tile.store %p, %x : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
    %more = arith.cmpi slt, %i, %n : i32
    scf.condition(%more) %i, %p : i32, tensor<8x!tile.ptr<i32>>
  } do {
  // CHECK: ^bb0(%[[J:.*]]: i32, %[[Q0:.*]]: i64):
  ^bb0(%j: i32, %q: tensor<8x!tile.ptr<i32>>):
    // CHECK: tile.splat %[[Q0]]
    // CHECK: %[[Q:.*]] = tile.addptr %arg0
    // CHECK: tile.load %[[Q]]
    %v = tile.load %q {isVolatile} : tensor<8x!tile.ptr<i32>> -> tensor<8xi32>
    %qn = tile.addptr %q, %eight : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
    %jn = arith.addi %j, %c1 : i32
    // CHECK: %[[QN:.*]] = arith.addi %[[Q0]], %{{.*}} : i64
    // CHECK: scf.yield %[[QN]]
    scf.yield %qn, %jn : tensor<8x!tile.ptr<i32>>, i32
  }
  // CHECK: tile.splat %[[R]]#1
  // CHECK: %[[LAST:.*]] = tile.addptr %arg0
  // CHECK: return %[[LAST]]
  return %r#1 : tensor<8x!tile.ptr<i32>>
}

// Everything new stands where the advance stood: reports of the checker name its line.
// LOC-LABEL: func.func @locations
func.func @locations(%a: tensor<8x!tile.ptr<f32>>, %x: tensor<8xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %eight = arith.constant dense<8> : tensor<8xi32>
  // LOC: scf.for
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a) -> (tensor<8x!tile.ptr<f32>>) : i32 {
    // LOC: tile.addptr {{.*}} loc("kernel.py":7:5)
    // LOC: tile.store {{.*}} loc("kernel.py":6:5)
    // LOC: arith.addi {{.*}} loc("kernel.py":7:5)
    tile.store %p, %x : tensor<8x!tile.ptr<f32>>, tensor<8xf32> loc("kernel.py":6:5)
    %pn = tile.addptr %p, %eight : tensor<8x!tile.ptr<f32>>, tensor<8xi32> loc("kernel.py":7:5)
    scf.yield %pn : tensor<8x!tile.ptr<f32>>
  } loc("kernel.py":5:3)
  // LOC: } loc("kernel.py":5:3)
  return
}
