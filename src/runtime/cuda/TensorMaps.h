// TensorMaps.h: a descriptor argument as the 128 bytes that the copy engine (TMA) reads.
#pragma once

#include "nereid/result.hpp"
#include "runtime/cuda/Artifact.h"
#include "runtime/cuda/DriverFunctions.h"

#include <span>

namespace nereid::cuda {

// Fails where the tensor is none that the engine can read: alignment, strides, extents.
Result<void> encodeTensorMap(const driver::Functions &call, const TensorMap &map, std::span<const uint64_t> words,
                             driver::TensorMap &out);

} // namespace nereid::cuda
