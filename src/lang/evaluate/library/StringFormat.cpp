// StringFormat.cpp: texts with places for values: str.format and `%`.
#include "lang/Text.h"
#include "lang/evaluate/Arithmetic.h"
#include "lang/evaluate/Format.h"
#include "lang/evaluate/library/Tables.h"

#include <algorithm>
#include <cmath>

namespace nereid::lang {

namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }

// str.format: `{}`, `{0}`, `{name.attribute[key]!r:spec}`; a specification may have fields in it.
class Formatter {
public:
  explicit Formatter(LibraryCall &call) : call(call), session(call.session()) {}

  std::string format(std::string_view text, int depth) {
    std::string result;
    for (size_t i = 0; i < text.size();) {
      size_t plain = std::min(text.find_first_of("{}", i), text.size()), before = result.size();
      result += text.substr(i, plain - i);
      i = plain;
      if (i < text.size() && i + 1 < text.size() && text[i + 1] == text[i]) {
        result += text[i];
        i += 2;
      } else if (i < text.size() && text[i] == '}') {
        session.fail("a single `}` in a format string");
      } else if (i < text.size()) {
        size_t end = endOfField(text, i + 1);
        result += field(text.substr(i + 1, end - i - 1), depth);
        i = end + 1;
      }
      call.eval.allocateText(result.size() - before, result.size());
    }
    return result;
  }

private:
  size_t endOfField(std::string_view text, size_t at) {
    for (int open = 1; at < text.size(); ++at) {
      open += text[at] == '{' ? 1 : text[at] == '}' ? -1 : 0;
      if (text[at] == '[') // a key may hold anything but its end
        at = std::min(text.find(']', at), text.size());
      if (open == 0)
        return at;
    }
    session.fail("`{` without `}` in a format string");
  }

  std::string field(std::string_view text, int depth) {
    if (depth > 1)
      session.fail("fields of a format string are nested too deeply");
    size_t nameEnd = 0;
    for (; nameEnd < text.size() && text[nameEnd] != '!' && text[nameEnd] != ':'; ++nameEnd)
      if (text[nameEnd] == '[')
        nameEnd = std::min(text.find(']', nameEnd), text.size() - 1);
    std::string_view name = text.substr(0, nameEnd), rest = text.substr(nameEnd);
    if (name.find_first_of("{}") != std::string_view::npos)
      session.fail("unexpected `{` in the name of a field");
    char conversion = 0;
    if (rest.starts_with("!")) {
      if (rest.size() < 2 || (rest.size() > 2 && rest[2] != ':'))
        session.fail("expected one letter and `:` or `}` after `!` in a format string");
      conversion = rest[1];
      rest.remove_prefix(2);
    }
    Value value = valueOf(name);
    std::string spec = rest.empty() ? "" : format(rest.substr(1), depth + 1);
    return call.eval.format(value, conversion, spec);
  }

  Value valueOf(std::string_view name) {
    size_t headEnd = std::min(name.find_first_of(".["), name.size());
    Value value = argument(std::string(name.substr(0, headEnd)));
    for (name.remove_prefix(headEnd); !name.empty();) {
      bool isKey = name[0] == '[';
      size_t end = isKey ? name.find(']') : std::min(name.find_first_of(".[", 1), name.size());
      if ((name[0] != '.' && !isKey) || end == std::string_view::npos || end == 1)
        session.fail("an empty attribute, or a missing `]`, in a format string");
      std::string part(name.substr(1, end - 1));
      if (isKey)
        value = call.eval.subscript(value, isNumber(part) ? Value(number(part)) : Value(part));
      else if (Value found = call.eval.attribute(value, part))
        value = found;
      else
        session.fail("`format` finds no attribute `" + part + "`", {}, "AttributeError");
      name.remove_prefix(end + (isKey ? 1 : 0));
    }
    return value;
  }

  static bool isNumber(const std::string &text) { return !text.empty() && std::ranges::all_of(text, isDigit); }
  Integer number(const std::string &text) {
    constexpr size_t kMaxDigits = 18;
    if (text.size() > kMaxDigits)
      session.fail("too many digits in a format string");
    return Integer(std::stoll(text));
  }

  Value argument(const std::string &head) {
    const Values &positional = call[1].asTuple()->items;
    if (head.empty() || isNumber(head)) {
      if (isAutomatic && *isAutomatic != head.empty())
        session.fail("a format string numbers all of its fields, or none");
      isAutomatic = head.empty();
      Integer index = head.empty() ? next++ : number(head);
      if (index >= Integer(positional.size()))
        session.fail("`format` has no argument " + integerText(index), {}, "IndexError");
      return positional[size_t(index)];
    }
    if (Value *found = findItem(*call[2].object<DictObject>(), Value(head)))
      return *found;
    session.fail("`format` has no argument `" + head + "`", {}, "KeyError");
  }

  LibraryCall &call;
  Session &session;
  std::optional<bool> isAutomatic; // whether fields are numbered by their order
  Integer next = 0;
};

// `%`: %[(key)][flags][width][.precision]type.
class PercentFormatter {
public:
  explicit PercentFormatter(LibraryCall &call) : call(call), session(call.session()), text(call.text(0)) {
    // A list counts as something that could be looked into by keys: it need not be used up.
    isMapping = call[1].object<DictObject>() || call[1].object<ListObject>() || call[1].constant<RangeObject>();
    arguments = call[1].asTuple() ? call[1].asTuple()->items : Values{call[1]};
  }

  std::string format() {
    std::string result;
    while (at < text.size()) {
      size_t plain = std::min(text.find('%', at), text.size()), before = result.size();
      result += text.substr(at, plain - at);
      at = plain + 1;
      if (plain < text.size())
        result += field();
      call.eval.allocateText(result.size() - before, result.size());
    }
    if (next < arguments.size() && !isMapping)
      session.fail("not all arguments were converted by the format string", {}, "TypeError");
    return result;
  }

private:
  char peek() {
    if (at >= text.size())
      session.fail("incomplete format after `%`");
    return text[at];
  }

  Value nextArgument() {
    if (next >= arguments.size())
      session.fail("not enough arguments for the format string", {}, "TypeError");
    return arguments[next++];
  }

  Integer readNumber() {
    if (peek() == '*') {
      ++at;
      auto given = nextArgument().integer();
      if (!given)
        session.fail("`*` in a format string takes an integer", {}, "TypeError");
      return *given;
    }
    Integer number = 0;
    for (; isDigit(peek()); ++at)
      number = std::min(number * 10 + (text[at] - '0'), Integer(1) << 40);
    return number;
  }

  int sizeOf(Integer number) {
    constexpr Integer kMax = 1 << 24;
    if (number > kMax)
      session.fail("a formatted value of " + integerText(number) +
                       " characters is too large for compile-time evaluation",
                   {}, "MemoryError");
    return int(number);
  }

  std::string field() {
    std::optional<Value> keyed;
    if (peek() == '(') {
      size_t begin = ++at;
      for (int open = 1; open; ++at)
        open += peek() == '(' ? 1 : text[at] == ')' ? -1 : 0;
      if (!call[1].object<DictObject>())
        session.fail("a format with keys takes a dict", {}, "TypeError");
      keyed = call.eval.subscript(call[1], Value(std::string(text.substr(begin, at - begin - 1))));
      next = arguments.size();
    }
    FormatSpec spec;
    bool isLeft = false, hasZeros = false;
    for (; std::string_view("-+ #0").find(peek()) != std::string_view::npos; ++at) {
      isLeft |= text[at] == '-';
      hasZeros |= text[at] == '0';
      spec.isAlternate |= text[at] == '#';
      if (text[at] == '+' || (text[at] == ' ' && spec.sign != '+'))
        spec.sign = text[at];
    }
    Integer width = readNumber();
    isLeft |= width < 0;
    spec.width = size_t(sizeOf(width < 0 ? -width : width));
    if (peek() == '.') {
      ++at;
      spec.precision = sizeOf(std::max(readNumber(), Integer(0)));
    }
    if (peek() == 'l' || peek() == 'h' || peek() == 'L')
      ++at;
    char type = peek();
    ++at;
    if (type == '%')
      return "%";
    spec.align = isLeft ? '<' : '>';
    return one(keyed ? *keyed : nextArgument(), type, spec, hasZeros && !isLeft);
  }

  std::string one(const Value &value, char type, FormatSpec spec, bool hasZeros) {
    switch (type) {
    case 's':
    case 'r':
    case 'a': return formatText(session, plain(spec), call.eval.format(value, type, ""));
    case 'c': {
      bool isCharacter = value.str() && characterCount(*value.str()) == 1;
      if (!isCharacter && !value.integer())
        session.fail("`%c` takes an integer or one character", {}, "TypeError");
      spec = plain(spec);
      spec.precision = -1;
      FormatSpec code;
      code.type = 'c';
      return formatText(session, spec, isCharacter ? *value.str() : formatInteger(session, code, *value.integer()));
    }
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X': return integer(value, type, spec, hasZeros);
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G': return real(value, type, spec, hasZeros);
    default: session.fail(std::string("`%") + type + "` is not a format");
    }
  }

  static FormatSpec plain(FormatSpec spec) {
    spec.sign = 0;
    spec.isAlternate = false;
    return spec;
  }

  static std::string signOf(const FormatSpec &spec, bool isNegative) {
    return isNegative ? "-" : spec.sign ? std::string(1, spec.sign) : "";
  }

  std::string padded(FormatSpec spec, const std::string &sign, const std::string &body, bool hasZeros) {
    if (hasZeros) {
      spec.fill = "0";
      spec.align = '=';
    }
    return padNumber(session, spec, sign, body);
  }

  std::string integer(const Value &value, char type, const FormatSpec &spec, bool hasZeros) {
    bool isDecimal = type == 'd' || type == 'i' || type == 'u';
    auto whole = value.integer();
    if (auto *number = value.get<double>(); number && isDecimal)
      whole = wholeOf(session, std::trunc(*number));
    if (!whole)
      session.fail(std::string("`%") + type + "` takes an integer, not `" + typeName(value) + "`", {}, "TypeError");
    std::string digits = inBase(*whole, isDecimal ? 10 : type == 'o' ? 8 : 16, type == 'X');
    if (spec.precision > int(digits.size()))
      digits.insert(0, size_t(spec.precision) - digits.size(), '0');
    session.make(digits.size());
    std::string prefix = spec.isAlternate && !isDecimal ? std::string("0") + type : "";
    return padded(spec, signOf(spec, *whole < 0) + prefix, digits, hasZeros);
  }

  std::string real(const Value &value, char type, const FormatSpec &spec, bool hasZeros) {
    auto number = value.number();
    if (!number)
      session.fail(std::string("`%") + type + "` takes a number, not `" + typeName(value) + "`", {}, "TypeError");
    std::string body =
        floatDigits(std::abs(*number), type, spec.precision < 0 ? 6 : spec.precision, false, spec.isAlternate);
    bool isNegative = std::signbit(*number) && !std::isnan(*number);
    return padded(spec, signOf(spec, isNegative), body, hasZeros);
  }

  LibraryCall &call;
  Session &session;
  std::string_view text;
  Values arguments;
  size_t at = 0, next = 0;
  bool isMapping;
};

} // namespace

Value formatMethod(LibraryCall &call) { return Formatter(call).format(call.text(0), 0); }

Value percentFormat(LibraryCall &call) { return PercentFormatter(call).format(); }

} // namespace nereid::lang
