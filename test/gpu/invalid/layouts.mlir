// RUN: nereid-opt %s  -split-input-file -verify-diagnostics

// Another type is another tile.
func.func @f(%x: tensor<64x64xf16, #warp.layout<"64x64: register 1..32@0, lane 1..16@1, warp 32@1 32@0">>) {
  // expected-error @+1 {{changes the tile, not its layout alone}}
  %y = warp.convert_layout %x : tensor<64x64xf16, #warp.layout<"64x64: register 1..32@0, lane 1..16@1, warp 32@1 32@0">> -> tensor<64x64xf32, #warp.layout<"64x64: register 1..32@0, lane 1..16@1, warp 32@1 32@0">>
  return
}

// -----

// A tile without a layout has none to convert from.
func.func @f(%x: tensor<64x64xf16>) {
  // expected-error @+1 {{is between tiles with layouts}}
  %y = warp.convert_layout %x : tensor<64x64xf16> -> tensor<64x64xf16, #warp.layout<"64x64: register 1..32@0, lane 1..16@1, warp 32@1 32@0">>
  return
}

// -----

// Nor to convert to.
func.func @f(%x: tensor<64x64xf16, #warp.layout<"64x64: register 1..32@0, lane 1..16@1, warp 32@1 32@0">>) {
  // expected-error @+1 {{is between tiles with layouts}}
  %y = warp.convert_layout %x : tensor<64x64xf16, #warp.layout<"64x64: register 1..32@0, lane 1..16@1, warp 32@1 32@0">> -> tensor<64x64xf16>
  return
}

// -----

// Eight warps hold what four had.
func.func @f(%x: tensor<1024xf32, #warp.layout<"1024: register 1..4@0, lane 8..128@0, warp 256..512@0">>) {
  // expected-error @+1 {{is between layouts of different numbers of threads}}
  %y = warp.convert_layout %x : tensor<1024xf32, #warp.layout<"1024: register 1..4@0, lane 8..128@0, warp 256..512@0">> -> tensor<1024xf32, #warp.layout<"1024: register 1..2@0, lane 4..64@0, warp 128..512@0">>
  return
}
