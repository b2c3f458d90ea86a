// Forms.h: what the code generator knows about a value at one place of a loop nest.
#pragma once

#include "mlir/IR/Value.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Value.h"

#include <cstdint>
#include <tuple>

namespace nereid::cpu {

// A tile in the scratch arena (or in a constant): strides count elements and are 0 along repeated dimensions.
struct Buffer {
  llvm::Value *data = nullptr;
  llvm::SmallVector<int64_t, 4> strides;
};

inline bool isRowMajor(const Buffer &buffer, llvm::ArrayRef<int64_t> shape) {
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0; stride *= shape[d])
    if (shape[d] != 1 && buffer.strides[d] != stride)
      return false;
  return true;
}

// For each dimension of a value the dimension of the nest that runs along it, or -1 where the index is 0.
using Mapping = llvm::SmallVector<int8_t, 4>;

// Code emitted at this level stands in the body itself; lower levels are outside of loops: 0 before all of them.
constexpr int kInBody = 1000;

// The lanes of a value in the current block of lanes: all equal, or base + lane * stride, or a vector. Scalars of the
// first two are emitted as far outside of the loops as they can be.
struct Form {
  enum class Kind : uint8_t { Uniform, Affine, Vector };
  Kind kind = Kind::Uniform;
  llvm::Value *value = nullptr;
  llvm::Value *stride = nullptr; // Affine: of the type of `value`
  int level = 0;

  static Form uniform(llvm::Value *value, int level) { return {Kind::Uniform, value, nullptr, level}; }
  static Form affine(llvm::Value *base, llvm::Value *stride, int level) { return {Kind::Affine, base, stride, level}; }
  static Form vector(llvm::Value *value) { return {Kind::Vector, value, nullptr, kInBody}; }
  bool isUniform() const { return kind == Kind::Uniform; }
  bool isAffine() const { return kind == Kind::Affine; }
  bool isVector() const { return kind == Kind::Vector; }
};

// Truth values of scalars under which a speculated form or access is right.
using Conditions = llvm::SmallVector<llvm::Value *, 4>;

// Key of the caches of forms.
struct FormKey {
  const void *value;
  Mapping mapping;
  bool isExact;
  bool operator<(const FormKey &other) const {
    return std::tie(value, isExact, mapping) < std::tie(other.value, other.isExact, other.mapping);
  }
};

} // namespace nereid::cpu
