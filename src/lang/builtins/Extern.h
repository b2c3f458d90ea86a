// Extern.h: calls of device functions on every element.
#pragma once

#include "lang/semantic/Semantic.h"

namespace nereid::lang {

// One overload: the symbol for these argument types, and what it returns.
struct ExternVariant {
  std::vector<Type> arguments;
  std::string symbol;
  Type result;
};

// Finds the overload for the types of `arguments` (an exact match, else one for their common type) and brings them to
// its types and to one shape. Fails with the list of overloads.
const ExternVariant &selectVariant(Emitter &emitter, const std::string &name, std::span<const ExternVariant> variants,
                                   std::vector<Tensor> &arguments, SourceRange place);

} // namespace nereid::lang
