// RUN: nereid-opt %s -tile-inline-calls | FileCheck %s

// CHECK-LABEL: func.func @kernel
// CHECK: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: %[[ONCE:.*]] = arith.addi %arg0, %[[ONE]]
// CHECK: arith.addi %[[ONCE]], %{{.*}}
// CHECK-NOT: call
// CHECK-NOT: func.func
func.func @kernel(%x: i32) -> i32 {
  %y = call @twice(%x) : (i32) -> i32
  return %y : i32
}
func.func private @twice(%x: i32) -> i32 {
  %y = call @up(%x) : (i32) -> i32
  %z = call @up(%y) : (i32) -> i32
  return %z : i32
}
func.func private @up(%x: i32) -> i32 {
  %one = arith.constant 1 : i32
  %y = arith.addi %x, %one : i32
  return %y : i32
}
