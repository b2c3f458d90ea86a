// Nvidia.h: instructions of NVIDIA GPUs that functions are made of. They are 2 units of the last place off, for f32 only.
#pragma once

#include "codegen/math/Term.h"

namespace nereid::codegen::terms {

bool isNvidia(Term a);
Term roughPower(Term x);      // 2^x
Term roughReciprocal(Term x); // 1 / x; 0 of an infinity

} // namespace nereid::codegen::terms
