// GuardedMemory.h: memory between two pages that nobody may touch, so that the first access past either end of a tensor is
// noticed.
#pragma once

#include "nereid/tensor.hpp"

namespace nereid::runtime {

// Zeros that end at a page boundary, as far as a start at a multiple of 16 allows: up to 15 bytes behind the end are not
// guarded. Null where the system has no memory.
std::byte *allocateGuarded(size_t bytes);
void freeGuarded(std::byte *memory, size_t bytes);
// The pages that hold it, between the guards.
struct GuardedPages {
  std::byte *begin, *end;
};
GuardedPages pagesOf(std::byte *memory, size_t bytes);

// The same as a tensor of zeros.
Result<Tensor> guardedTensor(DType dtype, const Shape &shape);
// A copy with the same strides, in guarded memory.
Result<Tensor> guardedCopy(const Tensor &tensor);

} // namespace nereid::runtime
