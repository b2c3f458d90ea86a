// RUN: nereid-interp %s --grid 2 x=buf:f32:1,2,3,4,5,-1,0,1,2,3 y=buf:f32:zeros*10 5 | FileCheck %s
// A row of 5 in a tile of 8: the mask keeps the padding out, `other` keeps it out of the maximum and the sum.

func.func @softmax(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) {
  %row = tile.program_id 0 : i32
  %start = arith.muli %row, %n : i32
  %columns = tile.arange 0 to 8 : tensor<8xi32>
  %bound = tile.splat %n : i32 -> tensor<8xi32>
  %mask = arith.cmpi slt, %columns, %bound : tensor<8xi32>
  %base = tile.addptr %x, %start : !tile.ptr<f32>, i32
  %bases = tile.splat %base : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %pointers = tile.addptr %bases, %columns : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %low = arith.constant dense<0xFF800000> : tensor<8xf32>
  %values = tile.load %pointers mask %mask : tensor<8xi1> other %low : tensor<8xf32> : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  %max = tile.reduce %values {axis = 0 : i32} : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maxnumf %a, %b : f32
    tile.yield %m : f32
  }
  %maxes = tile.splat %max : f32 -> tensor<8xf32>
  %shifted = arith.subf %values, %maxes : tensor<8xf32>
  %e = math.exp %shifted : tensor<8xf32>
  %sum = tile.reduce %e {axis = 0 : i32} : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  %sums = tile.splat %sum : f32 -> tensor<8xf32>
  %result = arith.divf %e, %sums : tensor<8xf32>
  %out = tile.addptr %y, %start : !tile.ptr<f32>, i32
  %outs = tile.splat %out : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %targets = tile.addptr %outs, %columns : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  tile.store %targets, %result mask %mask : tensor<8xi1> : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  return
}

// CHECK: y = 0.011656{{[0-9]*}} 0.031684{{[0-9]*}} 0.086128{{[0-9]*}} 0.234121{{[0-9]*}} 0.636408{{[0-9]*}} 0.011656{{[0-9]*}} 0.031684{{[0-9]*}} 0.086128{{[0-9]*}} 0.234121{{[0-9]*}} 0.636408
