#include "learn/Compare.h"

#include "runtime/Convert.h"
#include "runtime/Memory.h"
#include "runtime/Offsets.h"
#include "runtime/TensorSpec.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace nereid::learn {

namespace {

bool isUndefined(const Tensor &tensor, int64_t offset) {
  size_t width = bytesOf(tensor.dtype());
  const std::byte *element = tensor.data() + offset * static_cast<int64_t>(width);
  return tensor.dtype() != DType::Int1 &&
         std::all_of(element, element + width, [](std::byte byte) { return byte == runtime::kUndefinedByte; });
}

double valueAt(const Tensor &tensor, int64_t offset) {
  return runtime::readElement(tensor.dtype(), tensor.data() + offset * static_cast<int64_t>(bytesOf(tensor.dtype())));
}

bool isNear(const Tensor &actual, const Tensor &expected, int64_t offset, double tolerance) {
  if (!isFloat(actual.dtype()) && actual.dtype() == expected.dtype()) { // also beyond 2^53
    size_t width = bytesOf(actual.dtype());
    auto at = offset * static_cast<int64_t>(width);
    return std::memcmp(actual.data() + at, expected.data() + at, width) == 0;
  }
  double a = valueAt(actual, offset), b = valueAt(expected, offset);
  if (a == b || (std::isnan(a) && std::isnan(b)))
    return true;
  double allowed = isFloat(actual.dtype()) ? tolerance * std::max(1.0, std::fabs(b)) : 0;
  return std::isfinite(a) && std::isfinite(b) && std::fabs(a - b) <= allowed;
}

// Whether all wrong elements are the same multiple of what is expected: a scale that is missing, a sum that is halved.
class CommonFactor {
public:
  void add(double actual, double expected) {
    constexpr double kNear = 5e-3; // narrow types round
    double now = actual / expected;
    if (++count == 1)
      factor = now;
    isCommon &= std::isfinite(now) && std::fabs(now - factor) <= kNear * std::fabs(factor);
  }
  void refuse() { isCommon = false; }
  std::optional<double> found() const {
    constexpr int kFewest = 4; // fewer may be chance
    return isCommon && count >= kFewest ? std::optional(factor) : std::nullopt;
  }

private:
  int64_t count = 0;
  double factor = 0;
  bool isCommon = true;
};

} // namespace

Comparison compareOutput(std::string name, const Tensor &actual, const Tensor &expected, double tolerance,
                         bool isEmpty) {
  Comparison result{.tensor = std::move(name), .shape = actual.shape()};
  result.marks.reserve(static_cast<size_t>(actual.count()));
  CommonFactor factor;
  runtime::forEachOffset(actual, [&](int64_t offset) {
    bool isSet = !isEmpty || !isUndefined(actual, offset), mustBeSet = !isEmpty || !isUndefined(expected, offset);
    Mark mark = Mark::Right;
    if (mustBeSet && !isSet)
      mark = Mark::Unwritten;
    else if (mustBeSet != isSet || (isSet && !isNear(actual, expected, offset, tolerance)))
      mark = Mark::Wrong;
    result.unwritten += mark == Mark::Unwritten;
    result.wrong += mark == Mark::Wrong;
    if (mark == Mark::Unwritten || !mustBeSet)
      factor.refuse();
    else if (mark == Mark::Wrong)
      factor.add(valueAt(actual, offset), valueAt(expected, offset));
    if (mark != Mark::Right && result.isRight()) {
      result.first = static_cast<int64_t>(result.marks.size());
      result.expected = valueAt(expected, offset);
      result.actual = valueAt(actual, offset);
      result.mustStay = !mustBeSet;
    }
    result.marks.push_back(mark);
  });
  result.factor = factor.found();
  return result;
}

std::string indexText(const Shape &shape, int64_t element) {
  std::string text;
  for (size_t axis = shape.size(); axis-- > 0;) {
    text = std::to_string(element % shape[axis]) + (text.empty() ? "" : ", ") + text;
    element /= shape[axis];
  }
  return "[" + text + "]";
}

std::string numberText(double value, int digits) {
  if (std::isnan(value)) // it has a sign, which says nothing
    return "nan";
  char text[40];
  bool isWhole = std::fabs(value) < 1e16 && value == std::floor(value);
  std::snprintf(text, sizeof text, "%.*g", isWhole ? 17 : digits, value);
  return text;
}

// Both sides of a difference, with as many digits as it takes to see it.
static std::pair<std::string, std::string> bothTexts(double actual, double expected) {
  for (int digits : {7, 9, 17})
    if (std::string first = numberText(actual, digits), second = numberText(expected, digits); first != second)
      return {first, second};
  return {numberText(actual, 17), numberText(expected, 17)};
}

static std::string some(int64_t count, const std::string &what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string describe(const Comparison &c) {
  auto total = static_cast<int64_t>(c.marks.size());
  std::string place = "`" + c.tensor + indexText(c.shape, c.first) + "`";
  auto [actual, expected] = bothTexts(c.actual, c.expected);
  std::string text;
  if (c.marks[static_cast<size_t>(c.first)] == Mark::Unwritten)
    text = place + " was never written; " + expected + " is expected there";
  else if (c.mustStay)
    text = place + " must not be written: it lies outside of the result";
  else
    text = place + " is " + actual + ", but " + expected + " is expected";
  text += "\n  of " + some(total, "element");
  if (c.wrong)
    text += ", " + std::to_string(c.wrong) + (c.wrong == 1 ? " is wrong" : " are wrong");
  if (c.factor)
    text += *c.factor == 0 ? ", each is 0" : ", each is " + numberText(*c.factor, 4) + " times what is expected";
  if (c.unwritten)
    text += ", " + std::to_string(c.unwritten) + (c.unwritten == 1 ? " was never written" : " were never written");
  return text + "\n";
}

std::string picture(const std::string &name, const Shape &shape, const std::vector<char> &letters,
                    std::string_view legend, std::string_view worst) {
  constexpr int64_t kWide = 64, kHigh = 16;
  auto count = static_cast<int64_t>(letters.size());
  if (count == 0)
    return {};
  // A vector is folded into rows; of more than two axes the first ones are rows, too.
  int64_t columns = shape.empty() ? 1 : shape.back(), rows = columns ? count / columns : 0;
  int64_t wide = (columns + kWide - 1) / kWide, high = (rows + kHigh - 1) / kHigh;
  if (rows == 1) {
    wide = (columns + kWide * 8 - 1) / (kWide * 8);
    high = 1;
    columns = std::min(columns, kWide * wide);
    rows = (count + columns - 1) / columns;
  }
  std::string text = "  " + name + ": " + std::string(legend);
  if (wide * high > 1)
    text += "; each letter stands for " + (high > 1 ? std::to_string(high) + " x " : std::string()) +
            std::to_string(wide) + " elements";
  text += "\n";
  size_t margin = std::to_string(rows == 1 ? 0 : (rows - 1) * columns).size();
  if (shape.size() > 1)
    margin = std::to_string(rows - 1).size();
  auto lettersOf = [&](int64_t row) {
    std::string line;
    for (int64_t column = 0; column < columns; column += wide) {
      size_t best = std::string_view::npos;
      for (int64_t i = row; i < std::min(row + high, rows); ++i)
        for (int64_t j = column; j < std::min(column + wide, columns); ++j)
          if (int64_t at = i * columns + j; at < count)
            best = std::min(best, worst.find(letters[static_cast<size_t>(at)]));
      if (best != std::string_view::npos)
        line += worst[best];
    }
    return line;
  };
  auto print = [&](const std::string &label, const std::string &line) {
    text += "    " + std::string(margin - std::min(margin, label.size()), ' ') + label + "  " + line + "\n";
  };
  for (int64_t row = 0; row < rows;) {
    std::string line = lettersOf(row);
    print(std::to_string(shape.size() > 1 ? row : row * columns), line);
    int64_t alike = 0; // rows below that say nothing new
    for (row += high; row < rows && lettersOf(row) == line; row += high)
      ++alike;
    constexpr int64_t kFew = 2;
    if (alike > kFew)
      print("", "(" + std::to_string(alike) + " more rows like it)");
    else
      for (; alike > 0; --alike)
        print(std::to_string(shape.size() > 1 ? row - alike * high : (row - alike * high) * columns), line);
  }
  return text;
}

std::string picture(const Comparison &comparison) {
  std::vector<char> letters;
  for (Mark mark : comparison.marks)
    letters.push_back(static_cast<char>(mark));
  return picture(comparison.tensor, comparison.shape, letters, "`.` right, `x` wrong, `?` never written", "?x.");
}

} // namespace nereid::learn
