// The loop of attention by pointers, over blocks of keys that a list names. Rows behind the last key are zeros.
func.func @attention(%queries: !tile.ptr<f16>, %keys: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                     %values: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %list: !tile.ptr<i32>, %results: !tile.ptr<f16>,
                     %stride: i32 {tile.divisibility = 16 : i32}, %length: i32, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %size = arith.constant 128 : i32
  %qp = tile.splat %queries : !tile.ptr<f16> -> tensor<128x64x!tile.ptr<f16>>
  %out = tile.splat %results : !tile.ptr<f16> -> tensor<128x64x!tile.ptr<f16>>
  %q = tile.load %qp : tensor<128x64x!tile.ptr<f16>> -> tensor<128x64xf16>
  %none = arith.constant dense<0.0> : tensor<128x128xf32>
  %other = arith.constant dense<0.0> : tensor<128x64xf16>
  %start = arith.constant dense<0.0> : tensor<128x64xf32>
  %factor = arith.constant dense<0.5> : tensor<128x64xf32>
  %range = tile.arange 0 to 128 : tensor<128xi32>
  %places = tile.arange 0 to 64 : tensor<64xi32>
  %line = tile.expand_dims %places {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tile.broadcast %line : tensor<1x64xi32> -> tensor<128x64xi32>
  %strides = tile.splat %stride : i32 -> tensor<128x1xi32>
  %lengths = tile.splat %length : i32 -> tensor<128x1xi32>
  %kp = tile.splat %keys : !tile.ptr<f16> -> tensor<128x64x!tile.ptr<f16>>
  %vp = tile.splat %values : !tile.ptr<f16> -> tensor<128x64x!tile.ptr<f16>>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %start) -> (tensor<128x64xf32>) : i32 {
    %entry = tile.addptr %list, %i : !tile.ptr<i32>, i32
    %block = tile.load %entry : !tile.ptr<i32> -> i32
    %first = arith.muli %block, %size : i32
    %firsts = tile.splat %first : i32 -> tensor<128xi32>
    %keysHere = arith.addi %firsts, %range : tensor<128xi32>
    %rows = tile.expand_dims %keysHere {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
    %offset = arith.muli %rows, %strides : tensor<128x1xi32>
    %offsets = tile.broadcast %offset : tensor<128x1xi32> -> tensor<128x64xi32>
    %isThere = arith.cmpi slt, %rows, %lengths : tensor<128x1xi32>
    %mask = tile.broadcast %isThere : tensor<128x1xi1> -> tensor<128x64xi1>
    %ka = tile.addptr %kp, %offsets : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
    %kb = tile.addptr %ka, %columns : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
    %va = tile.addptr %vp, %offsets : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
    %vb = tile.addptr %va, %columns : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
    %x = tile.load %kb mask %mask : tensor<128x64xi1> other %other : tensor<128x64xf16> : tensor<128x64x!tile.ptr<f16>> -> tensor<128x64xf16>
    %t = tile.trans %x {order = array<i32: 1, 0>} : tensor<128x64xf16> -> tensor<64x128xf16>
    %s = tile.dot %q, %t, %none {precision = #tile<precision tf32>} : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
    %e = math.exp2 %s : tensor<128x128xf32>
    %p = arith.truncf %e : tensor<128x128xf32> to tensor<128x128xf16>
    %scaled = arith.mulf %acc, %factor : tensor<128x64xf32>
    %y = tile.load %vb : tensor<128x64x!tile.ptr<f16>> -> tensor<128x64xf16>
    %o = tile.dot %p, %y, %scaled {precision = #tile<precision tf32>} : tensor<128x128xf16>, tensor<128x64xf16> -> tensor<128x64xf32>
    scf.yield %o : tensor<128x64xf32>
  }
  %rounded = arith.truncf %sum : tensor<128x64xf32> to tensor<128x64xf16>
  tile.store %out, %rounded : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xf16>
  return
}
