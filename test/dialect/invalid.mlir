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

// -----

func.func @rmw_element(%p: !tile.ptr<f32>, %v: i32) {
  // expected-error@+1 {{value has elements of type 'i32' but the pointer is to 'f32'}}
  %r = tile.atomic_rmw add relaxed gpu %p, %v : !tile.ptr<f32>, i32 -> i32
  return
}

// -----

func.func @rmw_mask(%p: tensor<8x!tile.ptr<i32>>, %v: tensor<8xi32>, %m: tensor<4xi1>) {
  // expected-error@+1 {{mask has another shape than the pointer}}
  %r = tile.atomic_rmw add relaxed gpu %p, %v mask %m : tensor<4xi1> : tensor<8x!tile.ptr<i32>>, tensor<8xi32> -> tensor<8xi32>
  return
}

// -----

func.func @cas_shape(%p: tensor<8x!tile.ptr<i32>>, %v: i32) {
  // expected-error@+1 {{value has another shape than the pointer}}
  %r = tile.atomic_cas relaxed gpu %p, %v, %v : tensor<8x!tile.ptr<i32>>, i32
  return
}

// -----

func.func @cas_element(%p: !tile.ptr<i64>, %v: i32) {
  // expected-error@+1 {{value has elements of type 'i32' but the pointer is to 'i64'}}
  %r = tile.atomic_cas relaxed gpu %p, %v, %v : !tile.ptr<i64>, i32
  return
}

// -----

func.func @poll_tile(%p: tensor<8x!tile.ptr<i32>>, %v: tensor<8xi32>) {
  // expected-error@+1 {{waits at one place for one integer}}
  %r = tile.atomic_poll acquire gpu %p, %v : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  return
}

// -----

func.func @poll_float(%p: !tile.ptr<f32>, %v: f32) {
  // expected-error@+1 {{waits at one place for one integer}}
  %r = tile.atomic_poll acquire gpu %p, %v : !tile.ptr<f32>, f32
  return
}

// -----

func.func @print_signs(%x: i32) {
  // expected-error@+1 {{there is a sign for each value}}
  tile.print "x" {isSigned = array<i1>} %x : i32
  return
}

// -----

func.func @assert_mask(%c: tensor<8xi1>, %m: tensor<4xi1>) {
  // expected-error@+1 {{`condition` and `mask` have the same shape}}
  tile.assert %c, "wrong" mask %m : tensor<4xi1> : tensor<8xi1>
  return
}

// -----

func.func @gather_block(%d: !tile.desc<tensor<32xf32>>, %rows: tensor<8xi32>, %c: i32) {
  // expected-error@+1 {{needs a descriptor with two axes}}
  %r = tile.desc_gather %d[%rows, %c] : !tile.desc<tensor<32xf32>>, tensor<8xi32> -> tensor<8x32xf32>
  return
}

// -----

func.func @gather_rows(%d: !tile.desc<tensor<1x32xf32>>, %rows: tensor<8xf32>, %c: i32) {
  // expected-error@+1 {{rows must be a 1-D tile of integers}}
  %r = tile.desc_gather %d[%rows, %c] : !tile.desc<tensor<1x32xf32>>, tensor<8xf32> -> tensor<8x32xf32>
  return
}

// -----

func.func @gather_tile(%d: !tile.desc<tensor<1x32xf32>>, %rows: tensor<8xi32>, %c: i32) {
  // expected-error@+1 {{is not 8 rows of the block}}
  %r = tile.desc_gather %d[%rows, %c] : !tile.desc<tensor<1x32xf32>>, tensor<8xi32> -> tensor<4x32xf32>
  return
}

// -----

func.func @scatter_element(%d: !tile.desc<tensor<1x32xf32>>, %rows: tensor<8xi32>, %c: i32, %v: tensor<8x32xf16>) {
  // expected-error@+1 {{is not 8 rows of the block}}
  tile.desc_scatter %d[%rows, %c], %v : !tile.desc<tensor<1x32xf32>>, tensor<8xi32>, tensor<8x32xf16>
  return
}

// -----

func.func @histogram_floats(%x: tensor<8xf32>) {
  // expected-error@+1 {{integers of a 1-D tile are counted in one of i32}}
  %r = tile.histogram %x : tensor<8xf32> -> tensor<4xi32>
  return
}

// -----

func.func @histogram_result(%x: tensor<8xi32>) {
  // expected-error@+1 {{integers of a 1-D tile are counted in one of i32}}
  %r = tile.histogram %x : tensor<8xi32> -> tensor<4xf32>
  return
}

// -----

func.func @histogram_mask(%x: tensor<8xi32>, %m: tensor<4xi1>) {
  // expected-error@+1 {{`source` and `mask` have the same shape}}
  %r = tile.histogram %x mask %m : tensor<4xi1> : tensor<8xi32> -> tensor<4xi32>
  return
}

// -----

func.func @div_rn(%x: i32) {
  // expected-error@+1 {{`result` holds floats}}
  %r = tile.div_rn %x, %x : i32
  return
}

// -----

func.func @sqrt_rn(%x: tensor<8xi32>) {
  // expected-error@+1 {{`result` holds floats}}
  %r = tile.sqrt_rn %x : tensor<8xi32>
  return
}

// -----

func.func @hint_dimensions(%x: tensor<8x4xi32>) {
  // expected-error@+1 {{`divisibility` is a number of at least 1 for each dimension}}
  %r = tile.hint %x {divisibility = array<i64: 16>} : tensor<8x4xi32>
  return
}

// -----

func.func @hint_zero(%x: i32) {
  // expected-error@+1 {{`divisibility` is a number of at least 1 for each dimension}}
  %r = tile.hint %x {divisibility = array<i64: 0>} : i32
  return
}

// -----

func.func @asm_pack(%x: tensor<8xi32>) {
  // expected-error@+1 {{needs a result and a `pack` of at least 1}}
  %r = tile.inline_asm "" "=r,r"(%x) pack 0 : (tensor<8xi32>) -> tensor<8xi32>
  return
}

// -----

func.func @asm_shapes(%x: tensor<8xi32>, %y: tensor<4xi32>) {
  // expected-error@+1 {{operands and results have different shapes}}
  %r = tile.inline_asm "" "=r,r,r"(%x, %y) pack 1 : (tensor<8xi32>, tensor<4xi32>) -> tensor<8xi32>
  return
}

// -----

func.func @register_name() {
  // expected-error@+1 {{the register is globaltimer, clock or clock64 of 64 bits, or smid of 32}}
  %r = tile.special_register "tid" : i32
  return
}

// -----

func.func @register_width() {
  // expected-error@+1 {{the register is globaltimer, clock or clock64 of 64 bits, or smid of 32}}
  %r = tile.special_register "smid" : i64
  return
}
