// TensorSpec.cpp: reading a spec; MakeTensor.cpp fills the tensor.
#include "runtime/TensorSpec.h"

#include "runtime/Convert.h"

#include <charconv>
#include <cmath>

namespace nereid::runtime {

namespace {

struct Kind {
  std::string_view name;
  TensorSpec::Fill fill;
  double value;
  int argumentCount;
};
constexpr Kind kKinds[] = {
    {"randn", TensorSpec::Fill::RandomNormal, 0, 0}, {"rand", TensorSpec::Fill::RandomUniform, 0, 0},
    {"zeros", TensorSpec::Fill::Constant, 0, 0},     {"ones", TensorSpec::Fill::Constant, 1, 0},
    {"empty", TensorSpec::Fill::Undefined, 0, 0},    {"arange", TensorSpec::Fill::Count, 0, 0},
    {"full", TensorSpec::Fill::Constant, 0, 1},      {"randint", TensorSpec::Fill::RandomInteger, 0, 2},
};

Error bad(std::string_view text, std::string message) {
  return {Status::BadInput, "`" + std::string(text.substr(0, 80)) + "`: " + std::move(message)};
}

const Kind *kindOf(std::string_view text) {
  std::string_view word = text.substr(0, text.find_first_of("(:[."));
  for (const Kind &kind : kKinds)
    if (kind.name == word)
      return &kind;
  return nullptr;
}

bool namesFile(std::string_view text) {
  if (text.ends_with(".T"))
    text.remove_suffix(2);
  size_t colon = text.rfind(':');
  return text.ends_with(".npy") || (colon != std::string_view::npos && text.substr(0, colon).ends_with(".npy"));
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ')
    text.remove_suffix(1);
  return text;
}

// Parts between commas; those inside of parentheses divide nothing: an extent may be `cdiv(n, BLOCK)`.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  if (trimmed(text).empty())
    return parts;
  int depth = 0;
  for (size_t i = 0; i < text.size();) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (text[i] != ',' || depth > 0) {
      ++i;
      continue;
    }
    parts.push_back(trimmed(text.substr(0, i)));
    text.remove_prefix(i + 1);
    i = 0;
  }
  if (!trimmed(text).empty() || parts.empty()) // a trailing comma is fine
    parts.push_back(trimmed(text));
  return parts;
}

// All of the text as one number.
template <class T> std::optional<T> number(std::string_view text) {
  T value = 0;
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

Result<void> parseDTypeOf(std::string_view whole, std::string_view name, TensorSpec &spec) {
  spec.dtype = parseDType(name);
  if (!spec.dtype)
    return bad(whole, "there is no element type `" + std::string(name.substr(0, 40)) +
                          "`; f32, f16, bf16, i32, u8, fp8e4nv … are");
  return {};
}

Result<TensorSpec> parseFile(std::string_view whole, std::string_view text, TensorSpec spec) {
  spec.fill = TensorSpec::Fill::File;
  if (!text.ends_with(".npy")) {
    size_t colon = text.rfind(':');
    if (auto parsed = parseDTypeOf(whole, text.substr(colon + 1), spec); !parsed)
      return parsed.error();
    text = text.substr(0, colon);
  }
  spec.path = text;
  return spec;
}

// `first` becomes the text of the first argument.
Result<void> parseArguments(std::string_view whole, std::string_view &text, const Kind &kind, TensorSpec &spec,
                            std::string_view &first) {
  size_t close = text.find(')');
  if (close == std::string_view::npos)
    return bad(whole, "a `)` is missing");
  std::vector<std::string_view> arguments = split(text.substr(1, close - 1));
  text.remove_prefix(close + 1);
  if (static_cast<int>(arguments.size()) != kind.argumentCount)
    return bad(whole, "`" + std::string(kind.name) + "` takes " + std::to_string(kind.argumentCount) +
                          " arguments, not " + std::to_string(arguments.size()) +
                          (kind.argumentCount
                               ? ""
                               : "; type and extents come behind it: `" + std::string(kind.name) + ":f32[1024]`"));
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::optional<double> value = number<double>(arguments[i]);
    if (!value)
      return bad(whole, "`" + std::string(arguments[i].substr(0, 40)) + "` is not a number, or too large for one");
    (i ? spec.high : spec.low) = *value;
    first = arguments[0];
  }
  return {};
}

Result<void> checkBounds(std::string_view whole, const TensorSpec &spec) {
  constexpr double kLimit = 0x1p53; // beyond it not every integer is a double
  bool isWhole = spec.low == std::floor(spec.low) && spec.high == std::floor(spec.high);
  if (!isWhole || std::fabs(spec.low) > kLimit || std::fabs(spec.high) > kLimit)
    return bad(whole, "the bounds of `randint` are integers from -2**53 to 2**53");
  if (spec.low >= spec.high)
    return bad(whole, "`randint` has no integer from its first bound up to, not including, its second");
  for (double value : {spec.low, spec.high - 1})
    if (std::string why = whyNotHeld(dtypeOf(spec), value); !why.empty())
      return bad(whole, why);
  return {};
}

Result<void> checkConstant(std::string_view whole, TensorSpec &spec, std::string_view text) {
  DType dtype = dtypeOf(spec);
  if (dtype == DType::Int64)
    spec.constant = number<int64_t>(text);
  else if (dtype == DType::UInt64)
    spec.constant = number<uint64_t>(text);
  std::string why = spec.constant ? "" : whyNotHeld(dtype, spec.low);
  return why.empty() ? Result<void>() : bad(whole, why);
}

// A value that the element type does not hold would become another one in silence.
Result<void> checkValues(std::string_view whole, TensorSpec &spec, std::string_view first) {
  std::string type(nameOf(dtypeOf(spec)));
  switch (spec.fill) {
  case TensorSpec::Fill::RandomNormal:
  case TensorSpec::Fill::RandomUniform:
    if (isFloat(dtypeOf(spec)))
      return {};
    return bad(whole, "random fractions are no values of `" + type + "`; write `randint(0,10):" + type + "[…]`");
  case TensorSpec::Fill::RandomInteger: return checkBounds(whole, spec);
  case TensorSpec::Fill::Constant: return checkConstant(whole, spec, first);
  default: return {};
  }
}

} // namespace

DType dtypeOf(const TensorSpec &spec) {
  if (spec.dtype)
    return *spec.dtype;
  bool isInteger = spec.fill == TensorSpec::Fill::Count || spec.fill == TensorSpec::Fill::RandomInteger;
  return isInteger ? DType::Int32 : DType::Fp32;
}

bool looksLikeTensor(std::string_view text) {
  if (namesFile(text))
    return true;
  const Kind *kind = kindOf(text);
  return kind && text.size() > kind->name.size();
}

Result<TensorSpec> parseTensorSpec(std::string_view whole) {
  TensorSpec spec;
  std::string_view text = whole;
  if (text.ends_with(".T")) {
    spec.isTransposed = true;
    text.remove_suffix(2);
  }
  if (namesFile(text))
    return parseFile(whole, text, spec);
  const Kind *kind = kindOf(text);
  if (!kind)
    return bad(whole, "not a tensor; write one as `randn:f32[128,64]` or `file.npy`");
  spec.fill = kind->fill;
  spec.low = kind->value;
  text.remove_prefix(kind->name.size());
  std::string_view first; // argument of the word
  if (text.starts_with('(')) {
    if (auto parsed = parseArguments(whole, text, *kind, spec, first); !parsed)
      return parsed.error();
  } else if (kind->argumentCount) {
    return bad(whole, kind->argumentCount == 2 ? "`randint` needs its bounds, as in `randint(0,10):i32[64]`"
                                               : "`full` needs its value, as in `full(2.5):f32[8]`");
  }
  size_t open = text.find('[');
  if (open == std::string_view::npos || !text.ends_with(']'))
    return bad(whole, "a shape is missing, as in `" + std::string(kind->name) + ":f32[128,64]`");
  if (open > 0) {
    if (text.front() != ':')
      return bad(whole, "expected `:` and an element type, found `" + std::string(text.substr(0, open)) + "`");
    if (auto parsed = parseDTypeOf(whole, text.substr(1, open - 1), spec); !parsed)
      return parsed.error();
  }
  if (auto checked = checkValues(whole, spec, first); !checked)
    return checked.error();
  for (std::string_view extent : split(text.substr(open + 1, text.size() - open - 2)))
    spec.shape.emplace_back(extent);
  return spec;
}

} // namespace nereid::runtime
