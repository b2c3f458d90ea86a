// Dot.cpp: verifiers of Dot.td.
#include "dialect/Tile.h"

using namespace mlir;
using namespace nereid::tile;

// Two bits for each element of `lhs`, M x K/2.
static LogicalResult verifyPlaces(DotOp op) {
  auto places = cast<RankedTensorType>(op.getPlaces().getType());
  ArrayRef<int64_t> lhs = shapeOf(op.getLhs().getType());
  if (!places.getElementType().isInteger(8) && !places.getElementType().isInteger(16))
    return op.emitOpError("places are i8 or i16, not ") << places.getElementType();
  if (lhs.size() != 2 || places.getRank() != 2 || places.getDimSize(0) != lhs[0] ||
      places.getDimSize(1) * places.getElementTypeBitWidth() != 2 * lhs[1])
    return op.emitOpError("places must have two bits for each element of the left operand, which has two dimensions");
  return success();
}

LogicalResult DotOp::verify() {
  if (getPlaces() && failed(verifyPlaces(*this)))
    return failure();
  ArrayRef<int64_t> lhs = shapeOf(getLhs().getType()), rhs = shapeOf(getRhs().getType()), acc = shapeOf(getType());
  size_t rank = lhs.size();
  if (rank < 2 || rank > 3 || rhs.size() != rank || acc.size() != rank)
    return emitOpError("operands must all be 2-D or all 3-D");
  if (lhs[rank - 1] * (getPlaces() ? 2 : 1) != rhs[rank - 2] || acc[rank - 2] != lhs[rank - 2] ||
      acc[rank - 1] != rhs[rank - 1])
    return emitOpError("shapes do not multiply");
  if (rank == 3 && (lhs[0] != rhs[0] || lhs[0] != acc[0]))
    return emitOpError("batch extents differ");
  return success();
}

LogicalResult DotScaledOp::verify() {
  if (getAcc().getType() != getType())
    return emitOpError("accumulator and result have different types");
  return success();
}
