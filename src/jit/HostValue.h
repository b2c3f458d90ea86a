// HostValue.h: an argument as the host gives it, on its way into a kernel.
#pragma once

#include "lang/Value.h"
#include "nereid/nereid.hpp"

namespace nereid::jit {

struct HostValue {
  enum class Kind { Constant, Tensor, Descriptor, Tuple } kind = Kind::Constant;
  lang::Value constant;                // None, bool, int, float, str, a dtype, a function …
  std::optional<nereid::Tensor> tensor; // Tensor, Descriptor
  Shape block;                         // Descriptor
  std::vector<HostValue> items;        // Tuple

  // What the compile-time Python of heuristics and grids sees: a tensor is an object with `shape`, `ndim` and `dtype`.
  lang::Value asValue() const;
};

lang::Type typeOf(DType dtype);

// Calls visit(name, tensor) for every tensor inside; items of a tuple are named as `x[0]`.
template <class Visit> void forEachTensor(const HostValue &value, const std::string &name, Visit visit) {
  if (value.tensor)
    visit(name, *value.tensor);
  for (size_t i = 0; i < value.items.size(); ++i)
    forEachTensor(value.items[i], name + "[" + std::to_string(i) + "]", visit);
}

} // namespace nereid::jit
