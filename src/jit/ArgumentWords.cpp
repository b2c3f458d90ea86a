#include "jit/ArgumentWords.h"

#include "runtime/Memory.h"

#include <algorithm>
#include <charconv>

namespace nereid::jit {

static std::optional<Argument::Value> parseInteger(std::string text) {
  std::erase(text, '_');
  bool isNegative = text.starts_with('-');
  std::string_view digits = std::string_view(text).substr(isNegative || text.starts_with('+'));
  int base = digits.starts_with("0x") || digits.starts_with("0X") ? 16 : 10;
  if (base == 16)
    digits.remove_prefix(2);
  uint64_t value = 0;
  auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (problem != std::errc() || end != digits.data() + digits.size())
    return std::nullopt;
  constexpr uint64_t kTop = uint64_t(1) << 63;
  if (isNegative)
    return value <= kTop ? std::optional<Argument::Value>(static_cast<int64_t>(-value)) : std::nullopt;
  return value < kTop ? Argument::Value(static_cast<int64_t>(value)) : Argument::Value(value);
}

Argument::Value parseScalar(const std::string &text) {
  if (text == "true" || text == "True")
    return true;
  if (text == "false" || text == "False")
    return false;
  if (text == "None" || text == "none")
    return std::monostate{};
  if (auto integer = parseInteger(text))
    return *integer;
  // An integer too large for 64 bits is left to Python's rules: as a float it would silently lose digits.
  if (text.find_first_not_of("+-_0123456789") == std::string::npos)
    return Expression{text};
  double number = 0;
  std::string_view digits = std::string_view(text).substr(text.starts_with('+'));
  auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (problem == std::errc() && end == digits.data() + digits.size())
    return number;
  return Expression{text};
}

namespace {

Error bad(std::string message) { return {Status::BadInput, std::move(message)}; }

bool isName(std::string_view text) {
  bool startsWell = !text.empty() && !(text[0] >= '0' && text[0] <= '9');
  return startsWell && std::ranges::all_of(text, [](unsigned char c) {
           return c == '_' || c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
         });
}

// x=randn:f16[128,64]@[32,32]: the block of a descriptor, taken off the end of the text.
Result<std::optional<Shape>> takeBlock(std::string &text) {
  size_t at = text.rfind("@[");
  if (at == std::string::npos || !text.ends_with(']'))
    return std::optional<Shape>();
  Shape block;
  std::string_view rest = std::string_view(text).substr(at + 2, text.size() - at - 3);
  while (!rest.empty()) {
    size_t comma = std::min(rest.find(','), rest.size());
    int64_t extent = 0;
    auto [end, problem] = std::from_chars(rest.data(), rest.data() + comma, extent);
    if (problem != std::errc() || end != rest.data() + comma)
      return bad("`" + text.substr(0, 80) + "`: the extents of a block are numbers");
    block.push_back(extent);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  text.resize(at);
  return std::optional(block);
}

class ArgumentReader {
public:
  ArgumentReader(uint64_t seed, const runtime::ExtentLookup &extents) : seed(seed), extents(extents) {}

  Result<ArgumentWords> read(std::span<const std::string> words) {
    std::vector<std::string> texts;
    for (const std::string &word : words) {
      Result<std::pair<std::string, std::string>> parts = splitArgumentWord(word);
      if (!parts)
        return parts.error();
      result.arguments.emplace_back(parts->first, nullptr);
      texts.push_back(parts->second);
      if (!runtime::looksLikeTensor(texts.back()))
        result.arguments.back().value = parseScalar(texts.back());
    }
    // Tensors come last: their extents may be the integers among the arguments.
    for (size_t i = 0; i < texts.size(); ++i)
      if (runtime::looksLikeTensor(texts[i]))
        if (Result<void> made = readTensor(result.arguments[i], texts[i]); !made)
          return made.error();
    return std::move(result);
  }

private:
  Result<void> readTensor(Argument &argument, std::string text) {
    Result<std::optional<Shape>> block = takeBlock(text);
    if (!block)
      return block.error();
    Result<runtime::TensorSpec> spec = runtime::parseTensorSpec(text);
    if (!spec)
      return bad("argument `" + argument.name + "`: " + spec.error().message);
    auto lookup = [&](std::string_view name) { return extentOf(name); };
    Result<Tensor> tensor = runtime::makeTensor(*spec, argument.name, seed, lookup, budget);
    if (!tensor)
      return Error{tensor.error().status, "argument `" + argument.name + "`: " + tensor.error().message};
    result.tensors.push_back({argument.name, *tensor});
    if (spec->fill == runtime::TensorSpec::Fill::Undefined)
      result.empty.push_back(argument.name);
    if (*block)
      argument.value = Descriptor{*tensor, **block};
    else
      argument.value = *tensor;
    return {};
  }

  std::optional<int64_t> extentOf(std::string_view name) const {
    for (const Argument &argument : result.arguments)
      if (const int64_t *value = std::get_if<int64_t>(&argument.value); value && argument.name == name)
        return *value;
    return extents ? extents(name) : std::nullopt;
  }

  uint64_t seed;
  const runtime::ExtentLookup &extents;
  ArgumentWords result;
  uint64_t budget = runtime::memoryLimit();
};

} // namespace

Result<std::pair<std::string, std::string>> splitArgumentWord(const std::string &word) {
  size_t equals = word.find('=');
  if (equals == std::string::npos || !isName(word.substr(0, equals)))
    return bad("`" + word.substr(0, 80) + "` is not an argument; write NAME=VALUE");
  if (equals + 1 == word.size())
    return bad("`" + word.substr(0, 80) + "` has no value");
  return std::pair(word.substr(0, equals), word.substr(equals + 1));
}

Result<ArgumentWords> readArgumentWords(std::span<const std::string> words, uint64_t seed,
                                        const runtime::ExtentLookup &extents) {
  return ArgumentReader(seed, extents).read(words);
}

} // namespace nereid::jit
