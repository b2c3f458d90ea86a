// RUN: nereid-interp %s --function stored --check x=buf:f32:1,2,3,4 y=buf:f32:zeros*8 | FileCheck %s --check-prefix=STORED
// RUN: nereid-interp %s --function summed --check x=buf:f32:1,2,3,4 y=buf:f32:zeros*8 | FileCheck %s --check-prefix=SUMMED
// RUN: nereid-interp %s --function chosen --check x=buf:f32:1,2,3,4 y=buf:f32:zeros*8 | FileCheck %s --check-prefix=CHOSEN --implicit-check-not=report
// RUN: nereid-interp %s --function indexed --check x=buf:i32:1,2,3,4 y=buf:f32:zeros*8 | FileCheck %s --check-prefix=INDEXED
// RUN: nereid-interp %s --function branched --check x=buf:i32:1 | FileCheck %s --check-prefix=BRANCHED
// RUN: nereid-interp %s --function product --check x=buf:f32:1,2,3,4 y=buf:f32:zeros*8 | FileCheck %s --check-prefix=PRODUCT --implicit-check-not=report

// Lanes 4 to 7 are masked out of the load, but not out of the store.
func.func @stored(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) {
  %i = tile.arange 0 to 8 : tensor<8xi32>
  %n = arith.constant dense<4> : tensor<8xi32>
  %mask = arith.cmpi slt, %i, %n : tensor<8xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %v = tile.load %p mask %mask : tensor<8xi1> : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  %w = arith.mulf %v, %v : tensor<8xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %q = tile.addptr %ys, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  tile.store %q, %w : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  return
}
// STORED: report undefined-lane at {{.*}}:[[#@LINE-3]]:3: the stored value depends on a lane that the masked load left undefined [program (0, 0, 0), 4 times]
// STORED-NEXT: other: {{.*}}:[[#@LINE-8]]:8

func.func @summed(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) {
  %i = tile.arange 0 to 8 : tensor<8xi32>
  %n = arith.constant dense<4> : tensor<8xi32>
  %mask = arith.cmpi slt, %i, %n : tensor<8xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %v = tile.load %p mask %mask : tensor<8xi1> : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  %s = tile.reduce %v {axis = 0 : i32} : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    tile.yield %t : f32
  }
  tile.store %y, %s : !tile.ptr<f32>, f32
  return
}
// SUMMED: report undefined-lane at {{.*}}:[[#@LINE-8]]:8: the result takes in a lane that the masked load left undefined
// SUMMED: other: {{.*}}:[[#@LINE-10]]:8

// The undefined lanes are replaced before the sum, and masked out of the store.
func.func @chosen(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) {
  %i = tile.arange 0 to 8 : tensor<8xi32>
  %n = arith.constant dense<4> : tensor<8xi32>
  %mask = arith.cmpi slt, %i, %n : tensor<8xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %v = tile.load %p mask %mask : tensor<8xi1> : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %clean = arith.select %mask, %v, %zero : tensor<8xi1>, tensor<8xf32>
  %s = tile.reduce %clean {axis = 0 : i32} : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    tile.yield %t : f32
  }
  %ss = tile.splat %s : f32 -> tensor<8xf32>
  %w = arith.divf %v, %ss : tensor<8xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %q = tile.addptr %ys, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  tile.store %q, %w mask %mask : tensor<8xi1> : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  return
}
// CHOSEN: y = 0.1{{.*}} 0.2{{.*}} 0.3{{.*}} 0.4{{.*}} 0 0 0 0

func.func @indexed(%x: !tile.ptr<i32>, %y: !tile.ptr<f32>) {
  %i = tile.arange 0 to 8 : tensor<8xi32>
  %n = arith.constant dense<4> : tensor<8xi32>
  %mask = arith.cmpi slt, %i, %n : tensor<8xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>>
  %p = tile.addptr %xs, %i : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  %v = tile.load %p mask %mask : tensor<8xi1> : tensor<8x!tile.ptr<i32>> -> tensor<8xi32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %q = tile.addptr %ys, %v : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %one = arith.constant dense<1.0> : tensor<8xf32>
  tile.store %q, %one : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  return
}
// INDEXED: report undefined-lane at {{.*}}:[[#@LINE-3]]:3: the address depends on a lane that the masked load left undefined [program (0, 0, 0), 4 times]

func.func @branched(%x: !tile.ptr<i32>) {
  %false = arith.constant false
  %zero = arith.constant 0 : i32
  %v = tile.load %x mask %false : i1 : !tile.ptr<i32> -> i32
  %c = arith.cmpi eq, %v, %zero : i32
  scf.if %c {
    tile.store %x, %zero : !tile.ptr<i32>, i32
  }
  return
}
// BRANCHED: report undefined-lane at {{.*}}:[[#@LINE-5]]:3: the condition of the branch depends on a lane

// Undefined rows of a product stay in their rows, which the store masks out.
func.func @product(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) {
  %i = tile.arange 0 to 8 : tensor<8xi32>
  %n = arith.constant dense<4> : tensor<8xi32>
  %mask = arith.cmpi slt, %i, %n : tensor<8xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %v = tile.load %p mask %mask : tensor<8xi1> : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  %a = tile.reshape %v : tensor<8xf32> -> tensor<4x2xf32>
  %b = arith.constant dense<1.0> : tensor<2x2xf32>
  %c = arith.constant dense<0.0> : tensor<4x2xf32>
  %d = tile.dot %a, %b, %c : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
  %f = tile.reshape %d : tensor<4x2xf32> -> tensor<8xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %q = tile.addptr %ys, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  tile.store %q, %f mask %mask : tensor<8xi1> : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  return
}
// PRODUCT: y = 3 3 7 7 0 0 0 0
