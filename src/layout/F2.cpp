// F2.cpp: Gaussian elimination on machine words. A span is kept fully reduced, so solving is one pass over its rows.
#include "layout/F2.h"

#include "llvm/ADT/bit.h"

#include <cassert>

namespace nereid::layout {

F2Span::F2Span(llvm::ArrayRef<F2Vector> vectors) {
  for (F2Vector vector : vectors)
    insert(vector);
}

bool F2Span::insert(F2Vector vector) {
  assert(insertions < 64 && "a combination is a mask of 64 bits");
  Row added{vector, F2Vector(1) << insertions++};
  for (const Row &row : rows)
    if (added.vector & llvm::bit_floor(row.vector)) {
      added.vector ^= row.vector;
      added.combination ^= row.combination;
    }
  if (!added.vector)
    return false;
  F2Vector pivot = llvm::bit_floor(added.vector);
  for (Row &row : rows)
    if (row.vector & pivot) {
      row.vector ^= added.vector;
      row.combination ^= added.combination;
    }
  rows.push_back(added);
  return true;
}

std::optional<F2Vector> F2Span::solve(F2Vector vector) const {
  F2Vector combination = 0;
  for (const Row &row : rows)
    if (vector & llvm::bit_floor(row.vector)) {
      vector ^= row.vector;
      combination ^= row.combination;
    }
  if (vector)
    return std::nullopt;
  return combination;
}

F2Vector F2Span::reduce(F2Vector vector) const {
  for (const Row &row : rows)
    if (vector & llvm::bit_floor(row.vector))
      vector ^= row.vector;
  return vector;
}

F2Vectors F2Span::basis() const {
  F2Vectors result;
  for (const Row &row : rows)
    result.push_back(row.vector);
  return result;
}

unsigned rankOf(llvm::ArrayRef<F2Vector> vectors) { return F2Span(vectors).rank(); }

F2Vector multiply(llvm::ArrayRef<F2Vector> columns, F2Vector index) {
  F2Vector sum = 0;
  for (; index; index &= index - 1)
    sum ^= columns[llvm::countr_zero(index)];
  return sum;
}

F2Vectors kernelOf(llvm::ArrayRef<F2Vector> columns) {
  F2Vectors kernel;
  F2Span span;
  for (unsigned i = 0; i < columns.size(); ++i) {
    std::optional<F2Vector> same = span.solve(columns[i]);
    if (same)
      kernel.push_back(*same | F2Vector(1) << i);
    span.insert(columns[i]);
  }
  return kernel;
}

F2Vectors intersect(llvm::ArrayRef<F2Vector> left, llvm::ArrayRef<F2Vector> right) {
  // A relation between the columns of [left | right] is a vector written in both ways.
  F2Vectors both(left);
  both.append(right.begin(), right.end());
  F2Vectors common;
  F2Span span;
  for (F2Vector relation : kernelOf(both)) {
    F2Vector vector = multiply(left, relation & ((F2Vector(1) << left.size()) - 1));
    if (span.insert(vector))
      common.push_back(vector);
  }
  return common;
}

F2Vectors complete(llvm::ArrayRef<F2Vector> vectors, unsigned bits) {
  F2Span span(vectors);
  F2Vectors added;
  for (unsigned bit = 0; bit < bits; ++bit)
    if (span.insert(F2Vector(1) << bit))
      added.push_back(F2Vector(1) << bit);
  return added;
}

} // namespace nereid::layout
