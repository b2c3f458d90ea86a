// Footprint.h: which addresses an access can touch, as far as sums and multiples of known numbers say it, to tell that
// two accesses of the same memory never meet: neighbouring rows, halves of a row, every third element.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/MapVector.h"

#include <optional>

namespace nereid::gpu {

// start + sum of (number * factor) + sum of (i * factor for some i in 0 … count-1), in elements behind the root.
struct Footprint {
  struct Range {
    int64_t factor, count;
  };
  int64_t start = 0;
  llvm::MapVector<mlir::Value, int64_t>
      numbers; // known to be the same number wherever it stands in one iteration of a loop
  llvm::SmallVector<Range, 4> ranges;
};

// None where the pointer, or tile of pointers, is made of something else.
std::optional<Footprint> footprintOf(mlir::Value pointer);

// Whether an element of `a` may be one of `b`, which have the same root. With `loop`: of another iteration of that loop.
bool mayMeet(const Footprint &a, const Footprint &b, mlir::Operation *loop);

} // namespace nereid::gpu
