// RUN: nereid-opt %s  -split-input-file -verify-diagnostics

// An extent that no layout has.
// expected-error @+1 {{the extents of a buffer are powers of two}}
func.func private @f(!warp.buffer<[48, 64] x f16, 1, fast 1, swizzle 128>)

// -----

// An extent of nothing.
// expected-error @+1 {{the extents of a buffer are powers of two}}
func.func private @f(!warp.buffer<[0, 64] x f16, 1, fast 1, swizzle 128>)

// -----

// Pointers do not go to shared memory.
// expected-error @+1 {{a buffer holds numbers, not}}
func.func private @f(!warp.buffer<[64, 64] x !tile.ptr<f16>, 1, fast 1, swizzle 128>)

// -----

// Rows along an axis that is not there.
// expected-error @+1 {{rows along axis 2 of a buffer with 2 axes}}
func.func private @f(!warp.buffer<[64, 64] x f16, 1, fast 2, swizzle 128>)

// -----

// A swizzle that neither TMA nor wgmma knows.
// expected-error @+1 {{a swizzle has 16, 32, 64 or 128 bytes, not 48}}
func.func private @f(!warp.buffer<[64, 64] x f16, 1, fast 1, swizzle 48>)

// -----

// No swizzle at all has 16 bytes.
// expected-error @+1 {{a swizzle has 16, 32, 64 or 128 bytes, not 0}}
func.func private @f(!warp.buffer<[64, 64] x f16, 1, fast 1, swizzle 0>)

// -----

// Rows that are narrower than a box.
// expected-error @+1 {{rows of 32 bytes cannot be cut into boxes of 128}}
func.func private @f(!warp.buffer<[64, 16] x f16, 1, fast 1, swizzle 128>)

// -----

// Rows along the other axis.
// expected-error @+1 {{rows of 16 bytes cannot be cut into boxes of 128}}
func.func private @f(!warp.buffer<[8, 64] x f16, 1, fast 0, swizzle 128>)

// -----

// More barriers than a loop has stages.
// expected-error @+1 {{there are 65 barriers, and 64 at most}}
func.func private @f(!warp.barriers<65>)

// -----

// A layout of another tile.
// expected-error @+1 {{the layout is for a tile of another shape}}
func.func private @f(tensor<32x64xf16, #warp.layout<"64x64: register 1..32@0, lane 1..16@1, warp 32@1 32@0">>)

// -----

// A layout that is no text of one.
// expected-error-re @+1 {{{{.+}}}}
func.func private @f(tensor<64xf16, #warp.layout<"64: registers 1..32@0">>)
