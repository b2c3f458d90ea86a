#include "lang/evaluate/Format.h"

#include "lang/Text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace nereid::lang {

namespace {

constexpr size_t kMaxFormatBytes = 1 << 24; // of one formatted value

bool isAlign(char c) { return c == '<' || c == '>' || c == '=' || c == '^'; }

size_t readNumber(Session &session, std::string_view &text) {
  size_t number = 0;
  while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
    number = number * 10 + size_t(text[0] - '0');
    if (number > kMaxFormatBytes)
      session.fail("a formatted value of more than " + std::to_string(kMaxFormatBytes) +
                       " characters is too large for compile-time evaluation",
                   {}, "MemoryError");
    text.remove_prefix(1);
  }
  return number;
}

std::string repeated(const std::string &text, size_t count) {
  std::string result;
  result.reserve(text.size() * count);
  while (count--)
    result += text;
  return result;
}

[[noreturn]] void failType(Session &session, char type, const char *kind) {
  session.fail(std::string("format code `") + type + "` does not fit " + kind);
}

// The digits before the point with separators between groups, and zeros before them up to `minWidth` characters.
std::string grouped(std::string_view digits, char separator, size_t every, size_t minWidth) {
  std::string reversed;
  size_t done = 0;
  while (done < digits.size() || reversed.size() < minWidth) {
    if (done && done % every == 0) // a digit always follows
      reversed += separator;
    reversed += done < digits.size() ? digits[digits.size() - 1 - done] : '0';
    ++done;
  }
  return std::string(reversed.rbegin(), reversed.rend());
}

std::string signOf(const FormatSpec &spec, bool isNegative) {
  return isNegative ? "-" : spec.sign == '+' || spec.sign == ' ' ? std::string(1, spec.sign) : "";
}

// The width and the separators of a number: `digits` stand before `rest` (a point, an exponent, a percent sign).
std::string finishNumber(Session &session, const FormatSpec &spec, const std::string &sign, std::string_view digits,
                         std::string_view rest, size_t groupSize) {
  std::string body(digits);
  if (spec.grouping) {
    bool fillsZeros = spec.fill == "0" && spec.align == '=';
    size_t others = sign.size() + rest.size();
    body = grouped(digits, spec.grouping, groupSize, fillsZeros && spec.width > others ? spec.width - others : 0);
  }
  return padNumber(session, spec, sign, body + std::string(rest));
}

} // namespace

FormatSpec parseFormat(Session &session, std::string_view text, bool isNumber) {
  std::string whole(text);
  FormatSpec spec;
  size_t first = byteOf(text.substr(0, 4), 1); // bytes of the fill character
  bool hasFill = text.size() > first && first > 0 && isAlign(text[first]);
  if (hasFill) {
    spec.fill = text.substr(0, first);
    spec.align = text[first];
    text.remove_prefix(first + 1);
  } else if (!text.empty() && isAlign(text[0])) {
    spec.align = text[0];
    text.remove_prefix(1);
  }
  auto take = [&](std::string_view set) -> char {
    if (text.empty() || set.find(text[0]) == std::string_view::npos)
      return 0;
    char c = text[0];
    text.remove_prefix(1);
    return c;
  };
  spec.sign = take("+- ");
  spec.noNegativeZero = take("z") != 0;
  spec.isAlternate = take("#") != 0;
  if (!hasFill && take("0")) {
    spec.fill = "0";
    if (!spec.align && isNumber)
      spec.align = '=';
  }
  spec.width = readNumber(session, text);
  spec.grouping = take(",_");
  if (spec.grouping && take(",_"))
    session.fail("a format specification has `,` or `_`, not both");
  if (take(".")) {
    if (text.empty() || text[0] < '0' || text[0] > '9')
      session.fail("a format specification lacks its precision after `.`");
    spec.precision = int(readNumber(session, text));
  }
  if (text.size() == 1)
    spec.type = text[0];
  else if (!text.empty())
    session.fail("`" + whole + "` is not a valid format specification");
  std::string_view groupable = spec.grouping == '_' ? "deEfFgG%boxX" : "deEfFgG%";
  if (spec.grouping && spec.type && groupable.find(spec.type) == std::string_view::npos)
    session.fail(std::string("`") + spec.grouping + "` does not go with the format code `" + spec.type + "`");
  if (!isNumber && spec.sign)
    session.fail("a sign is not allowed in the format of a text");
  return spec;
}

std::string padNumber(Session &session, const FormatSpec &spec, const std::string &sign, const std::string &body) {
  size_t length = sign.size() + characterCount(body), missing = spec.width > length ? spec.width - length : 0;
  session.make(missing * spec.fill.size());
  session.step(missing / 16);
  switch (spec.align ? spec.align : '>') {
  case '<': return sign + body + repeated(spec.fill, missing);
  case '=': return sign + repeated(spec.fill, missing) + body;
  case '^': return repeated(spec.fill, missing / 2) + sign + body + repeated(spec.fill, missing - missing / 2);
  default: return repeated(spec.fill, missing) + sign + body;
  }
}

std::string inBase(Integer value, int base, bool isUpper) {
  // Through unsigned, so that the least value is safe to negate.
  auto rest = value < 0 ? -static_cast<unsigned __int128>(value) : static_cast<unsigned __int128>(value);
  std::string digits;
  do
    digits += (isUpper ? "0123456789ABCDEF" : "0123456789abcdef")[int(rest % unsigned(base))];
  while (rest /= unsigned(base));
  std::ranges::reverse(digits);
  return digits;
}

std::string formatInteger(Session &session, const FormatSpec &spec, Integer value) {
  switch (spec.type) {
  case 'e':
  case 'E':
  case 'f':
  case 'F':
  case 'g':
  case 'G':
  case '%': return formatFloat(session, spec, double(value));
  case 0:
  case 'b':
  case 'c':
  case 'd':
  case 'n':
  case 'o':
  case 'x':
  case 'X': break;
  default: failType(session, spec.type, "an integer");
  }
  if (spec.precision >= 0)
    session.fail("a precision is not allowed in the format of an integer");
  if (spec.noNegativeZero)
    session.fail("`z` is not allowed in the format of an integer");
  if (spec.type == 'c') {
    if (spec.sign || spec.isAlternate)
      session.fail("a sign or `#` is not allowed with the format code `c`");
    if (value < 0 || value > 0x10FFFF)
      session.fail(integerText(value) + " is not the code of a character", {}, "OverflowError");
    return padNumber(session, spec, "", utf8(uint32_t(value)));
  }
  int base = spec.type == 'x' || spec.type == 'X' ? 16 : spec.type == 'o' ? 8 : spec.type == 'b' ? 2 : 10;
  std::string prefix = spec.isAlternate && base != 10 ? std::string("0") + spec.type : "";
  return finishNumber(session, spec, signOf(spec, value < 0) + prefix, inBase(value, base, spec.type == 'X'), "",
                      base == 10 ? 3 : 4);
}

// The layout is CPython's: the significant digits, the place of the point among them, and how many zeros stand around.
std::string floatDigits(double magnitude, char type, int precision, bool addDot, bool isAlternate) {
  bool isUpper = type >= 'A' && type <= 'Z';
  char code = char(type | 32);
  if (!std::isfinite(magnitude))
    return std::isnan(magnitude) ? (isUpper ? "NAN" : "nan") : (isUpper ? "INF" : "inf");
  Session::charge(uint64_t(std::max(precision, 0)) / 8);
  if (code == 'g' && precision == 0)
    precision = 1;
  int wanted = code == 'e' ? precision + 1 : precision; // significant digits, or digits behind the point for `f`
  std::string text;
  if (code == 'r') {
    text = floatText(magnitude);
  } else {
    text.resize(
        size_t(snprintf(nullptr, 0, code == 'f' ? "%.*f" : "%.*e", code == 'f' ? wanted : wanted - 1, magnitude)));
    snprintf(text.data(), text.size() + 1, code == 'f' ? "%.*f" : "%.*e", code == 'f' ? wanted : wanted - 1, magnitude);
  }
  // The digits without the zeros around them; the point stands before digit number `point`.
  int exponent = 0;
  if (size_t mark = text.find('e'); mark != std::string::npos) {
    exponent = std::stoi(text.substr(mark + 1));
    text.resize(mark);
  }
  size_t dot = text.find('.');
  int point = int(dot == std::string::npos ? text.size() : dot) + exponent;
  if (dot != std::string::npos)
    text.erase(dot, 1);
  size_t leading = text.find_first_not_of('0');
  std::string digits =
      leading == std::string::npos ? "0" : text.substr(leading, text.find_last_not_of('0') + 1 - leading);
  point = leading == std::string::npos ? 1 : point - int(leading);

  bool usesExponent = code == 'e' || (code == 'g' && (point <= -4 || point > precision - (addDot ? 1 : 0))) ||
                      (code == 'r' && (point <= -4 || point > 16));
  int end = code == 'e' || (code == 'g' && isAlternate) ? wanted : code == 'f' ? point + wanted : int(digits.size());
  int power = point - 1;
  if (usesExponent)
    point = 1;
  int start = point <= 0 ? point - 1 : 0;
  end = !usesExponent && addDot ? std::max(end, point + 1) : std::max(end, point);
  std::string result;
  for (int i = start; i < end; ++i) {
    if (i == point)
      result += '.';
    result += i >= 0 && i < int(digits.size()) ? digits[size_t(i)] : '0';
  }
  if (end == point && isAlternate)
    result += '.';
  if (usesExponent) {
    char buffer[16];
    snprintf(buffer, sizeof buffer, "%c%+.02d", isUpper ? 'E' : 'e', power);
    result += buffer;
  }
  return result;
}

std::string formatFloat(Session &session, const FormatSpec &spec, double value) {
  if (spec.type && std::string_view("eEfFgGn%").find(spec.type) == std::string_view::npos)
    failType(session, spec.type, "a float");
  char type = spec.type == '%' ? 'f' : spec.type == 'n' ? 'g' : spec.type ? spec.type : spec.precision < 0 ? 'r' : 'g';
  int precision = spec.precision >= 0 ? spec.precision : type == 'r' ? 0 : 6;
  if (spec.type == '%')
    value *= 100;
  std::string body = floatDigits(std::abs(value), type, precision, !spec.type, spec.isAlternate);
  bool isZero = body.find_first_of("123456789infINF") == std::string::npos;
  bool isNegative = std::signbit(value) && !std::isnan(value) && !(spec.noNegativeZero && isZero);
  if (spec.type == '%')
    body += '%';
  if (!std::isfinite(value))
    return padNumber(session, spec, signOf(spec, isNegative), body);
  size_t digits = std::min(body.find_first_not_of("0123456789"), body.size());
  std::string_view view = body;
  return finishNumber(session, spec, signOf(spec, isNegative), view.substr(0, digits), view.substr(digits), 3);
}

std::string formatText(Session &session, const FormatSpec &spec, const std::string &text) {
  if (spec.type && spec.type != 's')
    failType(session, spec.type, "a text");
  if (spec.isAlternate || spec.noNegativeZero || spec.grouping || spec.align == '=')
    session.fail("`#`, `z`, `=`, `,` and `_` are not allowed in the format of a text");
  FormatSpec aligned = spec;
  aligned.align = spec.align ? spec.align : '<';
  std::string shown = spec.precision < 0 ? text : text.substr(0, byteOf(text, size_t(spec.precision)));
  return padNumber(session, aligned, "", shown);
}

} // namespace nereid::lang
