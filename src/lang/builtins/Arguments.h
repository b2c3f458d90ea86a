// Arguments.h: how the rows of this folder read their arguments: tensors of an allowed type, lists of tensors.
#pragma once

#include "lang/semantic/Semantic.h"

namespace nereid::lang {

// The function's name as messages write it.
std::string quotedName(const BoundArguments &args);

// "`exp` needs f32 or f64, got f16", with a note that shows the cast to `cast` (when given).
[[noreturn]] void failType(Emitter &emitter, const BoundArguments &args, size_t index, std::string_view expected,
                           const Type &found, std::string_view cast = {});

// Argument `index` as a tensor of fp32 or fp64: what the mathematical functions work on.
Tensor floatArgument(Emitter &emitter, const BoundArguments &args, size_t index);

// Constants, with the parameter's name and the argument's place in the message when they are something else.
int64_t intArgument(Emitter &emitter, const BoundArguments &args, size_t index);
bool boolArgument(Emitter &emitter, const BoundArguments &args, size_t index);
std::string stringArgument(Emitter &emitter, const BoundArguments &args, size_t index);
Type typeArgument(Emitter &emitter, const BoundArguments &args, size_t index);

// The items of a tuple or list; a single value counts as one item when `allowSingle`.
Values toItems(Emitter &emitter, const BoundArguments &args, size_t index, bool allowSingle);

// fp32 instead of bf16: no machine compares bf16 directly.
Tensor promoteBf16(Emitter &emitter, const Tensor &tensor);

// The dimension that argument `index`, -rank … rank-1, means in a block.
int axisArgument(Emitter &emitter, const BoundArguments &args, size_t index, const Type &type);

} // namespace nereid::lang
