#include "gpu/layouts/PlanConversion.h"

#include "dialect/Tile.h"

#include <algorithm>

namespace nereid::gpu {

unsigned bytesInMemory(mlir::Type element) {
  element = mlir::getElementTypeOrSelf(element);
  if (!element.isIntOrFloat())
    return 8;
  return std::max(1u, element.getIntOrFloatBitWidth() / 8);
}

layout::ConversionPlan planConversion(warp::ConvertLayoutOp op, const Options &options) {
  // A larger tile goes in rounds: the rest of the memory is for the buffers of pipelines.
  constexpr unsigned kMaxScratch = 64 * 1024;
  layout::ConversionOptions choices;
  choices.elementBytes = bytesInMemory(op.getSource().getType());
  choices.maxSharedBytes = kMaxScratch;
  choices.hasLdmatrix = options.target.hasLdmatrix;
  choices.hasStmatrix = options.target.hasStmatrix;
  return layout::planConversion(warp::layoutOf(op.getSource().getType()), warp::layoutOf(op.getResult().getType()),
                                choices);
}

} // namespace nereid::gpu
