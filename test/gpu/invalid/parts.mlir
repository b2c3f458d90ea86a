// RUN: nereid-opt %s  -split-input-file -verify-diagnostics

// A barrier of one thread.
func.func @f() {
  warp.specialize producer {
    // expected-error @+1 {{is for all threads, and the producer is one}}
    warp.barrier
    warp.done
  } consumer {
    warp.done
  }
  return
}

// -----

// A buffer of one thread.
func.func @f() {
  warp.specialize producer {
    // expected-error @+1 {{is for all threads, and the producer is one}}
    %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
    warp.done
  } consumer {
    warp.done
  }
  return
}

// -----

// A commit: copies of threads are not for it.
func.func @f() {
  warp.specialize producer {
    // expected-error @+1 {{is for all threads, and the producer is one}}
    warp.commit
    warp.done
  } consumer {
    warp.done
  }
  return
}

// -----

// Nor a wait for them.
func.func @f() {
  warp.specialize producer {
    // expected-error @+1 {{is for all threads, and the producer is one}}
    warp.wait 0
    warp.done
  } consumer {
    warp.done
  }
  return
}

// -----

// It has no products.
func.func @f() {
  warp.specialize producer {
    // expected-error @+1 {{is for all threads, and the producer is one}}
    warp.await 0
    warp.done
  } consumer {
    warp.done
  }
  return
}

// -----

// Barriers that the others do not see.
func.func @f() {
  warp.specialize producer {
    // expected-error @+1 {{is for all threads, and the producer is one}}
    %F = warp.make_barriers 1 : <2>
    warp.done
  } consumer {
    warp.done
  }
  return
}

// -----

// An arrival of all warps.
func.func @f() {
  %F = warp.make_barriers 1 : <2>
  %s = arith.constant 0 : i32
  warp.specialize producer {
    // expected-error @+1 {{is for all threads, and the producer is one}}
    warp.arrive %F[%s] : <2>
    warp.done
  } consumer {
    warp.done
  }
  return
}

// -----

// It stores no blocks.
func.func @f() {
  warp.specialize producer {
    // expected-error @+1 {{is for all threads, and the producer is one}}
    warp.wait_stores
    warp.done
  } consumer {
    warp.done
  }
  return
}

// -----

// A tile in one thread.
func.func @f() {
  warp.specialize producer {
    // expected-error @+1 {{has a tile, and stands in the producer, whose threads hold none}}
    %x = tile.arange 0 to 64 : tensor<64xi32>
    warp.done
  } consumer {
    warp.done
  }
  return
}

// -----

// Deeper inside as well.
func.func @f(%when: i1) {
  warp.specialize producer {
    scf.if %when {
      // expected-error @+1 {{is for all threads, and the producer is one}}
      warp.barrier
    }
    warp.done
  } consumer {
    warp.done
  }
  return
}

// -----

// Parts of a part.
func.func @f() {
  warp.specialize producer {
    warp.done
  } consumer {
    // expected-error @+1 {{stands inside of a part of another one}}
    warp.specialize producer {
      warp.done
    } consumer {
      warp.done
    }
    warp.done
  }
  return
}

// -----

// The end of nothing.
func.func @f() {
  // expected-error @+1 {{expects parent op 'warp.specialize'}}
  warp.done
}

// -----

func.func @f(%p: !tile.ptr<f16>, %k: i64, %slot: i32) {
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  // expected-error @+1 {{stands outside of a producer}}
  warp.copy_rows %p stride %k, %B[%slot] : !tile.ptr<f16>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}

// -----

func.func @f(%p: !tile.ptr<f32>, %k: i64, %slot: i32) {
  %B = warp.alloc : <[64, 64] x f16, 2, fast 1, swizzle 128>
  // expected-error @+1 {{copies from '!tile.ptr<f32>' into a buffer of 'f16'}}
  warp.copy_rows %p stride %k, %B[%slot] : !tile.ptr<f32>, <[64, 64] x f16, 2, fast 1, swizzle 128>
  return
}
