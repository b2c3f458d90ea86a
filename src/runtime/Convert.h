// Convert.h: numbers to and from the bytes of every element type, rounded to nearest even.
#pragma once

#include "nereid/dtype.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace nereid::runtime {

// The value of one element. 64-bit integers beyond 2^53 are rounded, as in any conversion to double.
double readElement(DType type, const std::byte *element);

// Writes the nearest representable value. Floats overflow to infinity, or to NaN where the type has no infinity;
// integers saturate, and NaN becomes 0.
void writeElement(DType type, std::byte *element, double value);
// The same for an integer, exact for every integer type.
void writeInteger(DType type, std::byte *element, int64_t value);

// Why a type does not hold a value, not even rounded: it is beyond its range, or a fraction, an infinity or NaN that it does
// not have. Empty: it holds the value.
std::string whyNotHeld(DType type, double value);

// f32, fp32, float32, i32, int32, u8, uint8, bool, i1, bf16, bfloat16, fp8e4nv, float8e4nv …
std::optional<DType> parseDType(std::string_view name);

} // namespace nereid::runtime
