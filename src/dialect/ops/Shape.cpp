// Shape.cpp: verifiers, folds and layouts of Shape.td.
#include "dialect/Halves.h"
#include "dialect/Tile.h"

#include "layout/LayoutMoves.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace nereid::tile;
using namespace nereid::layout;

// A shape op on a tile whose elements are all one constant gives the same constant in the new shape.
static OpFoldResult foldSplatConstant(Attribute source, Type result) {
  if (auto dense = dyn_cast_if_present<SplatElementsAttr>(source))
    return dense.resizeSplat(cast<ShapedType>(result));
  return {};
}

LogicalResult ArangeOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  if (type.getRank() != 1 || !type.getElementType().isInteger(32) ||
      type.getDimSize(0) != int64_t(getEnd()) - int64_t(getStart()))
    return emitOpError("result must be a 1-D i32 tile of end - start elements");
  return success();
}

LogicalResult SplatOp::verify() {
  if (getSource().getType() != cast<RankedTensorType>(getType()).getElementType())
    return emitOpError("source is not of the element type");
  return success();
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  if (Attribute value = adaptor.getSource(); isa_and_present<IntegerAttr, FloatAttr>(value))
    return SplatElementsAttr::get(cast<ShapedType>(getType()), value);
  return {};
}

LogicalResult UnsplatOp::verify() {
  auto type = getSource().getType();
  if (type.getNumElements() != 1 || type.getElementType() != getType())
    return emitOpError("source must hold one element of the result type");
  return success();
}

LogicalResult BroadcastOp::verify() {
  ArrayRef<int64_t> from = shapeOf(getSource().getType()), to = shapeOf(getType());
  if (from.size() != to.size())
    return emitOpError("source and result have different ranks");
  for (auto [source, result] : llvm::zip(from, to))
    if (source != 1 && source != result)
      return emitOpError("cannot repeat an extent of ") << source << " to " << result;
  return success();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  return foldSplatConstant(adaptor.getSource(), getType());
}

// The axes where the source has one element are shrunk.
LinearLayout BroadcastOp::operandLayout(unsigned, const LinearLayout &result) {
  LinearLayout layout = result;
  ArrayRef<int64_t> shape = shapeOf(getSource().getType());
  auto wide = layout.shape();
  for (unsigned axis = 0; axis < shape.size(); ++axis)
    if (shape[axis] != wide[axis])
      layout = shrinkAxisLayout(layout, axis);
  return layout;
}

std::optional<LinearLayout> BroadcastOp::resultLayout(const LinearLayout &) { return std::nullopt; }

LogicalResult ExpandDimsOp::verify() {
  SmallVector<int64_t> expected(shapeOf(getSource().getType()));
  if (getAxis() > expected.size())
    return emitOpError("axis is out of range");
  expected.insert(expected.begin() + getAxis(), 1);
  if (shapeOf(getType()) != ArrayRef<int64_t>(expected))
    return emitOpError("result has not the source's shape with a 1 at the axis");
  return success();
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) { return foldSplatConstant(adaptor.getSource(), getType()); }

LinearLayout ExpandDimsOp::operandLayout(unsigned, const LinearLayout &result) {
  return reshapeLayout(result, shapeOf(getSource().getType()));
}

std::optional<LinearLayout> ExpandDimsOp::resultLayout(const LinearLayout &source) {
  return reshapeLayout(source, shapeOf(getType()));
}

LogicalResult ReshapeOp::verify() {
  auto result = cast<RankedTensorType>(getType());
  if (getSource().getType().getNumElements() != result.getNumElements() ||
      getSource().getType().getElementType() != result.getElementType())
    return emitOpError("source and result hold different elements");
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  return foldSplatConstant(adaptor.getSource(), getType());
}

LinearLayout ReshapeOp::operandLayout(unsigned, const LinearLayout &result) {
  return reshapeLayout(result, shapeOf(getSource().getType()));
}

std::optional<LinearLayout> ReshapeOp::resultLayout(const LinearLayout &source) {
  return reshapeLayout(source, shapeOf(getType()));
}

LogicalResult TransOp::verify() {
  ArrayRef<int64_t> from = shapeOf(getSource().getType()), to = shapeOf(getType());
  if (getOrder().size() != from.size() || to.size() != from.size())
    return emitOpError("order needs one entry for each dimension");
  SmallVector<bool> seen(from.size());
  for (auto [i, source] : llvm::enumerate(getOrder())) {
    if (source < 0 || source >= int64_t(from.size()) || seen[source])
      return emitOpError("order is not a permutation");
    seen[source] = true;
    if (to[i] != from[source])
      return emitOpError("result shape does not follow the order");
  }
  return success();
}

OpFoldResult TransOp::fold(FoldAdaptor adaptor) {
  bool identity = true;
  for (auto [i, source] : llvm::enumerate(getOrder()))
    identity &= int64_t(i) == source;
  if (identity)
    return getSource();
  return foldSplatConstant(adaptor.getSource(), getType());
}

static SmallVector<unsigned, 4> permutationOf(ArrayRef<int32_t> order) { return {order.begin(), order.end()}; }

LinearLayout TransOp::operandLayout(unsigned, const LinearLayout &result) {
  return transposeLayout(result, invertPermutation(permutationOf(getOrder())));
}

std::optional<LinearLayout> TransOp::resultLayout(const LinearLayout &source) {
  return transposeLayout(source, permutationOf(getOrder()));
}

LogicalResult FlipOp::verify() {
  if (getSource().getType() != getType() || getAxis() >= shapeOf(getType()).size())
    return emitOpError("result must have the source's type, and the axis be one of its dimensions");
  return success();
}

LogicalResult JoinOp::verify() {
  SmallVector<int64_t> expected(shapeOf(getLhs().getType()));
  expected.push_back(2);
  if (shapeOf(getType()) != ArrayRef<int64_t>(expected))
    return emitOpError("result must have a new last dimension of extent 2");
  return success();
}

LinearLayout JoinOp::operandLayout(unsigned, const LinearLayout &result) { return *splitLayout(result); }

std::optional<LinearLayout> JoinOp::resultLayout(const LinearLayout &source) { return joinLayout(source); }

std::pair<Value, Value> nereid::tile::halvesOf(ImplicitLocOpBuilder &builder, Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  auto half = RankedTensorType::get(type.getShape().drop_back(), type.getElementType());
  auto split = SplitOp::create(builder, half, half, tile);
  return {split.getFirst(), split.getSecond()};
}

LogicalResult SplitOp::verify() {
  ArrayRef<int64_t> from = shapeOf(getSource().getType());
  if (from.empty() || from.back() != 2 || shapeOf(getFirst().getType()) != from.drop_back())
    return emitOpError("source must have a last dimension of extent 2, and the results its other dimensions");
  return success();
}

LinearLayout SplitOp::operandLayout(unsigned, const LinearLayout &result) { return joinLayout(result); }

std::optional<LinearLayout> SplitOp::resultLayout(const LinearLayout &source) { return splitLayout(source); }

LogicalResult CatOp::verify() {
  ArrayRef<int64_t> lhs = shapeOf(getLhs().getType()), rhs = shapeOf(getRhs().getType());
  SmallVector<int64_t> expected(lhs);
  if (lhs.size() != rhs.size() || getAxis() >= lhs.size())
    return emitOpError("operands have different ranks, or the axis is out of range");
  expected[getAxis()] += rhs[getAxis()];
  if (shapeOf(getType()) != ArrayRef<int64_t>(expected))
    return emitOpError("result is not as long as both operands together");
  return success();
}

LinearLayout CatOp::operandLayout(unsigned, const LinearLayout &result) {
  return beforeConcatenation(result, getAxis());
}

std::optional<LinearLayout> CatOp::resultLayout(const LinearLayout &source) {
  return concatenateLayout(source, getAxis());
}

LogicalResult GatherOp::verify() {
  if (shapeOf(getIndex().getType()) != shapeOf(getType()) ||
      getSource().getType().getRank() != getIndex().getType().getRank() ||
      getAxis() >= uint64_t(getSource().getType().getRank()))
    return emitOpError("index and result must have one shape, of the source's rank");
  return success();
}
