#include "jit/Signature.h"

#include "jit/Evaluate.h"

#include <charconv>

namespace nereid::jit {

namespace {

Error badEntry(const std::string &entry, const std::string &message) {
  return {Status::BadInput, "error: signature: `" + entry.substr(0, 80) + "`: " + message + "\n"};
}

std::string trimmed(std::string_view text) {
  while (!text.empty() && std::string_view(" \t\n").find(text.front()) != std::string_view::npos)
    text.remove_prefix(1);
  while (!text.empty() && std::string_view(" \t\n").find(text.back()) != std::string_view::npos)
    text.remove_suffix(1);
  return std::string(text);
}

// Calls visit(i) for each character outside of brackets and quotes, and for the brackets that end there.
template <class Visit> void forEachOutside(std::string_view text, Visit visit) {
  int depth = 0;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quote)
      quote = c == quote ? 0 : quote;
    else if (c == '"' || c == '\'')
      quote = c;
    else if (c == '(' || c == '[' || c == '<')
      ++depth;
    else if (c == ')' || c == ']' || c == '>')
      --depth;
    if (depth <= 0 && !quote)
      visit(i);
  }
}

// Splits at the commas that stand outside of brackets and quotes.
std::vector<std::string> splitEntries(const std::string &text) {
  std::vector<std::string> entries;
  size_t begin = 0;
  auto endAt = [&](size_t i) {
    entries.push_back(trimmed(std::string_view(text).substr(begin, i - begin)));
    begin = i + 1;
  };
  forEachOutside(text, [&](size_t i) {
    if (text[i] == ',')
      endAt(i);
  });
  endAt(text.size());
  if (!entries.empty() && entries.back().empty())
    entries.pop_back(); // a trailing comma, or an empty signature
  return entries;
}

bool isIdentifier(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9'))
    return false;
  for (char c : text)
    if (!(c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')))
      return false;
  return true;
}

HostValue typed(lang::ArgumentSpec spec) { return {.kind = HostValue::Kind::Typed, .typed = std::move(spec)}; }

// tensordesc<fp16[64,64]>, with `:16` where the address, the rows and the last extent are multiples of 16 bytes
std::optional<Result<HostValue>> parseDescriptor(std::string text) {
  constexpr std::string_view kHead = "tensordesc<";
  if (!text.starts_with(kHead))
    return std::nullopt;
  bool isDivisible = text.ends_with(":16");
  if (isDivisible)
    text.resize(text.size() - 3);
  size_t open = text.find('['), close = text.find(']');
  if (open == std::string::npos || close == std::string::npos || close < open || !text.ends_with('>'))
    return badEntry(text, "write a descriptor as `tensordesc<fp16[64,64]>`");
  std::optional<lang::Type> element =
      lang::Type::parse(trimmed(std::string_view(text).substr(kHead.size(), open - kHead.size())));
  if (!element || element->isPointer() || element->isVoid())
    return badEntry(text, "its element type is not known");
  lang::Shape shape;
  for (const std::string &part : splitEntries(text.substr(open + 1, close - open - 1))) {
    int64_t extent = 0;
    auto [end, problem] = std::from_chars(part.data(), part.data() + part.size(), extent);
    if (problem != std::errc() || end != part.data() + part.size() || extent < 1 || extent > 1 << 20)
      return badEntry(text, "the extents of a block are numbers from 1 to 1048576");
    shape.push_back(extent);
  }
  if (shape.empty() || shape.size() > 5)
    return badEntry(text, "a descriptor has one to five axes");
  return typed({.kind = lang::ArgumentSpec::Kind::Descriptor,
                .type = element->withShape(shape),
                .divisibility = isDivisible ? 16 : 1});
}

// "(*fp32:16, i32)", "(i32,)": what stands inside; nothing where it is an expression in parentheses.
std::optional<std::vector<std::string>> tupleItems(const std::string &text) {
  size_t closes = std::string::npos;
  forEachOutside(text, [&](size_t i) { closes = std::min(closes, i); });
  if (!text.starts_with('(') || closes + 1 != text.size())
    return std::nullopt;
  std::string inside = trimmed(std::string_view(text).substr(1, text.size() - 2));
  std::vector<std::string> items = splitEntries(inside);
  return items.size() > 1 || inside.ends_with(',') ? std::optional(items) : std::nullopt;
}

Result<HostValue> parseEntry(KernelModule &module, const std::string &text, unsigned depth = 0);

// Nothing where it is all constants, which is a constant.
std::optional<Result<HostValue>> parseTuple(KernelModule &module, const std::string &text, unsigned depth) {
  constexpr unsigned kDeepest = 16;
  std::optional<std::vector<std::string>> items = tupleItems(text);
  if (!items)
    return std::nullopt;
  if (depth == kDeepest)
    return badEntry(text, "tuples stand in tuples, 16 deep at most");
  HostValue tuple{.kind = HostValue::Kind::Tuple};
  bool isConstant = true;
  for (const std::string &item : *items) {
    Result<HostValue> value = parseEntry(module, item, depth + 1);
    if (!value)
      return value;
    isConstant &= value->kind == HostValue::Kind::Typed && value->typed.kind == lang::ArgumentSpec::Kind::Constant;
    tuple.items.push_back(std::move(*value));
  }
  return isConstant ? std::nullopt : std::optional<Result<HostValue>>(std::move(tuple));
}

Result<HostValue> parseEntry(KernelModule &module, const std::string &text, unsigned depth) {
  if (auto descriptor = parseDescriptor(text))
    return *descriptor;
  if (auto tuple = parseTuple(module, text, depth))
    return *tuple;
  size_t colon = text.rfind(':');
  std::string suffix = colon == std::string::npos ? "" : trimmed(std::string_view(text).substr(colon + 1));
  std::optional<lang::Type> type = lang::Type::parse(trimmed(std::string_view(text).substr(0, colon)));
  if (type && !type->isVoid()) {
    if (suffix == "1" && type->isInt())
      return HostValue{.constant = lang::Value(1)};
    if (colon != std::string::npos && suffix != "16")
      return badEntry(text, "after `:` stands 16 (it divides the value) or 1 (the value is 1)");
    return typed(
        {.kind = lang::ArgumentSpec::Kind::Scalar, .type = *type, .divisibility = colon == std::string::npos ? 1 : 16});
  }
  Result<lang::Value> value = evaluateExpression(module, "signature", text);
  if (!value)
    return Error{value.error().status,
                 value.error().message +
                     "note: an entry is a type (`*fp32:16`, `i32`), a tuple of them (`(*fp32:16, i32)`) or a constant "
                     "(`1024`, `True`, `tl.float16`)\n"};
  return typed({.kind = lang::ArgumentSpec::Kind::Constant, .constant = *value});
}

} // namespace

Result<std::vector<NamedHostValue>> parseSignature(KernelModule &module, const std::string &text) {
  std::vector<NamedHostValue> values;
  for (const std::string &entry : splitEntries(text)) {
    NamedHostValue named;
    std::string rest = entry;
    size_t equals = entry.find('=');
    if (equals != std::string::npos && isIdentifier(trimmed(entry.substr(0, equals))) &&
        !entry.substr(equals).starts_with("==")) {
      named.name = trimmed(entry.substr(0, equals));
      rest = trimmed(std::string_view(entry).substr(equals + 1));
    }
    if (rest.empty())
      return badEntry(entry, "an entry is empty");
    if (named.name.empty() && !values.empty() && !values.back().name.empty())
      return badEntry(entry, "entries by position stand before entries by name");
    Result<HostValue> value = parseEntry(module, rest);
    if (!value)
      return value.error();
    named.value = std::move(*value);
    values.push_back(std::move(named));
  }
  return values;
}

} // namespace nereid::jit
