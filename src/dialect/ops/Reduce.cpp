// Reduce.cpp: verifiers and layouts of Reduce.td.
#include "dialect/Tile.h"

#include "layout/LayoutMoves.h"

using namespace mlir;
using namespace nereid::tile;
using namespace nereid::layout;

// All sources have one shape, and the region maps two sets of their elements to one.
static LogicalResult verifyCombine(Operation *op, ValueRange sources, uint32_t axis, Region &combine) {
  if (sources.empty())
    return op->emitOpError("needs a source");
  ArrayRef<int64_t> shape = shapeOf(sources.front().getType());
  if (axis >= shape.size())
    return op->emitOpError("axis ") << axis << " is out of range for rank " << shape.size();
  for (Value source : sources)
    if (shapeOf(source.getType()) != shape)
      return op->emitOpError("sources have different shapes");
  Block &block = combine.front();
  if (block.getNumArguments() != 2 * sources.size())
    return op->emitOpError("the region needs two arguments for each source");
  auto yield = block.empty() ? nullptr : dyn_cast<YieldOp>(block.back());
  if (!yield || yield.getValues().size() != sources.size())
    return op->emitOpError("the region must yield one value for each source");
  for (auto [i, source] : llvm::enumerate(sources)) {
    Type element = getElementTypeOrSelf(source.getType());
    if (block.getArgument(i).getType() != element || block.getArgument(i + sources.size()).getType() != element ||
        yield.getValues()[i].getType() != element)
      return op->emitOpError("the region must work on the sources' element types");
  }
  return success();
}

LogicalResult ReduceOp::verify() {
  if (failed(verifyCombine(*this, getSources(), getAxis(), getCombine())))
    return failure();
  SmallVector<int64_t> expected(shapeOf(getSources().front().getType()));
  expected.erase(expected.begin() + getAxis());
  for (Value result : getResults())
    if (shapeOf(result.getType()) != ArrayRef<int64_t>(expected))
      return emitOpError("results must have the sources' shape without the axis");
  return success();
}

std::optional<LinearLayout> ReduceOp::resultLayout(const LinearLayout &source) {
  return sliceLayout(source, getAxis());
}

LogicalResult ScanOp::verify() {
  if (getSources().getTypes() != getResultTypes())
    return emitOpError("results must have the sources' types");
  return verifyCombine(*this, getSources(), getAxis(), getCombine());
}

LogicalResult SortOp::verify() {
  SmallVector<int64_t> expected(shapeOf(getSource().getType()));
  if (expected.empty() || getCount() < 1 || int64_t(getCount()) > expected.back())
    return emitOpError("count must be between 1 and the last extent");
  expected.back() = getCount();
  if (shapeOf(getType()) != ArrayRef<int64_t>(expected))
    return emitOpError("result must have `count` elements in the last dimension");
  return success();
}
