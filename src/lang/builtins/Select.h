// Select.h: selections that other builtins are made of.
#pragma once

#include "lang/semantic/Semantic.h"

namespace nereid::lang {

// The larger or smaller of two numbers of one type; NaN wins with `propagateNan` and loses without.
Tensor emitExtremum(Emitter &emitter, bool isMaximum, bool propagateNan, const Tensor &x, const Tensor &y);
// `x` where the condition is true, else `y`; one shape and one type.
Tensor emitSelect(Emitter &emitter, const Tensor &condition, const Tensor &x, const Tensor &y);

} // namespace nereid::lang
