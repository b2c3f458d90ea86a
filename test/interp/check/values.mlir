// RUN: nereid-interp %s --function finite --check=not-finite x=buf:f32:1,0,-1,4 | FileCheck %s --check-prefix=FINITE
// RUN: nereid-interp %s --function finite --check x=buf:f32:1,0,-1,4 | FileCheck %s --check-prefix=DEFAULT --implicit-check-not=report
// RUN: nereid-interp %s --function asserted --check --grid 4 2 | FileCheck %s --check-prefix=ASSERTED

// 1/0 makes the infinity; what follows only passes it on. The root of -1 makes the NaN.
func.func @finite(%x: !tile.ptr<f32>) {
  %i = tile.arange 0 to 4 : tensor<4xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  %v = tile.load %p : tensor<4x!tile.ptr<f32>> -> tensor<4xf32>
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %r = arith.divf %one, %v : tensor<4xf32>
  %twice = arith.addf %r, %r : tensor<4xf32>
  %root = math.sqrt %twice : tensor<4xf32>
  tile.store %p, %root : tensor<4x!tile.ptr<f32>>, tensor<4xf32>
  return
}
// FINITE: report not-finite at {{.*}}:[[#@LINE-6]]:8: infinity appears here, computed from 1.000000, 0.000000 [program (0, 0, 0), 1 times]
// FINITE: report not-finite at {{.*}}:[[#@LINE-5]]:11: NaN appears here, computed from -2.000000 [program (0, 0, 0), 1 times]
// DEFAULT: x = 1.41421{{.*}} inf {{-?}}nan 0.707

// The run goes on after a failed assertion.
func.func @asserted(%n: i32) {
  %pid = tile.program_id 0 : i32
  %ok = arith.cmpi slt, %pid, %n : i32
  tile.assert %ok, "too many programs" : i1
  return
}
// ASSERTED: report assert at {{.*}}:[[#@LINE-3]]:3: assertion failed: too many programs [program (2, 0, 0), 2 times]
