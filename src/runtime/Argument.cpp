#include "runtime/Argument.h"

#include <algorithm>
#include <bit>

namespace nereid::runtime {

Argument Argument::f32(float value) { return bits(std::bit_cast<uint32_t>(value)); }
Argument Argument::f64(double value) { return bits(std::bit_cast<uint64_t>(value)); }

std::string describeElement(const Allocation &tensor, int64_t offset) {
  int64_t size = tensor.elementBytes, element = offset >= 0 ? offset / size : -((size - 1 - offset) / size);
  std::string shape, index = std::to_string(element);
  for (int64_t extent : tensor.shape)
    shape += (shape.empty() ? "" : ", ") + std::to_string(extent);
  if (tensor.shape.size() > 1 && element >= 0 && (tensor.strides.empty() || tensor.strides.back() == 1)) {
    // The first coordinate takes what is too much, so that it shows how far outside the element is.
    index.clear();
    int64_t rest = element;
    for (size_t d = tensor.shape.size(); d-- > 0;) {
      int64_t extent = std::max<int64_t>(tensor.shape[d], 1), at = d ? rest % extent : rest;
      rest /= extent;
      index = std::to_string(at) + (index.empty() ? "" : ", ") + index;
    }
  }
  return "element [" + index + "] of `" + tensor.name + "`, which has " +
         (tensor.shape.empty() ? std::to_string(int64_t(tensor.bytes) / size) + " elements"
                               : "the shape [" + shape + "]");
}

} // namespace nereid::runtime
