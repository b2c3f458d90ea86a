// NumberLiteral.h: the values of number literals.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nereid::syntax {

class Arena;

// CPython's limit for integers written in decimal; hexadecimal, octal and binary ones have none.
inline constexpr size_t kMaxDecimalDigits = 4300;

std::string_view withoutUnderscores(Arena &arena, std::string_view digits);
bool isRadixPrefixed(std::string_view digits); // 0x, 0o, 0b
// The nearest double, an infinity when too large. A trailing `j` is ignored.
double parseDouble(std::string_view digits);
// An Int constant's digits in decimal, as repr() prints them; more digits than kMaxDecimalDigits stay as written.
std::string decimalDigits(std::string_view digits);

} // namespace nereid::syntax
