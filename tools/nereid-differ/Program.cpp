#include "Program.h"

#include <algorithm>
#include <cctype>

namespace nereid::differ {

std::string Extent::text() const {
  std::string result = factor == 1 && !symbols.empty() ? "" : std::to_string(factor);
  for (unsigned symbol : symbols)
    result += (result.empty() ? "B" : " * B") + std::to_string(symbol);
  return result;
}

Extent operator*(const Extent &a, const Extent &b) {
  Extent result{a.factor * b.factor, a.symbols};
  result.symbols.insert(result.symbols.end(), b.symbols.begin(), b.symbols.end());
  std::ranges::sort(result.symbols);
  return result;
}

std::string text(const TileShape &shape) {
  std::string result;
  for (const Extent &extent : shape)
    result += (result.empty() ? "[" : ", ") + extent.text();
  return result.empty() ? "[]" : result + "]";
}

Extent product(const TileShape &shape) {
  Extent result;
  for (const Extent &extent : shape)
    result = result * extent;
  return result;
}

std::string languageName(DType dtype) {
  static constexpr const char *kNames[kDTypeCount] = {
      "int1",        "int8",        "int16",   "int32",      "int64",    "uint8",
      "uint16",      "uint32",      "uint64",  "float8e4nv", "float8e5", "float8e4b8",
      "float8e5b16", "float8e4b15", "float16", "bfloat16",   "float32",  "float64"};
  return std::string("tl.") + kNames[static_cast<size_t>(dtype)];
}

bool Facts::covers(const Facts &other) const {
  return low <= other.low && other.high <= high && other.error <= error && (other.isIntegral || !isIntegral) &&
         (isSpecial || !other.isSpecial) && (isZeroUnsigned || !other.isZeroUnsigned) && other.fusedUnits <= fusedUnits;
}

const Parameter *Program::find(const std::string &name) const {
  auto found = std::ranges::find(parameters, name, &Parameter::name);
  return found == parameters.end() ? nullptr : &*found;
}

// The first place from `at` on where the name stands as a word.
static size_t findName(const std::string &text, const std::string &name, size_t at) {
  auto isPart = [&](size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_');
  };
  for (at = text.find(name, at); at != std::string::npos; at = text.find(name, at + 1))
    if (!(at && isPart(at - 1)) && !isPart(at + name.size()))
      return at;
  return std::string::npos;
}

bool usesName(const std::string &text, const std::string &name) { return findName(text, name, 0) != std::string::npos; }

void replaceName(std::string &text, const std::string &from, const std::string &to) {
  for (size_t at = findName(text, from, 0); at != std::string::npos; at = findName(text, from, at + to.size()))
    text.replace(at, from.size(), to);
}

bool usesName(const Statement &statement, const std::string &name) {
  return usesName(statement.text, name) || usesName(statement.body, name) || usesName(statement.otherwise, name);
}

bool usesName(const Block &block, const std::string &name) {
  return std::ranges::any_of(block, [&](const Statement &statement) { return usesName(statement, name); });
}

bool definesName(const Block &block, const std::string &name) {
  return std::ranges::any_of(block, [&](const Statement &statement) {
    return std::ranges::any_of(statement.defines, [&](const Variable &v) { return v.name == name; }) ||
           definesName(statement.body, name) || definesName(statement.otherwise, name);
  });
}

} // namespace nereid::differ
