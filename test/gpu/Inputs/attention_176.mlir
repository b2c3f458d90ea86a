// The same loop with blocks of 176 keys, before they are split.
func.func @attention(%queries: !tile.ptr<f16>, %k: !tile.desc<tensor<176x64xf16>>, %k0: i32, %k1: i32, %ks0: i64, %ks1: i64,
                     %v: !tile.desc<tensor<176x64xf16>>, %v0: i32, %v1: i32, %vs0: i64, %vs1: i64,
                     %results: !tile.ptr<f32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %step = arith.constant 176 : i32
  %qp = tile.splat %queries : !tile.ptr<f16> -> tensor<128x64x!tile.ptr<f16>>
  %out = tile.splat %results : !tile.ptr<f32> -> tensor<128x64x!tile.ptr<f32>>
  %q = tile.load %qp : tensor<128x64x!tile.ptr<f16>> -> tensor<128x64xf16>
  %none = arith.constant dense<0.0> : tensor<128x176xf32>
  %start = arith.constant dense<0.0> : tensor<128x64xf32>
  %factor = arith.constant dense<0.5> : tensor<128x64xf32>
  %sum = scf.for %at = %zero to %n step %step iter_args(%acc = %start) -> (tensor<128x64xf32>) : i32 {
    %x = tile.desc_load %k[%at, %zero] {warp.block} : <tensor<176x64xf16>> -> tensor<176x64xf16>
    %t = tile.trans %x {order = array<i32: 1, 0>} : tensor<176x64xf16> -> tensor<64x176xf16>
    %s = tile.dot %q, %t, %none {precision = #tile<precision tf32>} : tensor<128x64xf16>, tensor<64x176xf16> -> tensor<128x176xf32>
    %e = math.exp2 %s : tensor<128x176xf32>
    %p = arith.truncf %e : tensor<128x176xf32> to tensor<128x176xf16>
    %scaled = arith.mulf %acc, %factor : tensor<128x64xf32>
    %y = tile.desc_load %v[%at, %zero] {warp.block} : <tensor<176x64xf16>> -> tensor<176x64xf16>
    %o = tile.dot %p, %y, %scaled {precision = #tile<precision tf32>} : tensor<128x176xf16>, tensor<176x64xf16> -> tensor<128x64xf32>
    scf.yield %o : tensor<128x64xf32>
  }
  tile.store %out, %sum : tensor<128x64x!tile.ptr<f32>>, tensor<128x64xf32>
  return
}
