// The lists of compiler/Pipeline.cpp, as a whole: what every target shares leaves calls alone and puts equal values together; a CPU's list knows no calls.
// RUN: nereid-opt %s -tile-pipeline | FileCheck %s
// RUN: nereid-opt %s -tile-pipeline -cpu-plan | FileCheck %s --check-prefix=CPU

// CHECK-LABEL: func.func @kernel
// CHECK: %[[SUM:.*]] = arith.addi %arg0, %arg1
// CHECK-NOT: arith.addi %arg0
// CHECK: call @product(%[[SUM]], %[[SUM]])
// CHECK: func.func private @product

// CPU-LABEL: func.func @kernel
// CPU: %[[SUM:.*]] = arith.addi %arg0, %arg1
// CPU: %[[SQUARE:.*]] = arith.muli %[[SUM]], %[[SUM]]
// CPU: return %[[SQUARE]]
// CPU-NOT: call
// CPU-NOT: @product
func.func @kernel(%a: i32, %b: i32) -> i32 {
  %x = arith.addi %a, %b : i32
  %y = arith.addi %a, %b : i32
  %z = call @product(%x, %y) : (i32, i32) -> i32
  return %z : i32
}
func.func private @product(%x: i32, %y: i32) -> i32 {
  %z = arith.muli %x, %y : i32
  return %z : i32
}
