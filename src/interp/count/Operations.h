// Operations.h: what an instruction costs in arithmetic, from what it is.
#pragma once

#include "interp/Program.h"
#include "interp/count/Counts.h"

namespace nereid::interp {

// What one element of an elementwise instruction adds. Sums, differences, products, quotients, maxima and minima of floats
// are a flop each, a fused product and sum two; other functions of <math> are special functions; signs, roundings, casts,
// comparisons of floats and selections are free. Arithmetic, comparisons and bits of integers and pointers are integer
// operations.
Counts costOfElement(const Fact &fact, const Instruction &instruction);

// What one run of a matrix product adds: two flops a product, on tensor cores but for f32 as it is (`ieee`) and f64.
// Products in several parts (`tf32x3`) count all parts.
Counts costOfProduct(const Instruction &instruction);

} // namespace nereid::interp
