// Compare.h: a learner's tensor against the reference's, element by element, and the picture of it as text.
#pragma once

#include "nereid/tensor.hpp"

#include <optional>

namespace nereid::learn {

// What became of an element; the letter is that of the picture.
enum class Mark : char { Right = '.', Wrong = 'x', Unwritten = '?' };

struct Comparison {
  std::string tensor;
  Shape shape;
  std::vector<Mark> marks; // in row-major order
  int64_t wrong = 0, unwritten = 0;
  int64_t first = -1; // the first element that is not right
  double expected = 0, actual = 0;
  bool mustStay = false;        // the first one was written, though it belongs to nobody
  std::optional<double> factor; // several are wrong, and each is so many times what is expected

  bool isRight() const { return first < 0; }
};

// `tolerance` allows |a - b| <= tolerance * max(1, |b|); integers must be equal, NaN equals NaN. `isEmpty`: the tensor began
// as `empty`, so that what was never written shows.
Comparison compareOutput(std::string name, const Tensor &actual, const Tensor &expected, double tolerance,
                         bool isEmpty);

// "[3, 17]".
std::string indexText(const Shape &shape, int64_t element);
// 0.25, 1e-05, nan.
std::string numberText(double value, int digits = 7);

// The sentence about the first wrong element, and about how many there are.
std::string describe(const Comparison &comparison);
// Rows of letters, each for one element or for several, with what they stand for.
std::string picture(const std::string &name, const Shape &shape, const std::vector<char> &letters,
                    std::string_view legend, std::string_view worst);
std::string picture(const Comparison &comparison);

} // namespace nereid::learn
