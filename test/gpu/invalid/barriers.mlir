// RUN: nereid-opt %s  -split-input-file -verify-diagnostics

// No barriers.
func.func @f() {
  // expected-error @+1 {{makes no barriers}}
  %F = warp.make_barriers 1 : <0>
  return
}

// -----

// Nobody arrives.
func.func @f() {
  // expected-error @+1 {{counts 1 to 1048575 arrivals, not 0}}
  %F = warp.make_barriers 0 : <2>
  return
}

// -----

// Fewer than nobody.
func.func @f() {
  // expected-error @+1 {{counts 1 to 1048575 arrivals, not -8}}
  %F = warp.make_barriers -8 : <2>
  return
}

// -----

// Nothing is announced.
func.func @f() {
  %F = warp.make_barriers 1 : <2>
  %s = arith.constant 0 : i32
  // expected-error @+1 {{announces 1 to 1048575 bytes, not 0}}
  warp.expect %F[%s], 0 : <2>
  return
}

// -----

// More bytes than a barrier counts.
func.func @f() {
  %F = warp.make_barriers 1 : <2>
  %s = arith.constant 0 : i32
  // expected-error @+1 {{announces 1 to 1048575 bytes, not 1048576}}
  warp.expect %F[%s], 1048576 : <2>
  return
}

// -----

// A slot without a barrier.
func.func @f() {
  %F = warp.make_barriers 1 : <2>
  %s = arith.constant 2 : i32
  // expected-error @+1 {{names slot 2 of 2}}
  warp.expect %F[%s], 64 : <2>
  return
}

// -----

// There are two parities.
func.func @f() {
  %F = warp.make_barriers 1 : <2>
  %s = arith.constant 0 : i32
  %q = arith.constant 2 : i32
  // expected-error @+1 {{waits for a parity of 0 or 1, not 2}}
  warp.wait_phase %F[%s] phase %q : <2>
  return
}

// -----

// A wait for a slot that is not there.
func.func @f() {
  %F = warp.make_barriers 1 : <2>
  %s = arith.constant 5 : i32
  %q = arith.constant 0 : i32
  // expected-error @+1 {{names slot 5 of 2}}
  warp.wait_phase %F[%s] phase %q : <2>
  return
}

// -----

// An arrival there.
func.func @f() {
  %F = warp.make_barriers 1 : <2>
  %s = arith.constant -1 : i32
  // expected-error @+1 {{names slot -1 of 2}}
  warp.arrive %F[%s] : <2>
  return
}

// -----

// Barriers that somebody else made.
func.func @f(%F: !warp.barriers<2>) {
  %s = arith.constant 0 : i32
  // expected-error @+1 {{takes what `warp.make_barriers` makes, by itself}}
  warp.arrive %F[%s] : <2>
  return
}
