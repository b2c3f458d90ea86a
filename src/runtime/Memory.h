// Memory.h: how much memory one run may ask for, so that a mistyped shape is a message and not a dead machine.
#pragma once

#include "nereid/tensor.hpp"

namespace nereid::runtime {

// Three quarters of the machine's memory.
uint64_t memoryLimit();

// A tensor of zeros in guarded memory; fails when it is over the limit.
Result<Tensor> allocate(DType dtype, const Shape &shape);

// "f32[128,64]": how messages name a tensor's type and shape.
std::string describe(DType dtype, const Shape &shape);

} // namespace nereid::runtime
