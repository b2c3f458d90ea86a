// KernelSignature.cpp: `i32`, `*fp32:16` and `tensordesc<fp16[16, 32]>` are run-time arguments;
// 64, 2.5, True, None, "text" and `tl.float16` are constants; (…) is a tuple of them.
#include "KernelSignature.h"

#include <charconv>
#include <map>
#include <optional>

namespace nereid::test {

static std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ')
    text.remove_suffix(1);
  return text;
}

// Splits at commas outside brackets and quotes.
static std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  bool isQuoted = false;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    char c = i < text.size() ? text[i] : ',';
    isQuoted ^= c == '"';
    depth += (c == '(' || c == '[') - (c == ')' || c == ']');
    if (c == ',' && ((depth == 0 && !isQuoted) || i == text.size())) {
      if (std::string_view part = trim(text.substr(begin, i - begin)); !part.empty())
        parts.push_back(part);
      begin = i + 1;
    }
  }
  return parts;
}

static lang::ArgumentSpec constantSpec(lang::Value value) {
  lang::ArgumentSpec spec;
  spec.constant = std::move(value);
  return spec;
}

static std::optional<lang::Value> parseConstant(std::string_view text) {
  if (text == "None")
    return lang::Value(lang::None{});
  if (text == "True" || text == "False")
    return lang::Value(text == "True");
  if (text.size() >= 2 && text.front() == '"')
    return lang::Value(std::string(text.substr(1, text.size() - 2)));
  if (text.starts_with("tl."))
    if (auto type = lang::Type::parse(text.substr(3)))
      return lang::Value(*type);
  int64_t integer = 0;
  if (auto [end, error] = std::from_chars(text.begin(), text.end(), integer); error == std::errc() && end == text.end())
    return lang::Value(integer);
  double number = 0;
  if (auto [end, error] = std::from_chars(text.begin(), text.end(), number); error == std::errc() && end == text.end())
    return lang::Value(number);
  return std::nullopt;
}

static std::optional<lang::ArgumentSpec> parseArgument(std::string_view text) {
  lang::ArgumentSpec spec;
  if (text.starts_with("(")) {
    spec.kind = lang::ArgumentSpec::Kind::Tuple;
    for (std::string_view item : split(text.substr(1, text.size() - 2))) {
      auto parsed = parseArgument(item);
      if (!parsed)
        return std::nullopt;
      spec.items.push_back(*parsed);
    }
    return spec;
  }
  if (text.starts_with("tensordesc<")) {
    size_t bracket = text.find('[');
    auto type = lang::Type::parse(text.substr(11, bracket - 11));
    if (!type)
      return std::nullopt;
    lang::Shape shape;
    for (std::string_view extent : split(text.substr(bracket + 1, text.find(']') - bracket - 1)))
      shape.push_back(int64_t(*parseConstant(extent)->integer()));
    spec.kind = lang::ArgumentSpec::Kind::Descriptor;
    spec.type = type->withShape(shape);
    return spec;
  }
  if (auto constant = parseConstant(text))
    return constantSpec(*constant);
  if (text.ends_with(":16")) {
    spec.divisibility = 16;
    text.remove_suffix(3);
  }
  auto type = lang::Type::parse(text);
  if (!type)
    return std::nullopt;
  spec.kind = lang::ArgumentSpec::Kind::Scalar;
  spec.type = *type;
  return spec;
}

std::vector<lang::ArgumentSpec> parseSignature(const lang::Function &kernel, const std::string &text,
                                               std::string &problem) {
  std::map<std::string, lang::ArgumentSpec, std::less<>> given;
  for (std::string_view pair : split(text)) {
    size_t equals = pair.find('=');
    auto spec = equals == std::string_view::npos ? std::nullopt : parseArgument(trim(pair.substr(equals + 1)));
    if (!spec) {
      problem = "bad signature: " + std::string(pair);
      return {};
    }
    given[std::string(trim(pair.substr(0, equals)))] = *spec;
  }
  std::vector<lang::ArgumentSpec> arguments;
  for (const lang::Parameter &parameter : kernel.parameters) {
    if (auto found = given.find(parameter.name); found != given.end())
      arguments.push_back(found->second);
    else if (parameter.defaultValue)
      arguments.push_back(constantSpec(parameter.defaultValue));
    else if (parameter.kind == lang::Parameter::Kind::VarArgs)
      arguments.emplace_back().kind = lang::ArgumentSpec::Kind::Tuple;
    else
      problem = "no argument for `" + parameter.name + "`";
  }
  return arguments;
}

} // namespace nereid::test
