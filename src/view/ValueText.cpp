#include "view/ValueText.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

namespace nereid::view {

Extent extentOf(const std::vector<int64_t> &shape) {
  Extent extent;
  for (size_t i = 0; i < shape.size(); ++i)
    (i + 1 == shape.size() ? extent.columns : extent.rows) *= shape[i];
  return extent;
}

Statistics statisticsOf(const interp::TracedValue &value) {
  Statistics found;
  double sum = 0;
  size_t count = value.bytes.size() / interp::byteSize(value.element);
  for (size_t i = 0; i < count; ++i) {
    double number = interp::numberAt(value, i);
    if (std::isnan(number)) {
      ++found.nans;
    } else if (std::isinf(number)) {
      ++found.infinities;
    } else {
      found.low = found.finite ? std::min(found.low, number) : number;
      found.high = found.finite ? std::max(found.high, number) : number;
      sum += number;
      ++found.finite;
    }
  }
  if (found.finite)
    found.mean = sum / double(found.finite);
  return found;
}

std::string numberText(double value, bool isWhole) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char text[400]; // 64-bit integers and no more are written out
  auto end = isWhole ? std::to_chars(text, text + sizeof(text), value, std::chars_format::fixed, 0).ptr
                     : std::to_chars(text, text + sizeof(text), value, std::chars_format::general, 5).ptr;
  return std::string(text, end);
}

static std::string pointerText(uint64_t address, const std::vector<runtime::Allocation> &tensors) {
  const runtime::Allocation *before = nullptr;
  for (const runtime::Allocation &tensor : tensors) {
    auto begin = reinterpret_cast<uint64_t>(tensor.data);
    if (address - begin < tensor.bytes)
      return tensor.name + "[" + std::to_string((address - begin) / std::max(1u, tensor.elementBytes)) + "]";
    // Lanes behind a mask point past the end of a tensor, seldom before it.
    if (begin <= address && (!before || tensor.data > before->data))
      before = &tensor;
  }
  uint64_t element =
      before ? (address - reinterpret_cast<uint64_t>(before->data)) / std::max(1u, before->elementBytes) : ~uint64_t(0);
  return element < (uint64_t(1) << 31) ? before->name + "[" + std::to_string(element) + "]!" : "outside";
}

std::string elementText(const interp::TracedValue &value, size_t index,
                        const std::vector<runtime::Allocation> &tensors) {
  if (value.element != interp::Element::Pointer)
    return numberText(interp::numberAt(value, index), !interp::isFloat(value.element));
  uint64_t address = 0;
  std::memcpy(&address, value.bytes.data() + index * sizeof(address), sizeof(address));
  return pointerText(address, tensors);
}

std::string summaryText(const interp::TracedValue &value, const std::vector<runtime::Allocation> &tensors) {
  if (value.isConstant)
    return value.text;
  if (value.bytes.empty() || value.element == interp::Element::Descriptor)
    return value.text + ", not kept";
  size_t count = value.bytes.size() / interp::byteSize(value.element);
  if (count == 1)
    return value.text + " " + elementText(value, 0, tensors);
  if (value.element == interp::Element::Pointer)
    return value.text + ", from " + elementText(value, 0, tensors) + " to " + elementText(value, count - 1, tensors);
  Statistics found = statisticsOf(value);
  bool isWhole = !interp::isFloat(value.element);
  std::string text = value.text;
  if (found.nans)
    text += ", " + std::to_string(found.nans) + " NaN";
  if (found.infinities)
    text += ", " + std::to_string(found.infinities) + " infinite";
  bool isAll = !found.nans && !found.infinities;
  if (found.finite && found.low == found.high)
    text += (isAll ? ", all " : ", the others ") + numberText(found.low, isWhole);
  else if (found.finite)
    text += (isAll ? ", from " : ", the others from ") + numberText(found.low, isWhole) + " to " +
            numberText(found.high, isWhole) + ", mean " + numberText(found.mean, false);
  return text;
}

} // namespace nereid::view
