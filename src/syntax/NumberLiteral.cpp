#include "syntax/NumberLiteral.h"

#include "syntax/Arena.h"
#include "syntax/Characters.h"

#include <charconv>
#include <limits>

namespace nereid::syntax {

std::string_view withoutUnderscores(Arena &arena, std::string_view digits) {
  std::string kept;
  for (char c : digits)
    if (c != '_')
      kept += c;
  return arena.copy(kept);
}

bool isRadixPrefixed(std::string_view digits) { return digits.size() > 2 && digits[0] == '0' && !isDigit(digits[1]); }

double parseDouble(std::string_view digits) {
  if ((digits.back() | 0x20) == 'j')
    digits.remove_suffix(1);
  double value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc::result_out_of_range)
    return value;
  // Too large or too small: from_chars leaves the value alone. The exponent's sign decides; without an exponent, a
  // number that begins with a non-zero digit before the point is large.
  size_t exponent = digits.find_first_of("eE");
  bool small = exponent != std::string_view::npos ? digits[exponent + 1] == '-'
                                                  : digits.find_first_not_of('0') == digits.find('.');
  return small ? 0.0 : std::numeric_limits<double>::infinity();
}

std::string decimalDigits(std::string_view digits) {
  if (!isRadixPrefixed(digits)) {
    size_t first = digits.find_first_not_of('0');
    return first == std::string_view::npos ? "0" : std::string(digits.substr(first));
  }
  char letter = static_cast<char>(digits[1] | 0x20);
  unsigned bits = letter == 'x' ? 4 : letter == 'o' ? 3 : 1;
  constexpr uint32_t kBase = 1000000000;
  std::vector<uint32_t> limbs; // base 10^9, least significant first
  for (char c : digits.substr(2)) {
    uint64_t carry = static_cast<uint64_t>(hexDigit(c));
    for (uint32_t &limb : limbs) {
      carry += static_cast<uint64_t>(limb) << bits;
      limb = static_cast<uint32_t>(carry % kBase);
      carry /= kBase;
    }
    if (carry != 0)
      limbs.push_back(static_cast<uint32_t>(carry));
    if (limbs.size() * 9 > kMaxDecimalDigits + 9)
      return std::string(digits);
  }
  if (limbs.empty())
    return "0";
  std::string text = std::to_string(limbs.back());
  for (size_t i = limbs.size() - 1; i-- > 0;) {
    std::string part = std::to_string(limbs[i]);
    text.append(9 - part.size(), '0').append(part);
  }
  return text.size() > kMaxDecimalDigits ? std::string(digits) : text;
}

} // namespace nereid::syntax
