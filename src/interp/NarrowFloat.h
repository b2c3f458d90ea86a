// NarrowFloat.h: arrays of f16, bf16 and fp8 to and from f32, the type they are computed in.
#pragma once

#include "interp/Element.h"

namespace nereid::interp {

using Unpack = void (*)(float *result, const void *source, size_t count);
using Pack = void (*)(void *result, const float *source, size_t count);

// Exact. Null for types that are not narrow floats.
Unpack unpackOf(Element element);
// How a result is brought to a narrow format: a cast to nearest even, a cast toward zero, or the end of arithmetic (to
// nearest even; Float8.h says how it differs).
enum class Narrowing : uint8_t { Cast, Cut, Arithmetic };
Pack packOf(Element element, Narrowing how);

// Round a double, or an integer, to f32 so that rounding once more to a narrow format gives what rounding at once
// would: the last bit is set when anything was lost ("round to odd").
float roundToOdd(double value);

float f16ToF32(uint16_t bits);
uint16_t f32ToF16(float value);
float bf16ToF32(uint16_t bits);
uint16_t f32ToBF16(float value);

} // namespace nereid::interp
