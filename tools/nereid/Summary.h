// Summary.h: a tensor in one line, and two tensors compared.
#pragma once

#include "nereid/tensor.hpp"

#include "llvm/Support/JSON.h"

namespace nereid::tool {

struct Summary {
  std::vector<double> first;          // in row-major order
  double low = 0, high = 0, mean = 0; // of the finite values
  int64_t nanCount = 0, infiniteCount = 0, count = 0;
};
Summary summarize(const Tensor &tensor);
// f32[1000] = [0.25, 1.5, …], from -3.1 to 2.9, mean 0.01
std::string describe(const Tensor &tensor, const Summary &summary);
llvm::json::Object toJson(const Tensor &tensor, const Summary &summary);

// How many elements hold what `empty` tensors begin with; bools do not show it.
int64_t countUndefined(const Tensor &tensor);

// Changes when any byte does, for all practical purposes.
uint64_t fingerprint(const Tensor &tensor);

struct Difference {
  // The largest of each; a relative one is of the larger value, so that none divides by zero.
  double absolute = 0, relative = 0;
  int64_t beyond = 0;             // elements beyond the tolerance
  int64_t first = -1;             // the first of them, in row-major order
  double found = 0, expected = 0; // there
};
// `tolerance` allows |a - b| <= tolerance * max(1, |b|); integers must be equal. NaN equals NaN.
Difference compare(const Tensor &a, const Tensor &b, double tolerance);
// The same with what its elements should be, in row-major order.
Difference compare(const Tensor &a, const std::vector<double> &expected, double tolerance);
double defaultTolerance(DType dtype);

// A text for JSON, which is UTF-8: names of files may be other bytes, which become U+FFFD.
std::string jsonText(const std::string &text);
// A number for JSON: NaN and infinities become text.
llvm::json::Value number(double value);
std::string shortNumber(double value);
// 512 B, 1.5 KiB, 32 MiB
std::string sizeText(uint64_t bytes);

} // namespace nereid::tool
