// ValueJson.cpp: a tile for the page: a corner of it as numbers, all of it as shades, and what stands out.
#include "view/ToJson.h"
#include "view/ValueText.h"

#include "llvm/Support/Base64.h"

#include <cmath>

namespace nereid::view {

using llvm::json::Array;
using llvm::json::Object;

namespace {

constexpr int64_t kCorner = 12; // rows and columns as numbers
constexpr int64_t kShades = 32; // rows and columns as shades

class TileText {
public:
  TileText(const interp::TracedValue &value, const std::vector<runtime::Allocation> &tensors)
      : value(value), tensors(tensors), extent(extentOf(value.shape)) {}

  Object write(size_t &budget) {
    Object object{{"type", cleanText(value.text)}, {"rows", extent.rows}, {"columns", extent.columns}};
    bool isPointer = value.element == interp::Element::Pointer;
    if (!isPointer)
      addStatistics(object);
    std::string numbers = corner();
    std::string shade = isPointer || extent.rows * extent.columns < 2 ? "" : shades();
    if (numbers.size() + shade.size() + 60 > budget) {
      object["dropped"] = true;
      return object;
    }
    budget -= numbers.size() + shade.size() + 60;
    object["numbers"] = cleanText(numbers);
    if (!shade.empty())
      object["shades"] = shade;
    return object;
  }

private:
  bool isWhole() const { return !interp::isFloat(value.element); }
  double at(int64_t row, int64_t column) const {
    return interp::numberAt(value, size_t(row * extent.columns + column));
  }

  void addStatistics(Object &object) {
    Statistics found = statisticsOf(value);
    low = found.low, high = found.high;
    if (found.finite) {
      object["low"] = numberText(low, isWhole());
      object["high"] = numberText(high, isWhole());
      object["mean"] = numberText(found.mean, false);
    }
    if (found.nans)
      object["nans"] = found.nans;
    if (found.infinities)
      object["infinities"] = found.infinities;
  }

  // Numbers of the first rows and columns: spaces between columns, semicolons between rows.
  std::string corner() const {
    std::string text;
    for (int64_t row = 0; row < std::min(extent.rows, kCorner); ++row) {
      if (row)
        text += ';';
      int64_t columns =
          extent.rows == 1 ? std::min<int64_t>(extent.columns, 4 * kCorner) : std::min(extent.columns, kCorner);
      for (int64_t column = 0; column < columns; ++column) {
        if (column)
          text += ' ';
        text += elementText(value, size_t(row * extent.columns + column), tensors);
      }
    }
    return text;
  }

  // A byte for each element, or for each of so many that are spread evenly: 0 is low, 253 high, 254 infinite and 255 NaN.
  std::string shades() const {
    int64_t rows = std::min(extent.rows, kShades);
    int64_t columns = std::min(extent.columns, extent.rows == 1 ? 8 * kShades : kShades);
    std::string bytes;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column) {
        double number = at(row * extent.rows / rows, column * extent.columns / columns);
        double share = high > low ? (number - low) / (high - low) : 0.5;
        int shade = std::isnan(number) ? 255 : std::isinf(number) ? 254 : int(std::lround(share * 253));
        bytes += char(shade);
      }
    return std::to_string(rows) + "x" + std::to_string(columns) + ":" + llvm::encodeBase64(bytes);
  }

  const interp::TracedValue &value;
  const std::vector<runtime::Allocation> &tensors;
  Extent extent;
  double low = 0, high = 0;
};

} // namespace

Object valueJson(const interp::TracedValue &value, const std::vector<runtime::Allocation> &tensors, size_t &budget) {
  if (value.isConstant)
    return Object{{"constant", cleanText(value.text)}};
  if (value.bytes.empty() || value.element == interp::Element::Descriptor)
    return Object{{"type", cleanText(value.text)}, {"dropped", true}};
  return TileText(value, tensors).write(budget);
}

} // namespace nereid::view
