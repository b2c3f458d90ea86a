// A product of blocks that are marked for TMA, as it is when loops are planned.
func.func @product(%a: !tile.desc<tensor<128x64xf16>>, %a0: i32, %a1: i32, %as0: i64, %as1: i64,
                   %b: !tile.desc<tensor<128x64xf16>>, %b0: i32, %b1: i32, %bs0: i64, %bs1: i64,
                   %c: !tile.desc<tensor<128x128xf16>>, %c0: i32, %c1: i32, %cs0: i64, %cs1: i64, %k: i32) {
  %zero = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %none = arith.constant dense<0.0> : tensor<128x128xf32>
  %i = tile.program_id 0 : i32
  %sum = scf.for %at = %zero to %k step %step iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %x = tile.desc_load %a[%i, %at] {warp.block} : <tensor<128x64xf16>> -> tensor<128x64xf16>
    %y = tile.desc_load %b[%i, %at] {warp.block} : <tensor<128x64xf16>> -> tensor<128x64xf16>
    %z = tile.trans %y {order = array<i32: 1, 0>} : tensor<128x64xf16> -> tensor<64x128xf16>
    %next = tile.dot %x, %z, %acc {precision = #tile<precision tf32>} : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  } {tile.warp_specialize = true}
  %result = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xf16>
  tile.desc_store %c[%i, %zero], %result {warp.block} : <tensor<128x128xf16>>, tensor<128x128xf16>
  return
}
