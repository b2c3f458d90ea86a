// PlanConversion.h: the plan of a change of layout on the GPU that a kernel is compiled for.
#pragma once

#include "gpu/Options.h"

#include "gpu/dialect/Warp.h"
#include "layout/Conversion.h"

namespace nereid::gpu {

layout::ConversionPlan planConversion(warp::ConvertLayoutOp op, const Options &options);

// What an element takes in shared memory: truth values and smaller types a byte, pointers 8.
unsigned bytesInMemory(mlir::Type element);

} // namespace nereid::gpu
