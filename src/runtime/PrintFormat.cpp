// PrintFormat.cpp: the text of device_print.
#include "runtime/PrintFormat.h"

#include "runtime/Convert.h"

#include <cmath>
#include <cstdio>
#include <cstring>

namespace nereid::runtime {

template <typename... Values> static std::string format(const char *pattern, Values... values) {
  char buffer[400];
  std::snprintf(buffer, sizeof(buffer), pattern, values...);
  return buffer;
}

std::optional<DType> printedType(std::string_view name) {
  static constexpr std::pair<std::string_view, DType> kLong[] = {{"f8E4M3FN", DType::Fp8E4NV},
                                                                 {"f8E5M2", DType::Fp8E5},
                                                                 {"f8E4M3FNUZ", DType::Fp8E4B8},
                                                                 {"f8E5M2FNUZ", DType::Fp8E5B16},
                                                                 {"f8E4M3B11FNUZ", DType::Fp8E4B15}};
  for (const auto &[longName, type] : kLong)
    if (name == longName)
      return type;
  return parseDType(name);
}

std::string indexText(size_t i, const std::vector<int64_t> &shape) {
  std::vector<std::string> parts(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    parts[d] = format("%*d", int(std::ceil(std::log10(double(shape[d])))), int(i % size_t(shape[d])));
    i /= size_t(shape[d]);
  }
  std::string text = "(";
  for (size_t d = 0; d < parts.size(); ++d)
    text += (d ? ", " : "") + parts[d];
  return text + ")";
}

std::string printPrefix(std::string_view prefix, bool hasValues) {
  std::string text(prefix);
  if (hasValues && !text.ends_with(" "))
    text += " ";
  if (hasValues && !text.ends_with(": "))
    text = text.substr(0, text.size() - 1) + ": ";
  return text.size() > 2 && text[0] != ' ' ? " " + text : text;
}

static std::string floatText(DType type, const std::byte *element) {
  double value = readElement(type, element);
  // The sign of a NaN shows in the text; the formats whose only NaN is "minus zero" have none.
  bool hasSignedNaN = type != DType::Fp8E4B8 && type != DType::Fp8E5B16;
  bool isNegative = (std::to_integer<unsigned>(element[bytesOf(type) - 1]) & 0x80) != 0;
  if (std::isnan(value))
    value = std::copysign(value, hasSignedNaN && isNegative ? -1.0 : 1.0);
  return format("%f", value);
}

static std::string valueText(std::optional<DType> type, const std::byte *element, bool isHex) {
  size_t bytes = type ? bytesOf(*type) : sizeof(void *);
  uint64_t bits = 0;
  std::memcpy(&bits, element, bytes);
  if (!type)
    return format("%p", reinterpret_cast<void *>(bits));
  if (isHex)
    return format("0x%0*llx", int(2 * bytes), static_cast<unsigned long long>(bits));
  if (isFloat(*type))
    return floatText(*type, element);
  if (!isSigned(*type))
    return std::to_string(bits);
  return std::to_string(int64_t(bits << (64 - 8 * bytes)) >> (64 - 8 * bytes));
}

std::string formatPrint(const uint32_t *program, std::string_view prefix, bool isHex,
                        std::span<const PrintedValue> values) {
  std::string head = format("pid (%u, %u, %u)", program[0], program[1], program[2]);
  std::string label = printPrefix(prefix, !values.empty());
  if (values.empty())
    return head + label + "\n";
  std::string text;
  for (size_t n = 0; n < values.size(); ++n) {
    const PrintedValue &value = values[n];
    size_t count = 1, bytes = value.type ? bytesOf(*value.type) : sizeof(void *);
    for (int64_t extent : value.shape)
      count *= size_t(extent);
    std::string number = values.size() > 1 ? "(operand " + std::to_string(n) + ") " : "";
    for (size_t i = 0; i < count; ++i)
      text += head + " idx " + indexText(i, value.shape) + label + number +
              valueText(value.type, static_cast<const std::byte *>(value.data) + i * bytes, isHex) + "\n";
  }
  return text;
}

} // namespace nereid::runtime
