#include "Sizes.h"

#include "jit/Evaluate.h"

#include <algorithm>
#include <charconv>

namespace nereid::tool {

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ')
    text.remove_suffix(1);
  return text;
}

bool isNumber(std::string_view text) {
  double value = 0;
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem != std::errc::invalid_argument && end == text.data() + text.size();
}

// The bracket that closes the one at `open`, or the end of the text.
size_t closeOf(std::string_view text, size_t open) {
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    depth += text[i] == '(' || text[i] == '[';
    depth -= text[i] == ')' || text[i] == ']';
    if (depth == 0)
      return i;
  }
  return text.size();
}

// What is before the next comma outside of brackets; taken off the text.
std::string_view takeItem(std::string_view &text) {
  size_t end = 0;
  while (end < text.size() && text[end] != ',')
    end = text[end] == '(' || text[end] == '[' ? std::min(closeOf(text, end) + 1, text.size()) : end + 1;
  std::string_view item = trimmed(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return item;
}

// A plain number; nothing for any other value.
std::optional<Argument::Value> numberOf(const lang::Value &value) {
  if (value.isConstexpr)
    return std::nullopt;
  if (const bool *flag = value.get<bool>())
    return *flag;
  if (std::optional<lang::Integer> integer = value.integer()) {
    constexpr lang::Integer kTop = INT64_MAX;
    return *integer <= kTop && *integer >= -kTop ? std::optional<Argument::Value>(static_cast<int64_t>(*integer))
                                                 : std::nullopt;
  }
  if (const double *number = value.get<double>())
    return *number;
  return std::nullopt;
}

// As the words of an argument have it; a float keeps its point.
std::string textOf(const Argument::Value &value) {
  if (const int64_t *integer = std::get_if<int64_t>(&value))
    return std::to_string(*integer);
  if (const bool *flag = std::get_if<bool>(&value))
    return *flag ? "true" : "false";
  char text[64];
  std::string digits(text, std::to_chars(text, text + sizeof text, std::get<double>(value)).ptr);
  return digits.find_first_not_of("-0123456789") == std::string::npos ? digits + ".0" : digits;
}

bool isIdentifier(std::string_view text) {
  bool startsWell = !text.empty() && !(text[0] >= '0' && text[0] <= '9');
  return startsWell && std::ranges::all_of(text, [](unsigned char c) {
           return c == '_' || c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
         });
}

} // namespace

int Sizes::define(const std::vector<std::string> &lets) {
  for (const std::string &word : lets) {
    size_t equals = word.find('=');
    std::string name(trimmed(word.substr(0, equals)));
    if (equals == std::string::npos || !isIdentifier(name) || equals + 1 == word.size())
      return fail(console, "`--let` takes NAME=EXPR, not `" + word.substr(0, 80) + "`");
    auto isTaken = [&](const Argument &argument) { return argument.name == name; };
    if (std::ranges::find(names, name) != names.end() || std::ranges::any_of(launch.settings.names, isTaken))
      return fail(console, "`--let`: `" + name.substr(0, 80) + "` has a value already");
    Result<lang::Value> value =
        jit::evaluateExpression(*launch.module, "--let " + name, word.substr(equals + 1), known);
    if (!value)
      return report(console, value.error());
    std::optional<Argument::Value> number = numberOf(*value);
    if (!number)
      return fail(console, "`--let " + name + "` gives " + lang::repr(*value).substr(0, 80) + ", not a number");
    Argument &added = launch.settings.names.emplace_back(name, nullptr);
    added.value = *number;
    known.push_back(added);
  }
  return kFine;
}

// A value that is an expression becomes its number, where it gives one; else it stays what it is.
int Sizes::resolve(const std::string &name, std::string &text) {
  if (!std::holds_alternative<Expression>(jit::parseScalar(text)))
    return kFine;
  Result<lang::Value> value = jit::evaluateExpression(*launch.module, "argument `" + name + "`", text, known);
  if (!value)
    return report(console, value.error());
  if (std::optional<Argument::Value> number = numberOf(*value)) {
    text = textOf(*number);
    Argument &added = known.emplace_back(name, nullptr);
    added.value = *number;
  }
  return kFine;
}

std::optional<std::vector<std::string>> Sizes::plainWords(std::span<const std::string> operands,
                                                          const std::vector<std::string> &lets, int &status) {
  std::vector<std::string> texts;
  for (const std::string &operand : operands) {
    Result<std::pair<std::string, std::string>> parts = jit::splitArgumentWord(operand);
    if (!parts) {
      status = report(console, parts.error());
      return std::nullopt;
    }
    names.push_back(parts->first);
    texts.push_back(parts->second);
    Argument::Value scalar = jit::parseScalar(parts->second);
    if (std::holds_alternative<int64_t>(scalar) || std::holds_alternative<double>(scalar)) {
      Argument &added = known.emplace_back(parts->first, nullptr);
      added.value = scalar;
    }
  }
  // Names of `--let` may use the numbers among the arguments, other arguments may use those names, and tensors, whose extents
  // may be made of all of them, come last.
  status = define(lets);
  for (size_t i = 0; i < texts.size() && status == kFine; ++i)
    if (!runtime::looksLikeTensor(texts[i]))
      status = resolve(names[i], texts[i]);
  for (size_t i = 0; i < texts.size() && status == kFine; ++i) {
    if (runtime::looksLikeTensor(texts[i])) {
      std::optional<std::string> plain = plainTensor(names[i], texts[i]);
      status = plain ? kFine : kBadInput;
      texts[i] = plain.value_or("");
    }
    texts[i] = names[i] + "=" + texts[i];
  }
  return status == kFine ? std::optional(std::move(texts)) : std::nullopt;
}

std::optional<std::string> Sizes::plainList(const std::string &argument, std::string_view list, bool isShape) {
  std::string result;
  for (bool isFirst = true; !list.empty(); isFirst = false) {
    std::string item(takeItem(list));
    result += isFirst ? "" : ",";
    bool isKnown = std::ranges::any_of(known, [&](const Argument &number) { return number.name == item; });
    if (item.empty() || isNumber(item)) {
      result += item;
    } else if (isShape && isIdentifier(item) && !isKnown) {
      fail(console,
           "argument `" + argument + "`: the extent `" + item.substr(0, 80) +
               "` is neither a number nor the name of an integer argument",
           {"`--let " + item.substr(0, 80) + "=64` gives it a value"});
      return std::nullopt;
    } else {
      Result<lang::Value> value = jit::evaluateExpression(*launch.module, "argument `" + argument + "`", item, known);
      if (!value) {
        report(console, value.error());
        return std::nullopt;
      }
      std::optional<Argument::Value> number = numberOf(*value);
      if (!number) {
        fail(console, "argument `" + argument + "`: `" + item.substr(0, 80) + "` gives " +
                          lang::repr(*value).substr(0, 80) + ", not a number");
        return std::nullopt;
      }
      result += textOf(*number);
    }
  }
  return result;
}

std::optional<std::string> Sizes::plainTensor(const std::string &argument, const std::string &text) {
  // Names of files may have any brackets.
  size_t file = text.find(".npy"), at = file == std::string::npos ? 0 : file;
  std::string result = text.substr(0, at);
  for (; at < text.size(); ++at) {
    result += text[at];
    size_t close = text[at] == '(' || text[at] == '[' ? closeOf(text, at) : text.size();
    if (close == text.size())
      continue; // a bracket that is not closed is said by who reads the tensor
    std::optional<std::string> list =
        plainList(argument, std::string_view(text).substr(at + 1, close - at - 1), text[at] == '[');
    if (!list)
      return std::nullopt;
    result += *list + text[close];
    at = close;
  }
  return result;
}

} // namespace nereid::tool
