// TensorSpan.h: where the memory of a tensor argument begins and ends, and whether two of them overlap.
#pragma once

#include "nereid/dtype.hpp"
#include "nereid/nereid.h"

#include <optional>

namespace nereid::jit {

struct ByteRange {
  uintptr_t begin, end; // not cleared: a launch has an array of them
  bool overlaps(const ByteRange &other) const { return begin < other.end && other.begin < end; }
};

// The bytes from the first element to the last that the strides reach. Nothing when the tensor is not valid: the long
// way says what is wrong with it.
inline std::optional<ByteRange> byteRange(const nereid_tensor &tensor) {
  constexpr int64_t kLargest = int64_t(1) << 56;
  if (tensor.dtype < 0 || tensor.dtype >= kDTypeCount || tensor.rank < 0 || tensor.rank > 32 ||
      (tensor.rank && !tensor.shape))
    return std::nullopt;
  int64_t last = 0, contiguous = 1;
  bool isEmpty = false;
  for (int32_t axis = tensor.rank; axis-- > 0;) {
    int64_t extent = tensor.shape[axis], stride = tensor.strides ? tensor.strides[axis] : contiguous, step = 0;
    if (extent < 0 || stride < 0)
      return std::nullopt;
    isEmpty |= extent == 0;
    if (__builtin_mul_overflow(extent - (extent > 0), stride, &step) ||
        __builtin_mul_overflow(contiguous, extent ? extent : 1, &contiguous) || step > kLargest ||
        (last += step) > kLargest || contiguous > kLargest)
      return std::nullopt;
  }
  if (!isEmpty && !tensor.data)
    return std::nullopt;
  auto begin = reinterpret_cast<uintptr_t>(tensor.data);
  uint64_t elements = isEmpty ? 0 : static_cast<uint64_t>(last) + 1;
  return ByteRange{begin, begin + elements * bytesOf(static_cast<DType>(tensor.dtype))};
}

// Whether any two of the tensor arguments share memory. Quadratic in their number, which is small.
template <class Ranges> bool anyOverlap(const Ranges &ranges, size_t count) {
  for (size_t i = 1; i < count; ++i)
    for (size_t j = 0; j < i; ++j)
      if (ranges[i].overlaps(ranges[j]))
        return true;
  return false;
}

} // namespace nereid::jit
