// Dot.cpp: verifiers of Dot.td.
#include "dialect/Tile.h"

using namespace mlir;
using namespace nereid::tile;

LogicalResult DotOp::verify() {
  ArrayRef<int64_t> lhs = shapeOf(getLhs().getType()), rhs = shapeOf(getRhs().getType()), acc = shapeOf(getType());
  size_t rank = lhs.size();
  if (rank < 2 || rank > 3 || rhs.size() != rank || acc.size() != rank)
    return emitOpError("operands must all be 2-D or all 3-D");
  if (lhs[rank - 1] != rhs[rank - 2] || acc[rank - 2] != lhs[rank - 2] || acc[rank - 1] != rhs[rank - 1])
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
