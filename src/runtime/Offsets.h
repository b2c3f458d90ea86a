// Offsets.h: the elements of a tensor of any strides, one after the other.
#pragma once

#include "nereid/tensor.hpp"

namespace nereid::runtime {

// Calls visit(offset in elements) for every element, the last axis fastest.
template <class Visit> void forEachOffset(const Tensor &tensor, Visit visit) {
  const Shape &shape = tensor.shape(), &strides = tensor.strides();
  Shape index(shape.size(), 0);
  int64_t offset = 0;
  for (int64_t i = 0, count = tensor.count(); i < count; ++i) {
    visit(offset);
    for (size_t axis = shape.size(); axis-- > 0;) {
      offset += strides[axis];
      if (++index[axis] < shape[axis])
        break;
      offset -= shape[axis] * strides[axis];
      index[axis] = 0;
    }
  }
}

} // namespace nereid::runtime
