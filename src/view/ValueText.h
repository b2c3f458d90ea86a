// ValueText.h: traced values for people.
#pragma once

#include "interp/trace/Trace.h"

#include <string>

namespace nereid::view {

// A tile as rows and columns; a 1-D tile is a row.
struct Extent {
  int64_t rows = 1, columns = 1;
};
Extent extentOf(const std::vector<int64_t> &shape);

struct Statistics {
  double low = 0, high = 0, mean = 0; // of the finite elements
  int64_t nans = 0, infinities = 0, finite = 0;
};
Statistics statisticsOf(const interp::TracedValue &value);

// A few digits; a whole number as it is.
std::string numberText(double value, bool isWhole);
// One element: a number, or where a pointer points: `x_ptr[17]`, with a `!` where that is outside of the tensor.
std::string elementText(const interp::TracedValue &value, size_t index,
                        const std::vector<runtime::Allocation> &tensors);

// "f32[64, 64], from -3.1 to 2.9, mean 0.01, 2 NaN".
std::string summaryText(const interp::TracedValue &value, const std::vector<runtime::Allocation> &tensors);

} // namespace nereid::view
