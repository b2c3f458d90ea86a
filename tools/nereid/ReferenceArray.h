// ReferenceArray.h: arrays of doubles with NumPy's rules of shapes: what the expressions of `--expect` compute with. Plain, since
// it is what results are compared with.
#pragma once

#include "nereid/tensor.hpp"

#include <functional>
#include <vector>

namespace nereid::tool {

struct ReferenceArray {
  Shape shape;
  std::vector<double> values; // row-major

  static ReferenceArray scalar(double value) { return {{}, {value}}; }
  // The values of a tensor, whatever its strides are.
  static Result<ReferenceArray> of(const Tensor &tensor);
  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
};

std::string shapeText(const Shape &shape);

// The array repeated to a shape, by the rules of broadcasting.
Result<ReferenceArray> broadcast(const ReferenceArray &array, const Shape &shape);
// Operands in their common shape, element by element.
Result<ReferenceArray> combine(const ReferenceArray &a, const ReferenceArray &b,
                               const std::function<double(double, double)> &op);
ReferenceArray apply(ReferenceArray array, double (*op)(double));
// `axis`: nothing for all of them.
Result<ReferenceArray> reduce(const ReferenceArray &array, std::optional<int64_t> axis, bool keepsAxis, double start,
                              double (*op)(double, double));
// How many elements one result of such a reduction is made of.
double reducedCount(const ReferenceArray &array, std::optional<int64_t> axis);
Result<ReferenceArray> multiplyMatrices(const ReferenceArray &a, const ReferenceArray &b);
// All axes in the other order.
ReferenceArray transposed(const ReferenceArray &array);

// One item of a subscript: a new axis, one index, or a part of an axis.
struct ReferenceIndex {
  enum class Kind { NewAxis, Index, Part } kind = Kind::Part;
  std::optional<int64_t> begin, end; // Index: `begin`
};
Result<ReferenceArray> subscript(const ReferenceArray &array, const std::vector<ReferenceIndex> &items);

} // namespace nereid::tool
