// RUN: nereid-opt %s -warp-verify-flight -split-input-file -verify-diagnostics -o /dev/null
// Blocks, phases of barriers, and the two parts of a kernel. Loops of no iteration and of one are followed too.

// Nobody has asked for a copy.
func.func @f(%p: !tile.ptr<f16>, %k: i64, %n: i32, %c: tensor<64x64xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %F = warp.make_barriers 1 : <2>
  // expected-error @+1 {{waits for a phase of slot 0 that nobody ends}}
  warp.wait_phase %F[%c0] phase %c0 : <2>
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// Bytes are announced that no copy brings.
func.func @f(%p: !tile.ptr<f16>, %k: i64, %n: i32, %c: tensor<64x64xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %F = warp.make_barriers 1 : <2>
  %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [64, 64] swizzle 128 : !tile.ptr<f16>
  warp.expect %F[%c0], 16384 : <2>
  warp.copy_block %m[%n, %n], %B, %F[%c0] : <[64, 64] x f16, 2, fast 1, swizzle 128>, <2>
  // expected-error @+1 {{waits for a phase of slot 0 that nobody ends}}
  warp.wait_phase %F[%c0] phase %c0 : <2>
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// A copy that nobody has announced ends no phase.
func.func @f(%p: !tile.ptr<f16>, %k: i64, %n: i32, %c: tensor<64x64xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %F = warp.make_barriers 1 : <2>
  %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [64, 64] swizzle 128 : !tile.ptr<f16>
  warp.copy_block %m[%n, %n], %B, %F[%c0] : <[64, 64] x f16, 2, fast 1, swizzle 128>, <2>
  // expected-error @+1 {{waits for a phase of slot 0 that nobody ends}}
  warp.wait_phase %F[%c0] phase %c0 : <2>
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// The barrier of another slot.
func.func @f(%p: !tile.ptr<f16>, %k: i64, %n: i32, %c: tensor<64x64xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %F = warp.make_barriers 1 : <2>
  %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [64, 64] swizzle 128 : !tile.ptr<f16>
  warp.expect %F[%c1], 8192 : <2>
  warp.copy_block %m[%n, %n], %B, %F[%c1] : <[64, 64] x f16, 2, fast 1, swizzle 128>, <2>
  // expected-error @+1 {{waits for a phase of slot 0 that nobody ends}}
  warp.wait_phase %F[%c0] phase %c0 : <2>
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// The other parity has ended before anything was copied.
func.func @f(%p: !tile.ptr<f16>, %k: i64, %n: i32, %c: tensor<64x64xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %F = warp.make_barriers 1 : <2>
  %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [64, 64] swizzle 128 : !tile.ptr<f16>
  warp.expect %F[%c0], 8192 : <2>
  // expected-note @+1 {{this one}}
  warp.copy_block %m[%n, %n], %B, %F[%c0] : <[64, 64] x f16, 2, fast 1, swizzle 128>, <2>
  warp.wait_phase %F[%c0] phase %c1 : <2>
  // expected-error @+1 {{reads slot 0, into which a copy is under way}}
  %x = warp.read %B[%c0] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
  %u = arith.addf %x, %x : tensor<64x64xf16>
  warp.wait_phase %F[%c0] phase %c0 : <2>
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// A block that nobody waits for.
func.func @f(%p: !tile.ptr<f16>, %k: i64, %n: i32, %c: tensor<64x64xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %F = warp.make_barriers 1 : <2>
  %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [64, 64] swizzle 128 : !tile.ptr<f16>
  warp.expect %F[%c0], 8192 : <2>
  // expected-note @+1 {{this one}}
  warp.copy_block %m[%n, %n], %B, %F[%c0] : <[64, 64] x f16, 2, fast 1, swizzle 128>, <2>
  // expected-error @+1 {{reads slot 0, into which a copy is under way}}
  %x = warp.read %B[%c0] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
  %u = arith.addf %x, %x : tensor<64x64xf16>
  warp.wait_phase %F[%c0] phase %c0 : <2>
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// A second block before the first one is there.
func.func @f(%p: !tile.ptr<f16>, %k: i64, %n: i32, %c: tensor<64x64xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %F = warp.make_barriers 1 : <2>
  %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [64, 64] swizzle 128 : !tile.ptr<f16>
  warp.expect %F[%c0], 8192 : <2>
  // expected-note @+1 {{this one}}
  warp.copy_block %m[%n, %n], %B, %F[%c0] : <[64, 64] x f16, 2, fast 1, swizzle 128>, <2>
  warp.expect %F[%c0], 8192 : <2>
  // expected-error @+1 {{fills slot 0, into which a copy is under way}}
  warp.copy_block %m[%n, %n], %B, %F[%c0] : <[64, 64] x f16, 2, fast 1, swizzle 128>, <2>
  warp.wait_phase %F[%c0] phase %c0 : <2>
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// A block over what other threads may still read.
func.func @f(%p: !tile.ptr<f16>, %k: i64, %n: i32, %c: tensor<64x64xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %F = warp.make_barriers 1 : <2>
  %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [64, 64] swizzle 128 : !tile.ptr<f16>
  warp.expect %F[%c0], 8192 : <2>
  warp.copy_block %m[%n, %n], %B, %F[%c0] : <[64, 64] x f16, 2, fast 1, swizzle 128>, <2>
  warp.wait_phase %F[%c0] phase %c0 : <2>
  // expected-note @+1 {{this one}}
  %x = warp.read %B[%c0] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
  %u = arith.addf %x, %x : tensor<64x64xf16>
  warp.expect %F[%c0], 8192 : <2>
  // expected-error @+1 {{fills slot 0, which other threads may still read}}
  warp.copy_block %m[%n, %n], %B, %F[%c0] : <[64, 64] x f16, 2, fast 1, swizzle 128>, <2>
  warp.wait_phase %F[%c0] phase %c1 : <2>
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// A buffer ends before its block comes.
func.func @f(%p: !tile.ptr<f16>, %k: i64, %n: i32, %c: tensor<64x64xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %F = warp.make_barriers 1 : <2>
  %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [64, 64] swizzle 128 : !tile.ptr<f16>
  warp.expect %F[%c0], 8192 : <2>
  // expected-note @+1 {{this one}}
  warp.copy_block %m[%n, %n], %B, %F[%c0] : <[64, 64] x f16, 2, fast 1, swizzle 128>, <2>
  // expected-error @+1 {{releases slot 0, into which a copy is under way}}
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// Two arrivals are wanted and one comes.
func.func @f(%p: !tile.ptr<f16>, %k: i64, %n: i32, %c: tensor<64x64xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %F = warp.make_barriers 2 : <2>
  %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [64, 64] swizzle 128 : !tile.ptr<f16>
  warp.expect %F[%c0], 8192 : <2>
  warp.copy_block %m[%n, %n], %B, %F[%c0] : <[64, 64] x f16, 2, fast 1, swizzle 128>, <2>
  // expected-error @+1 {{waits for a phase of slot 0 that nobody ends}}
  warp.wait_phase %F[%c0] phase %c0 : <2>
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// A tile over one that the engine still reads.
func.func @f(%p: !tile.ptr<f16>, %k: i64, %n: i32, %c: tensor<64x64xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf16>
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [64, 64] swizzle 128 : !tile.ptr<f16>
  // expected-note @+1 {{this one}}
  warp.store_block %zero, %B, %m[%n, %n] : tensor<64x64xf16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  // expected-error @+1 {{overwrites what an earlier store still leaves from}}
  warp.store_block %zero, %B, %m[%n, %n] : tensor<64x64xf16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  warp.wait_stores
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// A buffer ends while the engine reads it.
func.func @f(%p: !tile.ptr<f16>, %k: i64, %n: i32, %c: tensor<64x64xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf16>
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [64, 64] swizzle 128 : !tile.ptr<f16>
  // expected-note @+1 {{this one}}
  warp.store_block %zero, %B, %m[%n, %n] : tensor<64x64xf16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  // expected-error @+1 {{releases what a store still leaves from}}
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// The producer does not wait until a slot is empty.
func.func @f(%p: !tile.ptr<f16>, %k: i64, %n: i32, %c: tensor<64x64xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %F = warp.make_barriers 1 : <2>
  %E = warp.make_barriers 4 : <2>
  warp.specialize producer {
    %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [64, 64] swizzle 128 : !tile.ptr<f16>
    scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0, %q = %c0) -> (i32, i32) : i32 {
      warp.expect %F[%s], 8192 : <2>
      // expected-error @+2 {{fills slot 0, into which a copy is under way}}
      // expected-note @+1 {{this one}}
      warp.copy_block %m[%n, %n], %B, %F[%s] : <[64, 64] x f16, 2, fast 1, swizzle 128>, <2>
      %s1 = arith.subi %c1, %s : i32
      %q1 = arith.xori %q, %s : i32
      scf.yield %s1, %q1 : i32, i32
    }
    warp.done
  } consumer {
    scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0, %q = %c0) -> (i32, i32) : i32 {
      warp.wait_phase %F[%s] phase %q : <2>
      %x = warp.read %B[%s] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
      %u = arith.addf %x, %x : tensor<64x64xf16>
      warp.arrive %E[%s] : <2>
      %s1 = arith.subi %c1, %s : i32
      %q1 = arith.xori %q, %s : i32
      scf.yield %s1, %q1 : i32, i32
    }
    warp.done
  }
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// The consumer does not say that it is done.
func.func @f(%p: !tile.ptr<f16>, %k: i64, %n: i32, %c: tensor<64x64xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %F = warp.make_barriers 1 : <2>
  %E = warp.make_barriers 4 : <2>
  warp.specialize producer {
    %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [64, 64] swizzle 128 : !tile.ptr<f16>
    scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0, %q = %c0) -> (i32, i32) : i32 {
      %o = arith.xori %q, %c1 : i32
      warp.wait_phase %E[%s] phase %o : <2>
      warp.expect %F[%s], 8192 : <2>
      warp.copy_block %m[%n, %n], %B, %F[%s] : <[64, 64] x f16, 2, fast 1, swizzle 128>, <2>
      %s1 = arith.subi %c1, %s : i32
      %q1 = arith.xori %q, %s : i32
      scf.yield %s1, %q1 : i32, i32
    }
    warp.done
  } consumer {
    scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0, %q = %c0) -> (i32, i32) : i32 {
      // expected-error @+1 {{waits for a phase of slot 0 that nobody ends}}
      warp.wait_phase %F[%s] phase %q : <2>
      %x = warp.read %B[%s] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
      %u = arith.addf %x, %x : tensor<64x64xf16>
      %s1 = arith.subi %c1, %s : i32
      %q1 = arith.xori %q, %s : i32
      scf.yield %s1, %q1 : i32, i32
    }
    warp.done
  }
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// It says so before it has read.
func.func @f(%p: !tile.ptr<f16>, %k: i64, %n: i32, %c: tensor<64x64xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %F = warp.make_barriers 1 : <2>
  %E = warp.make_barriers 4 : <2>
  warp.specialize producer {
    %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [64, 64] swizzle 128 : !tile.ptr<f16>
    scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0, %q = %c0) -> (i32, i32) : i32 {
      %o = arith.xori %q, %c1 : i32
      warp.wait_phase %E[%s] phase %o : <2>
      warp.expect %F[%s], 8192 : <2>
      // expected-error @+1 {{fills slot 0, which other threads may still read}}
      warp.copy_block %m[%n, %n], %B, %F[%s] : <[64, 64] x f16, 2, fast 1, swizzle 128>, <2>
      %s1 = arith.subi %c1, %s : i32
      %q1 = arith.xori %q, %s : i32
      scf.yield %s1, %q1 : i32, i32
    }
    warp.done
  } consumer {
    scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0, %q = %c0) -> (i32, i32) : i32 {
      warp.wait_phase %F[%s] phase %q : <2>
      warp.arrive %E[%s] : <2>
      // expected-note @+1 {{this one}}
      %x = warp.read %B[%s] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
      %u = arith.addf %x, %x : tensor<64x64xf16>
      %s1 = arith.subi %c1, %s : i32
      %q1 = arith.xori %q, %s : i32
      scf.yield %s1, %q1 : i32, i32
    }
    warp.done
  }
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// It says so while its product still reads.
func.func @f(%p: !tile.ptr<f16>, %k: i64, %n: i32, %c: tensor<64x64xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %F = warp.make_barriers 1 : <2>
  %E = warp.make_barriers 4 : <2>
  warp.specialize producer {
    %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [64, 64] swizzle 128 : !tile.ptr<f16>
    scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0, %q = %c0) -> (i32, i32) : i32 {
      %o = arith.xori %q, %c1 : i32
      warp.wait_phase %E[%s] phase %o : <2>
      warp.expect %F[%s], 8192 : <2>
      // expected-error @+1 {{fills slot 0, which a product still reads}}
      warp.copy_block %m[%n, %n], %B, %F[%s] : <[64, 64] x f16, 2, fast 1, swizzle 128>, <2>
      %s1 = arith.subi %c1, %s : i32
      %q1 = arith.xori %q, %s : i32
      scf.yield %s1, %q1 : i32, i32
    }
    warp.done
  } consumer {
    scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0, %q = %c0) -> (i32, i32) : i32 {
      warp.wait_phase %F[%s] phase %q : <2>
      %x = warp.read %B[%s] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
      // expected-note @+1 {{this one}}
      %d = tile.dot %x, %x, %c {warp.async, warp.instruction = #warp<instruction wgmma>} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
      warp.arrive %E[%s] : <2>
      %s1 = arith.subi %c1, %s : i32
      %q1 = arith.xori %q, %s : i32
      scf.yield %s1, %q1 : i32, i32
    }
    warp.await 0
    warp.done
  }
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// The producer waits for the phase that has not begun.
func.func @f(%p: !tile.ptr<f16>, %k: i64, %n: i32, %c: tensor<64x64xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %F = warp.make_barriers 1 : <2>
  %E = warp.make_barriers 4 : <2>
  warp.specialize producer {
    %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [64, 64] swizzle 128 : !tile.ptr<f16>
    scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0, %q = %c0) -> (i32, i32) : i32 {
      warp.wait_phase %E[%s] phase %q : <2>
      warp.expect %F[%s], 8192 : <2>
      warp.copy_block %m[%n, %n], %B, %F[%s] : <[64, 64] x f16, 2, fast 1, swizzle 128>, <2>
      %s1 = arith.subi %c1, %s : i32
      %q1 = arith.xori %q, %s : i32
      scf.yield %s1, %q1 : i32, i32
    }
    warp.done
  } consumer {
    scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0, %q = %c0) -> (i32, i32) : i32 {
      // expected-error @+1 {{waits for a phase of slot 0 that nobody ends}}
      warp.wait_phase %F[%s] phase %q : <2>
      %x = warp.read %B[%s] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
      %u = arith.addf %x, %x : tensor<64x64xf16>
      warp.arrive %E[%s] : <2>
      %s1 = arith.subi %c1, %s : i32
      %q1 = arith.xori %q, %s : i32
      scf.yield %s1, %q1 : i32, i32
    }
    warp.done
  }
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// The consumer takes the other parity.
func.func @f(%p: !tile.ptr<f16>, %k: i64, %n: i32, %c: tensor<64x64xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %F = warp.make_barriers 1 : <2>
  %E = warp.make_barriers 4 : <2>
  warp.specialize producer {
    %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [64, 64] swizzle 128 : !tile.ptr<f16>
    scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0, %q = %c0) -> (i32, i32) : i32 {
      %o = arith.xori %q, %c1 : i32
      warp.wait_phase %E[%s] phase %o : <2>
      warp.expect %F[%s], 8192 : <2>
      // expected-note @+1 {{this one}}
      warp.copy_block %m[%n, %n], %B, %F[%s] : <[64, 64] x f16, 2, fast 1, swizzle 128>, <2>
      %s1 = arith.subi %c1, %s : i32
      %q1 = arith.xori %q, %s : i32
      scf.yield %s1, %q1 : i32, i32
    }
    warp.done
  } consumer {
    scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0, %q = %c0) -> (i32, i32) : i32 {
      %o = arith.xori %q, %c1 : i32
      warp.wait_phase %F[%s] phase %o : <2>
      // expected-error @+1 {{reads slot 0, into which a copy is under way}}
      %x = warp.read %B[%s] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
      %u = arith.addf %x, %x : tensor<64x64xf16>
      warp.arrive %E[%s] : <2>
      %s1 = arith.subi %c1, %s : i32
      %q1 = arith.xori %q, %s : i32
      scf.yield %s1, %q1 : i32, i32
    }
    warp.done
  }
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// The consumer has an iteration more.
func.func @f(%p: !tile.ptr<f16>, %k: i64, %n: i32, %c: tensor<64x64xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %F = warp.make_barriers 1 : <2>
  %E = warp.make_barriers 4 : <2>
  %more = arith.addi %n, %c1 : i32
  warp.specialize producer {
    %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [64, 64] swizzle 128 : !tile.ptr<f16>
    scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0, %q = %c0) -> (i32, i32) : i32 {
      %o = arith.xori %q, %c1 : i32
      warp.wait_phase %E[%s] phase %o : <2>
      warp.expect %F[%s], 8192 : <2>
      warp.copy_block %m[%n, %n], %B, %F[%s] : <[64, 64] x f16, 2, fast 1, swizzle 128>, <2>
      %s1 = arith.subi %c1, %s : i32
      %q1 = arith.xori %q, %s : i32
      scf.yield %s1, %q1 : i32, i32
    }
    warp.done
  } consumer {
    scf.for %i = %c0 to %more step %c1 iter_args(%s = %c0, %q = %c0) -> (i32, i32) : i32 {
      // expected-error @+1 {{waits for a phase of slot 0 that nobody ends}}
      warp.wait_phase %F[%s] phase %q : <2>
      %x = warp.read %B[%s] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
      %u = arith.addf %x, %x : tensor<64x64xf16>
      warp.arrive %E[%s] : <2>
      %s1 = arith.subi %c1, %s : i32
      %q1 = arith.xori %q, %s : i32
      scf.yield %s1, %q1 : i32, i32
    }
    warp.done
  }
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// The producer has an iteration more: its block nobody reads.
func.func @f(%p: !tile.ptr<f16>, %k: i64, %n: i32, %c: tensor<64x64xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %F = warp.make_barriers 1 : <2>
  %E = warp.make_barriers 4 : <2>
  %more = arith.addi %n, %c1 : i32
  warp.specialize producer {
    %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [64, 64] swizzle 128 : !tile.ptr<f16>
    scf.for %i = %c0 to %more step %c1 iter_args(%s = %c0, %q = %c0) -> (i32, i32) : i32 {
      %o = arith.xori %q, %c1 : i32
      warp.wait_phase %E[%s] phase %o : <2>
      warp.expect %F[%s], 8192 : <2>
      // expected-note @+1 {{this one}}
      warp.copy_block %m[%n, %n], %B, %F[%s] : <[64, 64] x f16, 2, fast 1, swizzle 128>, <2>
      %s1 = arith.subi %c1, %s : i32
      %q1 = arith.xori %q, %s : i32
      scf.yield %s1, %q1 : i32, i32
    }
    warp.done
  } consumer {
    scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0, %q = %c0) -> (i32, i32) : i32 {
      warp.wait_phase %F[%s] phase %q : <2>
      %x = warp.read %B[%s] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
      %u = arith.addf %x, %x : tensor<64x64xf16>
      warp.arrive %E[%s] : <2>
      %s1 = arith.subi %c1, %s : i32
      %q1 = arith.xori %q, %s : i32
      scf.yield %s1, %q1 : i32, i32
    }
    warp.done
  }
  // expected-error @+1 {{releases slot 0, into which a copy is under way}}
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// The consumer gives a slot back twice.
func.func @f(%p: !tile.ptr<f16>, %k: i64, %n: i32, %c: tensor<64x64xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %F = warp.make_barriers 1 : <2>
  %E = warp.make_barriers 4 : <2>
  warp.specialize producer {
    %m = warp.tensor_map %p shape[%n, %n] strides[%k, %k] box [64, 64] swizzle 128 : !tile.ptr<f16>
    scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0, %q = %c0) -> (i32, i32) : i32 {
      %o = arith.xori %q, %c1 : i32
      warp.wait_phase %E[%s] phase %o : <2>
      warp.expect %F[%s], 8192 : <2>
      warp.copy_block %m[%n, %n], %B, %F[%s] : <[64, 64] x f16, 2, fast 1, swizzle 128>, <2>
      %s1 = arith.subi %c1, %s : i32
      %q1 = arith.xori %q, %s : i32
      scf.yield %s1, %q1 : i32, i32
    }
    warp.done
  } consumer {
    scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0, %q = %c0) -> (i32, i32) : i32 {
      // expected-error @+1 {{waits for a phase of slot 0 that nobody ends}}
      warp.wait_phase %F[%s] phase %q : <2>
      %x = warp.read %B[%s] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
      %u = arith.addf %x, %x : tensor<64x64xf16>
      warp.arrive %E[%s] : <2>
      warp.arrive %E[%s] : <2>
      %s1 = arith.subi %c1, %s : i32
      %q1 = arith.xori %q, %s : i32
      scf.yield %s1, %q1 : i32, i32
    }
    warp.done
  }
  warp.release %B : !warp.buffer<[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

// Four warps arrive where two are counted.
func.func @f(%p: !tile.ptr<f16>, %k: i64, %n: i32, %c: tensor<64x64xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lanes = tile.arange 0 to 256 : tensor<256xi32, #warp.layout<"256: register 1@0, lane 2..32@0, warp 64..128@0">>
  %E = warp.make_barriers 2 : <2>
  // expected-error @+1 {{brings 4 arrivals, and the phase of slot 0 wants 2}}
  warp.arrive %E[%c0] : <2>
  return
}

// -----

// Rows that nobody arrives for.
func.func @f(%p: !tile.ptr<f16>, %k: i64) {
  %c0 = arith.constant 0 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %F = warp.make_barriers 128 : <2>
  warp.specialize producer {
    warp.copy_rows %p stride %k, %B[%c0] : !tile.ptr<f16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
    warp.done
  } consumer {
    // expected-error @+1 {{waits for a phase of slot 0 that nobody ends}}
    warp.wait_phase %F[%c0] phase %c0 : <2>
    warp.done
  }
  return
}

// -----

// Rows that are copied behind the arrival.
func.func @f(%p: !tile.ptr<f16>, %k: i64) {
  %c0 = arith.constant 0 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %F = warp.make_barriers 128 : <2>
  warp.specialize producer {
    warp.arrive_copies %F[%c0] : <2>
    // expected-note @+1 {{this one}}
    warp.copy_rows %p stride %k, %B[%c0] : !tile.ptr<f16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
    warp.done
  } consumer {
    warp.wait_phase %F[%c0] phase %c0 : <2>
    // expected-error @+1 {{reads slot 0, into which a copy is under way}}
    %t = warp.read %B[%c0] : <[64, 64] x f16, 2, fast 1, swizzle 128> -> tensor<64x64xf16>
    %u = arith.addf %t, %t : tensor<64x64xf16>
    warp.done
  }
  return
}

// -----

// A barrier that counts other arrivals.
func.func @f(%p: !tile.ptr<f16>, %k: i64) {
  %c0 = arith.constant 0 : i32
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  %F = warp.make_barriers 1 : <2>
  warp.specialize producer {
    warp.copy_rows %p stride %k, %B[%c0] : !tile.ptr<f16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
    // expected-error @+1 {{brings 128 arrivals, and the phase of slot 0 wants 1}}
    warp.arrive_copies %F[%c0] : <2>
    warp.done
  } consumer {
    warp.done
  }
  return
}
