// F2.h: linear algebra over the field of two elements, for vectors of at most 64 bits. Addition is XOR.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace nereid::layout {

using F2Vector = uint64_t;
using F2Vectors = llvm::SmallVector<F2Vector, 16>;

// The span of the vectors inserted so far. It remembers which inserted vectors add up to which element of the span:
// a combination is a mask over the insertions, bit i standing for the i-th vector given to `insert`.
class F2Span {
public:
  F2Span() = default;
  explicit F2Span(llvm::ArrayRef<F2Vector> vectors);

  // True where `vector` was not in the span before; a vector that was is counted but never used in a combination.
  bool insert(F2Vector vector);

  bool contains(F2Vector vector) const { return solve(vector).has_value(); }
  // The insertions that add up to `vector`. Of dependent insertions the earlier ones are used.
  std::optional<F2Vector> solve(F2Vector vector) const;
  // What is left of `vector` when everything in the span is taken out: equal for equal cosets.
  F2Vector reduce(F2Vector vector) const;
  unsigned rank() const { return rows.size(); }
  F2Vectors basis() const;

private:
  struct Row {
    F2Vector vector;      // its highest bit is its pivot, and stands in no other row
    F2Vector combination; // of the insertions
  };
  llvm::SmallVector<Row, 16> rows;
  unsigned insertions = 0;
};

unsigned rankOf(llvm::ArrayRef<F2Vector> vectors);

// The sum of the columns that the bits of `index` select: matrix times vector.
F2Vector multiply(llvm::ArrayRef<F2Vector> columns, F2Vector index);

// A basis of the masks whose columns add up to zero.
F2Vectors kernelOf(llvm::ArrayRef<F2Vector> columns);

// A basis of the vectors that lie in the spans of both.
F2Vectors intersect(llvm::ArrayRef<F2Vector> left, llvm::ArrayRef<F2Vector> right);

// Unit vectors that together with `vectors` span all of `bits` bits, lowest first.
F2Vectors complete(llvm::ArrayRef<F2Vector> vectors, unsigned bits);

} // namespace nereid::layout
