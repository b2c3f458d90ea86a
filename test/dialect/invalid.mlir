// What the verifiers refuse.
// RUN: nereid-opt %s -split-input-file -verify-diagnostics

func.func @addptr(%p: tensor<8x!tile.ptr<f32>>, %n: tensor<4xi32>) {
  // expected-error@+1 {{all non-scalar operands/results must have the same shape and base type}}
  %q = tile.addptr %p, %n : tensor<8x!tile.ptr<f32>>, tensor<4xi32>
  return
}

// -----

func.func @addptr_scalar(%p: tensor<8x!tile.ptr<f32>>, %n: i32) {
  // expected-error@+1 {{offset has another shape than the pointer}}
  %q = tile.addptr %p, %n : tensor<8x!tile.ptr<f32>>, i32
  return
}

// -----

func.func @extern_shapes(%a: tensor<8xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{all non-scalar operands/results must have the same shape and base type}}
  %c = tile.extern "__nv_powf"(%a, %b) : (tensor<8xf32>, tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @load_result(%p: tensor<8x!tile.ptr<f32>>) {
  // expected-error@+1 {{is not the pointee type}}
  %v = tile.load %p : tensor<8x!tile.ptr<f32>> -> tensor<8xf16>
  return
}

// -----

func.func @load_other(%p: tensor<8x!tile.ptr<f32>>, %o: tensor<8xf32>) {
  // expected-error@+1 {{`other` without a mask}}
  %v = tile.load %p other %o : tensor<8xf32> : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  return
}

// -----

func.func @load_mask(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<4xi1>) {
  // expected-error@+1 {{mask has another shape than the pointer}}
  %v = tile.load %p mask %m : tensor<4xi1> : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  return
}

// -----

func.func @store(%p: !tile.ptr<f32>, %v: f16) {
  // expected-error@+1 {{is not the pointee type}}
  tile.store %p, %v : !tile.ptr<f32>, f16
  return
}

// -----

func.func @desc(%p: !tile.ptr<f32>, %n: i32, %s: i64) {
  // expected-error@+1 {{needs one extent and one stride for each of the 2 dimensions}}
  %d = tile.make_desc %p shape [%n] strides [%s] : !tile.ptr<f32> -> !tile.desc<tensor<8x4xf32>>
  return
}

// -----

func.func @desc_load(%d: !tile.desc<tensor<8x4xf32>>, %n: i32) {
  // expected-error@+1 {{needs 2 offsets, got 1}}
  %v = tile.desc_load %d[%n] : !tile.desc<tensor<8x4xf32>> -> tensor<8x4xf32>
  return
}

// -----

func.func @arange() {
  // expected-error@+1 {{result must be a 1-D i32 tile of end - start elements}}
  %a = tile.arange 0 to 4 : tensor<8xi32>
  return
}

// -----

func.func @broadcast(%x: tensor<2xf32>) {
  // expected-error@+1 {{cannot repeat an extent of 2 to 4}}
  %a = tile.broadcast %x : tensor<2xf32> -> tensor<4xf32>
  return
}

// -----

func.func @reshape(%x: tensor<2xf32>) {
  // expected-error@+1 {{source and result hold different elements}}
  %a = tile.reshape %x : tensor<2xf32> -> tensor<4xf32>
  return
}

// -----

func.func @trans(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{order is not a permutation}}
  %a = tile.trans %x {order = array<i32: 0, 0>} : tensor<2x4xf32> -> tensor<2x2xf32>
  return
}

// -----

func.func @program_id() {
  // expected-error@+1 {{axis must be 0, 1 or 2, got 3}}
  %a = tile.program_id 3 : i32
  return
}

// -----

func.func @reduce(%x: tensor<4xf32>) {
  // expected-error@+1 {{the region must work on the sources' element types}}
  %r = tile.reduce %x {axis = 0 : i32} : (tensor<4xf32>) -> f32 {
  ^bb0(%a: f16, %b: f16):
    tile.yield %a : f16
  }
  return
}

// -----

func.func @reduce_nothing(%x: tensor<4xf32>) {
  // expected-error@+1 {{the region must yield one value for each source}}
  %r = tile.reduce %x {axis = 0 : i32} : (tensor<4xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
  }
  return
}

// -----

func.func @map_shapes(%x: tensor<4xf32>) {
  // expected-error@+1 {{sources and results have different shapes}}
  %r = tile.map %x pack 1 : (tensor<4xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @map_pack(%x: tensor<4xf32>) {
  // expected-error@+1 {{`pack` must divide the number of elements}}
  %r = tile.map %x pack 3 : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32, %c: f32):
    tile.yield %a, %b, %c : f32, f32, f32
  }
  return
}

// -----

func.func @map_nothing(%x: tensor<4xf32>) {
  // expected-error@+1 {{the region must take and yield `pack` elements of each tile}}
  %r = tile.map %x pack 1 : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32):
  }
  return
}

// -----

func.func @sort(%x: tensor<4xf32>) {
  // expected-error@+1 {{count must be between 1 and the last extent}}
  %r = tile.sort %x count 8 : tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

func.func @dot(%a: tensor<16x32xf16>, %b: tensor<16x8xf16>, %c: tensor<16x8xf32>) {
  // expected-error@+1 {{shapes do not multiply}}
  %d = tile.dot %a, %b, %c : tensor<16x32xf16>, tensor<16x8xf16> -> tensor<16x8xf32>
  return
}

// -----

func.func @places(%a: tensor<16x16xf16>, %b: tensor<32x8xf16>, %c: tensor<16x8xf32>, %p: tensor<16x4xi16>) {
  // expected-error@+1 {{places must have two bits for each element of the left operand, which has two dimensions}}
  %d = tile.dot %a, %b, %c places %p : tensor<16x4xi16> : tensor<16x16xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
  return
}

// -----

func.func @wide_places(%a: tensor<16x16xf16>, %b: tensor<32x8xf16>, %c: tensor<16x8xf32>, %p: tensor<16x1xi32>) {
  // expected-error@+1 {{places are i8 or i16, not 'i32'}}
  %d = tile.dot %a, %b, %c places %p : tensor<16x1xi32> : tensor<16x16xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
  return
}

// -----

func.func @whole_places(%a: tensor<16x16xf16>, %b: tensor<16x8xf16>, %c: tensor<16x8xf32>, %p: tensor<16x4xi8>) {
  // expected-error@+1 {{shapes do not multiply}}
  %d = tile.dot %a, %b, %c places %p : tensor<16x4xi8> : tensor<16x16xf16>, tensor<16x8xf16> -> tensor<16x8xf32>
  return
}

// -----

func.func @atomic(%p: tensor<8x!tile.ptr<i32>>, %v: i32) {
  // expected-error@+1 {{value has another shape than the pointer}}
  %a = tile.atomic_rmw add relaxed gpu %p, %v : tensor<8x!tile.ptr<i32>>, i32 -> i32
  return
}
