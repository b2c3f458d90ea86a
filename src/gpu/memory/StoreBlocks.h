// StoreBlocks.h: the memory through which tiles leave by TMA.
#pragma once

#include "gpu/dialect/Warp.h"

namespace nereid::gpu {

// The buffer through which a tile leaves beside buffers that stay in use: a part of its columns in each slot.
warp::BufferType storeBuffer(mlir::RankedTensorType tile);
constexpr unsigned kStoreSlots = 2;

} // namespace nereid::gpu
