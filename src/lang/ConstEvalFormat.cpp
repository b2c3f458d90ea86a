// ConstEvalFormat.cpp: Python's format specifications, for f-strings, format() and str.format.
#include "lang/ConstEval.h"
#include "lang/HostFunction.h"

#include <cmath>
#include <cstdio>

namespace nereid::lang {

namespace {

// [[fill]align][sign][#][0][width][grouping][.precision][type]
struct Specification {
  std::string fill = " ";
  char align = 0, sign = '-', grouping = 0, type = 0;
  bool alternate = false;
  int width = 0, precision = -1;
};

constexpr int kMaxWidth = 4096;
constexpr int kMaxShownNesting = 50;

bool isAlign(char c) { return c == '<' || c == '>' || c == '=' || c == '^'; }

int readNumber(std::string_view &text) {
  int number = 0;
  while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
    number = std::min(number * 10 + (text[0] - '0'), kMaxWidth);
    text.remove_prefix(1);
  }
  return number;
}

Specification parseSpecification(Session &session, std::string_view text) {
  std::string_view whole = text;
  Specification spec;
  size_t first = 1; // bytes of the fill character
  while (first < text.size() && (static_cast<unsigned char>(text[first]) & 0xC0) == 0x80)
    ++first;
  if (text.size() > first && isAlign(text[first])) {
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
  if (char sign = take("+- "))
    spec.sign = sign;
  spec.alternate = take("#") != 0;
  if (take("0") && !spec.align) {
    spec.fill = "0";
    spec.align = '=';
  }
  spec.width = readNumber(text);
  spec.grouping = take(",_");
  if (take("."))
    spec.precision = readNumber(text);
  spec.type = take("bcdeEfFgGnosxX%");
  if (!text.empty())
    session.fail("`" + std::string(whole) + "` is not a valid format specification");
  return spec;
}

size_t characterCount(const std::string &text) {
  size_t count = 0;
  for (unsigned char c : text)
    count += (c & 0xC0) != 0x80;
  return count;
}

std::string padded(const Specification &spec, const std::string &sign, const std::string &body, char defaultAlign) {
  size_t length = sign.size() + characterCount(body), missing = size_t(spec.width) > length ? spec.width - length : 0;
  auto fill = [&](size_t count) {
    std::string text;
    while (count--)
      text += spec.fill;
    return text;
  };
  switch (spec.align ? spec.align : defaultAlign) {
  case '<': return sign + body + fill(missing);
  case '=': return sign + fill(missing) + body;
  case '^': return fill(missing / 2) + sign + body + fill(missing - missing / 2);
  default: return fill(missing) + sign + body;
  }
}

std::string grouped(const std::string &digits, char separator, int every) {
  if (!separator)
    return digits;
  size_t end = digits.find_first_of(".eE");
  std::string result = digits.substr(0, std::min(end, digits.size()));
  for (int i = int(result.size()) - every; i > 0; i -= every)
    result.insert(i, 1, separator);
  return end == std::string::npos ? result : result + digits.substr(end);
}

std::string inBase(unsigned __int128 value, int base, bool isUpper) {
  std::string digits;
  do
    digits.insert(digits.begin(), (isUpper ? "0123456789ABCDEF" : "0123456789abcdef")[int(value % base)]);
  while (value /= base);
  return digits;
}

std::string signText(const Specification &spec, bool isNegative) {
  return isNegative ? "-" : spec.sign == '-' ? "" : std::string(1, spec.sign);
}

std::string formatInteger(const Specification &spec, Integer value) {
  unsigned __int128 magnitude =
      value < 0 ? -static_cast<unsigned __int128>(value) : static_cast<unsigned __int128>(value);
  bool isUpper = spec.type == 'X';
  int base = spec.type == 'x' || isUpper ? 16 : spec.type == 'o' ? 8 : spec.type == 'b' ? 2 : 10;
  std::string prefix = spec.alternate && base != 10 ? std::string("0") + spec.type : "";
  if (spec.type == 'c')
    return padded(spec, "", std::string(1, char(magnitude & 127)), '<');
  return padded(spec, signText(spec, value < 0) + prefix,
                grouped(inBase(magnitude, base, isUpper), spec.grouping, base == 10 ? 3 : 4), '>');
}

std::string formatFloat(const Specification &spec, double value) {
  std::string body;
  char type = spec.type;
  double magnitude = std::abs(value) * (type == '%' ? 100 : 1);
  if (!std::isfinite(magnitude)) {
    body = std::isnan(magnitude) ? "nan" : "inf";
  } else if (!type && spec.precision < 0) {
    body = floatText(magnitude);
  } else {
    char pattern[] = {'%', '.', '*', type == '%' ? 'f' : type && type != 'n' ? type : 'g', 0};
    char buffer[kMaxWidth + 400];
    snprintf(buffer, sizeof buffer, pattern, spec.precision < 0 ? 6 : spec.precision, magnitude);
    body = buffer;
    if (!type && body.find_first_of(".e") == std::string::npos)
      body += ".0";
  }
  if (type == '%')
    body += '%';
  return padded(spec, signText(spec, std::signbit(value) && !std::isnan(value)), grouped(body, spec.grouping, 3), '>');
}

std::string formatText(const Specification &spec, std::string text) {
  if (spec.precision >= 0) {
    size_t bytes = 0;
    for (int count = 0; bytes < text.size(); ++bytes)
      if ((static_cast<unsigned char>(text[bytes]) & 0xC0) != 0x80 && count++ == spec.precision)
        break;
    text.resize(bytes);
  }
  return padded(spec, "", text, '<');
}

} // namespace

std::string ConstEval::textOf(const Value &value) {
  if (auto *instance = value.object<Instance>())
    for (const char *name : {"__str__", "__repr__"})
      if (instance->cls->lookup(name))
        return toString(call(attribute(value, name), Values{}));
  bool isContainer =
      value.object<ListObject>() || value.object<DictObject>() || (value.asTuple() && !value.asTuple()->cls);
  return isContainer ? reprOf(value) : toString(value);
}

// Like repr(), but objects inside may define __repr__.
std::string ConstEval::reprOf(const Value &value) {
  static thread_local int depth = 0; // lists can contain themselves
  struct Nested {
    Nested() { ++depth; }
    ~Nested() { --depth; }
  } nested;
  if (depth > kMaxShownNesting)
    return "...";
  session.step();
  if (auto *instance = value.object<Instance>(); instance && instance->cls->lookup("__repr__"))
    return toString(call(attribute(value, "__repr__"), Values{}));
  auto joined = [&](const Values &items) {
    std::string text;
    for (const Value &item : items)
      text += (text.empty() ? "" : ", ") + reprOf(item);
    allocate(text.size(), kMaxTextBytes);
    return text;
  };
  if (auto *list = value.object<ListObject>())
    return "[" + joined(list->items) + "]";
  if (auto *tuple = value.asTuple(); tuple && !tuple->cls)
    return "(" + joined(tuple->items) + (tuple->items.size() == 1 ? ",)" : ")");
  if (auto *dict = value.object<DictObject>()) {
    std::string text;
    for (auto &[key, item] : dict->items)
      text += (text.empty() ? "" : ", ") + reprOf(key) + ": " + reprOf(item);
    return "{" + text + "}";
  }
  return repr(value);
}

std::string ConstEval::format(const Value &value, char conversion, const std::string &spec) {
  if (!value.isConstant())
    session.fail("a `" + typeName(value) + "` has no text at compile time", {}, "TypeError");
  if (conversion) {
    std::string text = conversion == 's' ? textOf(value) : reprOf(value);
    if (spec.empty())
      return text;
    Specification parsed = parseSpecification(session, spec);
    session.step(uint64_t(parsed.width) / 4);
    return formatText(parsed, std::move(text));
  }
  if (spec.empty())
    return textOf(value);
  Specification parsed = parseSpecification(session, spec);
  session.step(uint64_t(parsed.width) / 4 + uint64_t(std::max(parsed.precision, 0)) / 4);
  bool wantsFloat = parsed.type && std::string_view("eEfFgG%").find(parsed.type) != std::string_view::npos;
  if (auto whole = value.integer(); whole && !wantsFloat)
    return value.is<bool>() && !parsed.type ? formatText(parsed, toString(value)) : formatInteger(parsed, *whole);
  if (auto real = value.number()) {
    if (parsed.type && !wantsFloat && parsed.type != 'n')
      session.fail(std::string("format code `") + parsed.type + "` does not fit a float");
    return formatFloat(parsed, *real);
  }
  if (parsed.type && parsed.type != 's')
    session.fail(std::string("format code `") + parsed.type + "` does not fit a `" + typeName(value) + "`");
  return formatText(parsed, textOf(value));
}

} // namespace nereid::lang
