// TensorMaps.h: words of a launch as the 128 bytes that TMA reads.
#pragma once

#include "nereid/result.hpp"
#include "runtime/cuda/Artifact.h"
#include "runtime/cuda/DriverFunctions.h"

#include <span>

namespace nereid::cuda {

class LoadedKernel;

// Whether TMA can read all tensors of this launch: their alignment, extents and strides. One that it cannot read
// needs code that uses no tensor maps.
bool acceptsTensorMaps(const LoadedKernel &kernel, std::span<const uint64_t> words);

// Fails where that is not so, and says why.
Result<void> encodeTensorMap(const driver::Functions &call, const TensorMap &map, std::span<const uint64_t> words,
                             driver::TensorMap &out);

// The words that a map reads are below this one.
uint32_t wordsReadBy(const TensorMap &map);
// What a sound compiler writes: a rank and boxes that there can be.
bool isSound(const TensorMap &map);

} // namespace nereid::cuda
