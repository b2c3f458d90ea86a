// RUN: nereid-opt %s -warp-remarks="target=sm_90a warps=4 stages=3" -verify-diagnostics -o /dev/null

func.func @slow(%p: tensor<16x16x!tile.ptr<f16>>, %b: tensor<16x16xf16>, %n: i32) -> tensor<16x16xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
    // expected-remark @+1 {{this load does not run ahead of the loop: it is not known that 4 bytes lie next to each other}}
    %a = tile.load %p : tensor<16x16x!tile.ptr<f16>> -> tensor<16x16xf16>
    // expected-remark @+1 {{this product does not use wgmma: it takes 64 rows}}
    %next = tile.dot %a, %b, %acc {precision = #tile<precision tf32>} : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  return %sum : tensor<16x16xf32>
}
