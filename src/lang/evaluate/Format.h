// Format.h: numbers and texts as Python's format specifications (`f"{x:>8.3f}"`) and `%` show them.
#pragma once

#include "lang/Session.h"
#include "lang/Value.h"

namespace nereid::lang {

// [[fill]align][sign][z][#][0][width][grouping][.precision][type]
struct FormatSpec {
  std::string fill = " ";
  char align = 0, sign = 0, grouping = 0, type = 0; // 0: none is given
  bool isAlternate = false, noNegativeZero = false;
  size_t width = 0;
  int precision = -1;
};

// A specification; `isNumber` says how `0` before the width is meant.
FormatSpec parseFormat(Session &session, std::string_view text, bool isNumber);

// Each fails where Python does: a type that does not fit, a sign for a text.
std::string formatInteger(Session &session, const FormatSpec &spec, Integer value);
std::string formatFloat(Session &session, const FormatSpec &spec, double value);
std::string formatText(Session &session, const FormatSpec &spec, const std::string &text);

// The digits of a number without a sign: `type` is one of e, f, g (or upper case) and r for repr(). `addDot` gives
// whole numbers a `.0`.
std::string floatDigits(double magnitude, char type, int precision, bool addDot, bool isAlternate);
std::string inBase(Integer value, int base, bool isUpper = false); // without a sign
// A number with its sign in its width; `=` puts the padding between the two.
std::string padNumber(Session &session, const FormatSpec &spec, const std::string &sign, const std::string &body);

} // namespace nereid::lang
