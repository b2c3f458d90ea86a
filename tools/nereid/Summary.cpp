#include "Summary.h"

#include "runtime/Convert.h"
#include "runtime/Memory.h"
#include "runtime/TensorSpec.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace nereid::tool {

// Calls visit(offset in bytes) for every element in row-major order, until it gives false.
template <class Visit> static void forEachElement(const Tensor &tensor, Visit visit) {
  const Shape &shape = tensor.shape(), &strides = tensor.strides();
  auto width = static_cast<int64_t>(bytesOf(tensor.dtype()));
  Shape index(shape.size(), 0);
  int64_t offset = 0;
  for (int64_t i = 0, count = tensor.count(); i < count; ++i) {
    visit(offset * width);
    for (size_t axis = shape.size(); axis-- > 0;) {
      offset += strides[axis];
      if (++index[axis] < shape[axis])
        break;
      offset -= shape[axis] * strides[axis];
      index[axis] = 0;
    }
  }
}

Summary summarize(const Tensor &tensor) {
  constexpr size_t kFirst = 6;
  Summary summary;
  double sum = 0;
  int64_t finite = 0;
  forEachElement(tensor, [&](int64_t offset) {
    double value = runtime::readElement(tensor.dtype(), tensor.data() + offset);
    if (summary.first.size() < kFirst)
      summary.first.push_back(value);
    ++summary.count;
    if (std::isnan(value)) {
      ++summary.nanCount;
    } else if (std::isinf(value)) {
      ++summary.infiniteCount;
    } else {
      summary.low = finite ? std::min(summary.low, value) : value;
      summary.high = finite ? std::max(summary.high, value) : value;
      sum += value;
      ++finite;
    }
  });
  summary.mean = finite ? sum / static_cast<double>(finite) : 0;
  return summary;
}

int64_t countUndefined(const Tensor &tensor) {
  if (tensor.dtype() == DType::Int1)
    return 0;
  int64_t count = 0;
  auto width = static_cast<int64_t>(bytesOf(tensor.dtype()));
  forEachElement(tensor, [&](int64_t offset) {
    const std::byte *element = tensor.data() + offset;
    count += std::all_of(element, element + width, [](std::byte byte) { return byte == runtime::kUndefinedByte; });
  });
  return count;
}

std::string shortNumber(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string sizeText(uint64_t bytes) {
  constexpr const char *kUnits[] = {"B", "KiB", "MiB", "GiB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits))
    value /= 1024, ++unit;
  char text[32];
  std::snprintf(text, sizeof text, "%.3g %s", value, kUnits[unit]);
  return text;
}

std::string describe(const Tensor &tensor, const Summary &summary) {
  std::string text = runtime::describe(tensor.dtype(), tensor.shape()) + " = [";
  for (size_t i = 0; i < summary.first.size(); ++i)
    text += (i ? ", " : "") + shortNumber(summary.first[i]);
  text += static_cast<int64_t>(summary.first.size()) < summary.count ? ", …]" : "]";
  if (summary.nanCount + summary.infiniteCount < summary.count)
    text += ", from " + shortNumber(summary.low) + " to " + shortNumber(summary.high) + ", mean " +
            shortNumber(summary.mean);
  if (summary.nanCount)
    text += ", " + std::to_string(summary.nanCount) + " NaN";
  if (summary.infiniteCount)
    text += ", " + std::to_string(summary.infiniteCount) + " infinite";
  return text;
}

std::string jsonText(const std::string &text) { return llvm::json::isUTF8(text) ? text : llvm::json::fixUTF8(text); }

llvm::json::Value number(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value > 0 ? "inf" : "-inf";
  return value;
}

llvm::json::Object toJson(const Tensor &tensor, const Summary &summary) {
  llvm::json::Array shape, first;
  for (int64_t extent : tensor.shape())
    shape.push_back(extent);
  for (double value : summary.first)
    first.push_back(number(value));
  return llvm::json::Object{{"dtype", std::string(nameOf(tensor.dtype()))},
                            {"shape", std::move(shape)},
                            {"first", std::move(first)},
                            {"min", number(summary.low)},
                            {"max", number(summary.high)},
                            {"mean", number(summary.mean)},
                            {"nan", summary.nanCount},
                            {"infinite", summary.infiniteCount}};
}

uint64_t fingerprint(const Tensor &tensor) {
  uint64_t hash = 0x9e3779b97f4a7c15;
  const std::byte *data = tensor.data();
  for (size_t left = tensor.spanBytes(); left > 0;) {
    size_t step = std::min<size_t>(left, 8);
    uint64_t word = 0;
    std::memcpy(&word, data, step);
    hash = (hash ^ word) * 0xff51afd7ed558ccd;
    hash ^= hash >> 32;
    data += step;
    left -= step;
  }
  return hash;
}

double defaultTolerance(DType dtype) {
  switch (dtype) {
  case DType::Fp64: return 1e-9;
  case DType::Fp32: return 1e-4;
  case DType::Fp16: return 1e-2;
  case DType::Bf16: return 2e-2;
  default: return isFloat(dtype) ? 0.13 : 0; // fp8: one unit in the last place
  }
}

// `least`: so far two are apart whose difference does not show in x and y.
static void compareElement(double x, double y, double tolerance, int64_t index, Difference &difference,
                           double least = 0) {
  if ((x == y && least == 0) || (std::isnan(x) && std::isnan(y)))
    return;
  double absolute = std::isfinite(x) && std::isfinite(y) ? std::max(std::fabs(x - y), least) : INFINITY;
  // Of the larger one: 1 where one of them is 0, and never a division by it.
  double relative = std::isfinite(absolute) ? absolute / std::max(std::fabs(x), std::fabs(y)) : INFINITY;
  difference.absolute = std::max(difference.absolute, absolute);
  difference.relative = std::max(difference.relative, relative);
  if (std::isfinite(absolute) && absolute <= tolerance * std::max(1.0, std::fabs(y))) // nothing is near infinity
    return;
  if (difference.beyond++ == 0)
    difference.first = index, difference.found = x, difference.expected = y;
}

Difference compare(const Tensor &a, const Tensor &b, double tolerance) {
  Difference difference;
  int64_t index = 0;
  constexpr size_t kWide = 8; // integers of which an fp64 does not tell two apart
  bool isWide = a.dtype() == b.dtype() && !isFloat(a.dtype()) && bytesOf(a.dtype()) == kWide;
  forEachElement(a, [&](int64_t offset) {
    double least = isWide && std::memcmp(a.data() + offset, b.data() + offset, kWide) != 0 ? 1 : 0;
    compareElement(runtime::readElement(a.dtype(), a.data() + offset),
                   runtime::readElement(b.dtype(), b.data() + offset), tolerance, index++, difference, least);
  });
  return difference;
}

Difference compare(const Tensor &a, const std::vector<double> &expected, double tolerance) {
  Difference difference;
  int64_t index = 0;
  forEachElement(a, [&](int64_t offset) {
    double value = runtime::readElement(a.dtype(), a.data() + offset);
    compareElement(value, expected[static_cast<size_t>(index)], tolerance, index, difference);
    ++index;
  });
  return difference;
}

} // namespace nereid::tool
