// RUN: nereid-opt %s -tile-join-loads -canonicalize | FileCheck %s

// Whole tiles and the last one are loaded in two branches: one load, whose mask is everything or what the branch says.
// CHECK-LABEL: func.func @ends
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK: %[[ALL:.*]] = tile.splat %{{.*}} : i1 -> tensor<16x16xi1>
// CHECK: %[[ANY:.*]] = arith.ori %[[ALL]], %{{.*}} : tensor<16x16xi1>
// CHECK: %[[TILE:.*]] = tile.load %arg0 mask %[[ANY]] : tensor<16x16xi1> other
// CHECK: tile.dot %[[TILE]],
func.func @ends(%p: tensor<16x16x!tile.ptr<f16>>, %b: tensor<16x16xf16>, %n: i32) -> tensor<16x16xf32> {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %none = arith.constant dense<0.0> : tensor<16x16xf16>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %places = tile.arange 0 to 16 : tensor<16xi32>
  %r = scf.for %i = %c0 to %n step %c16 iter_args(%sum = %zero) -> (tensor<16x16xf32>) : i32 {
    %end = arith.addi %i, %c16 : i32
    %all = arith.cmpi sle, %end, %n : i32
    %a = scf.if %all -> tensor<16x16xf16> {
      %whole = tile.load %p : tensor<16x16x!tile.ptr<f16>> -> tensor<16x16xf16>
      scf.yield %whole : tensor<16x16xf16>
    } else {
      %left = arith.subi %n, %i : i32
      %line = tile.splat %left : i32 -> tensor<16xi32>
      %there = arith.cmpi slt, %places, %line : tensor<16xi32>
      %row = tile.expand_dims %there {axis = 0 : i32} : tensor<16xi1> -> tensor<1x16xi1>
      %mask = tile.broadcast %row : tensor<1x16xi1> -> tensor<16x16xi1>
      %part = tile.load %p mask %mask : tensor<16x16xi1> other %none : tensor<16x16xf16> : tensor<16x16x!tile.ptr<f16>> -> tensor<16x16xf16>
      scf.yield %part : tensor<16x16xf16>
    }
    %next = tile.dot %a, %b, %sum : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  return %r : tensor<16x16xf32>
}

// The masked one first, the mask of both, and two values for what is not loaded.
// CHECK-LABEL: func.func @both
// CHECK: %[[MASK:.*]] = arith.select %{{.*}}, %arg2, %arg3 : tensor<16x16xi1>
// CHECK: %[[OTHER:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x16xf16>
// CHECK: tile.load %arg0 mask %[[MASK]] : tensor<16x16xi1> other %[[OTHER]]
// CHECK: %[[NOT:.*]] = arith.cmpi ne, %{{.*}}, %c0
// CHECK: %[[REST:.*]] = tile.splat %[[NOT]]
// CHECK: arith.ori %[[REST]], %arg2
func.func @both(%p: tensor<16x16x!tile.ptr<f16>>, %b: tensor<16x16xf16>, %m: tensor<16x16xi1>, %k: tensor<16x16xi1>, %n: i32) -> tensor<16x16xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<16x16xf16>
  %one = arith.constant dense<1.0> : tensor<16x16xf16>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<16x16xf32>) : i32 {
    %first = arith.cmpi eq, %i, %c0 : i32
    %a:2 = scf.if %first -> (tensor<16x16xf16>, tensor<16x16xf16>) {
      %x = tile.load %p mask %m : tensor<16x16xi1> other %none : tensor<16x16xf16> : tensor<16x16x!tile.ptr<f16>> -> tensor<16x16xf16>
      %y = tile.load %p mask %m : tensor<16x16xi1> : tensor<16x16x!tile.ptr<f16>> -> tensor<16x16xf16>
      scf.yield %x, %y : tensor<16x16xf16>, tensor<16x16xf16>
    } else {
      %x = tile.load %p mask %k : tensor<16x16xi1> other %one : tensor<16x16xf16> : tensor<16x16x!tile.ptr<f16>> -> tensor<16x16xf16>
      %y = tile.load %p : tensor<16x16x!tile.ptr<f16>> -> tensor<16x16xf16>
      scf.yield %x, %y : tensor<16x16xf16>, tensor<16x16xf16>
    }
    %half = arith.addf %a#0, %a#1 : tensor<16x16xf16>
    %next = tile.dot %half, %b, %sum : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  return %r : tensor<16x16xf32>
}

// Other pointers, a branch that writes (one condition by now), and a loop without a product stay as they are.
// CHECK-LABEL: func.func @stays
// CHECK-COUNT-2: scf.if
func.func @stays(%p: tensor<16x16x!tile.ptr<f16>>, %q: tensor<16x16x!tile.ptr<f16>>, %m: tensor<16x16xi1>, %b: tensor<16x16xf16>, %n: i32) -> (tensor<16x16xf32>, tensor<16x16xf16>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<16x16xf32>) : i32 {
    %first = arith.cmpi eq, %i, %c0 : i32
    %a = scf.if %first -> tensor<16x16xf16> {
      %x = tile.load %p : tensor<16x16x!tile.ptr<f16>> -> tensor<16x16xf16>
      scf.yield %x : tensor<16x16xf16>
    } else {
      %x = tile.load %q mask %m : tensor<16x16xi1> : tensor<16x16x!tile.ptr<f16>> -> tensor<16x16xf16>
      scf.yield %x : tensor<16x16xf16>
    }
    %d = scf.if %first -> tensor<16x16xf16> {
      tile.store %p, %b : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xf16>
      %x = tile.load %p : tensor<16x16x!tile.ptr<f16>> -> tensor<16x16xf16>
      scf.yield %x : tensor<16x16xf16>
    } else {
      %x = tile.load %p mask %m : tensor<16x16xi1> : tensor<16x16x!tile.ptr<f16>> -> tensor<16x16xf16>
      scf.yield %x : tensor<16x16xf16>
    }
    %next = tile.dot %a, %d, %sum : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %b) -> (tensor<16x16xf16>) : i32 {
    %first = arith.cmpi eq, %i, %c0 : i32
    %a = scf.if %first -> tensor<16x16xf16> {
      %x = tile.load %p : tensor<16x16x!tile.ptr<f16>> -> tensor<16x16xf16>
      scf.yield %x : tensor<16x16xf16>
    } else {
      %x = tile.load %p mask %m : tensor<16x16xi1> : tensor<16x16x!tile.ptr<f16>> -> tensor<16x16xf16>
      scf.yield %x : tensor<16x16xf16>
    }
    %next = arith.addf %sum, %a : tensor<16x16xf16>
    scf.yield %next : tensor<16x16xf16>
  }
  return %r, %s : tensor<16x16xf32>, tensor<16x16xf16>
}
