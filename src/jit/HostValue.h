// HostValue.h: an argument as the host gives it, on its way into a kernel.
#pragma once

#include "lang/emit/EmitIR.h"
#include "nereid/nereid.hpp"

namespace nereid::jit {

struct HostValue {
  // Typed: only what the compiler is told is known (a signature), there is no value to run with.
  enum class Kind { Constant, Tensor, Descriptor, Tuple, Typed } kind = Kind::Constant;
  lang::Value constant;                   // None, bool, int, float, str, a dtype, a function …
  std::optional<nereid::Tensor> tensor;   // Tensor, Descriptor
  bool isReadOnly = false;                // Tensor, Descriptor: its memory must not be written
  Shape block;                            // Descriptor
  bool nanPadding = false;                // Descriptor: outside of it are NaNs
  std::vector<HostValue> items;           // Tuple
  std::shared_ptr<const lang::Class> cls; // Tuple: a named tuple's class
  lang::ArgumentSpec typed;               // Typed

  // What the compile-time Python of heuristics and grids sees: a tensor is an object with `shape`, `ndim` and `dtype`.
  lang::Value asValue() const;
};

struct NamedHostValue {
  std::string name; // empty: by position
  HostValue value;
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
