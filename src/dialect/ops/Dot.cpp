// Dot.cpp: verifiers and pieces of Dot.td.
#include "dialect/Tile.h"
#include "dialect/ops/Pieces.h"

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

// Pieces of uneven tiles.
namespace nereid::tile {

// An operand of a product: what its axes are, a batch 'b', rows 'm', columns 'n' and 'k'.
struct Factor {
  OpOperand &operand;
  StringRef axes;
};

// The pieces of a product are products that add up along K.
static bool splitProduct(Pieces &pieces, Operation *op, OpOperand &addend, ArrayRef<Factor> factors) {
  Cut cut(shapeOf(addend.get().getType()));
  auto axisOf = [&](char axis) { return axis == 'b' ? 0 : cut.axes.size() - (axis == 'm' ? 2 : 1); };
  std::optional<size_t> steps;
  for (const Factor &factor : factors)
    for (auto [axis, extent] : llvm::zip_equal(factor.axes, shapeOf(factor.operand.get().getType()))) {
      size_t spans = spansOf(extent).size();
      if (axis == 'k' && !steps)
        steps = spans;
      if (spans != (axis == 'k' ? *steps : cut.axes[axisOf(axis)].size()))
        return pieces.refuse("the operands of this product cannot be taken apart together");
    }
  SmallVector<Value> its;
  for (size_t piece = 0; piece < cut.count(); ++piece) {
    Cut::Place place = cut.placeOf(piece);
    Value sum = pieces.at(addend.get(), place);
    for (unsigned k = 0; k < *steps; ++k) {
      Operation *made = pieces.builder.clone(*op);
      for (const Factor &factor : factors) {
        Cut::Place at;
        for (char axis : factor.axes)
          at.push_back(axis == 'k' ? k : place[axisOf(axis)]);
        made->setOperand(factor.operand.getOperandNumber(), pieces.at(factor.operand.get(), at));
      }
      made->setOperand(addend.getOperandNumber(), sum);
      made->getResult(0).setType(sum.getType());
      sum = made->getResult(0);
    }
    its.push_back(sum);
  }
  pieces.give(op->getResult(0), its);
  return true;
}

static bool split(Pieces &pieces, DotOp op) {
  bool isBatch = cast<RankedTensorType>(op.getType()).getRank() == 3;
  SmallVector<Factor> factors{{op.getLhsMutable(), isBatch ? "bmk" : "mk"},
                              {op.getRhsMutable(), isBatch ? "bkn" : "kn"}};
  if (op.getPlaces())
    factors.push_back({op.getPlacesMutable()[0], "mk"});
  return splitProduct(pieces, op, op.getAccMutable(), factors);
}

static bool split(Pieces &pieces, DotScaledOp op) {
  bool isBatch = cast<RankedTensorType>(op.getType()).getRank() == 3;
  SmallVector<Factor> factors{{op.getLhsMutable(), isBatch ? "bmk" : "mk"},
                              {op.getRhsMutable(), isBatch ? "bkn" : "kn"}};
  if (op.getLhsScale())
    factors.push_back({op.getLhsScaleMutable()[0], isBatch ? "bmk" : "mk"});
  if (op.getRhsScale())
    factors.push_back({op.getRhsScaleMutable()[0], isBatch ? "bnk" : "nk"});
  return splitProduct(pieces, op, op.getAccMutable(), factors);
}

void addDotPieces(PieceRules &rules) { rules.add<DotOp, DotScaledOp>(); }

} // namespace nereid::tile
