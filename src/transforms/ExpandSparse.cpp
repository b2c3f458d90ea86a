// ExpandSparse.cpp: a product of a sparse operand becomes one of the whole operand, with zeros where nothing is kept.
//
//   before  %c = tile.dot %values, %b, %acc places %places
//   after   %w = … joins of %values, or zero, as the places say
//           %c = tile.dot %w, %b, %acc
#include "transforms/Passes.h"

#include "dialect/Halves.h"
#include "dialect/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace nereid::transforms {

namespace {

class SparseExpander {
public:
  explicit SparseExpander(tile::DotOp op) : op(op), builder(op.getLoc(), op) {}

  void run() {
    auto type = op.getLhs().getType();
    int64_t rows = type.getDimSize(0), groups = type.getDimSize(1) / 2;
    auto [low, high] = tile::halvesOf(builder, reshape(op.getLhs(), {rows, groups, 2}));
    Value nibbles = nibblesOf(op.getPlaces());
    Value first = both(nibbles, 3), second = shifted(nibbles, 2);
    Value four[4];
    for (int64_t place = 0; place < 4; ++place) {
      Value kept = select(first, place, low, zero(typeOf(low)));
      four[place] = select(second, place, high, kept);
    }
    Value whole = join(join(four[0], four[2]), join(four[1], four[3]));
    op.getLhsMutable().assign(reshape(whole, {rows, groups * 4}));
    op.getPlacesMutable().clear();
  }

private:
  static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

  // The four bits of each group of four, from elements that hold those of several: halves of halves.
  Value nibblesOf(Value places) {
    unsigned bits = typeOf(places).getElementTypeBitWidth();
    for (bits /= 2; bits >= 4; bits /= 2) {
      auto shape = typeOf(places).getShape();
      places = reshape(join(both(places, (1 << bits) - 1), shifted(places, bits)), {shape[0], shape[1] * 2});
    }
    return places;
  }

  Value constant(RankedTensorType type, int64_t value) {
    return arith::ConstantOp::create(
        builder, DenseElementsAttr::get(type, builder.getIntegerAttr(type.getElementType(), value)));
  }
  Value zero(RankedTensorType type) {
    return arith::ConstantOp::create(builder, cast<TypedAttr>(builder.getZeroAttr(type)));
  }
  Value both(Value value, int64_t mask) { return arith::AndIOp::create(builder, value, constant(typeOf(value), mask)); }
  // What lies above is gone by then.
  Value shifted(Value value, int64_t count) {
    return arith::ShRUIOp::create(builder, value, constant(typeOf(value), count));
  }
  Value select(Value places, int64_t place, Value kept, Value other) {
    Value is = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, places, constant(typeOf(places), place));
    return arith::SelectOp::create(builder, is, kept, other);
  }
  Value join(Value lhs, Value rhs) {
    llvm::SmallVector<int64_t> shape(typeOf(lhs).getShape());
    shape.push_back(2);
    return tile::JoinOp::create(builder, RankedTensorType::get(shape, typeOf(lhs).getElementType()), lhs, rhs);
  }
  Value reshape(Value value, ArrayRef<int64_t> shape) {
    auto type = RankedTensorType::get(shape, typeOf(value).getElementType());
    return tile::ReshapeOp::create(builder, type, value, false);
  }

  tile::DotOp op;
  ImplicitLocOpBuilder builder;
};

struct ExpandSparsePass : PassWrapper<ExpandSparsePass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandSparsePass)
  explicit ExpandSparsePass(std::function<bool(Operation *)> keeps) : keeps(std::move(keeps)) {}
  StringRef getArgument() const final { return "tile-expand-sparse"; }
  StringRef getDescription() const final { return "Make products of whole operands from those of sparse ones"; }
  void runOnOperation() final {
    llvm::SmallVector<tile::DotOp> work;
    getOperation()->walk([&](tile::DotOp op) {
      if (op.getPlaces() && !(keeps && keeps(op)))
        work.push_back(op);
    });
    for (tile::DotOp op : work)
      SparseExpander(op).run();
  }
  std::function<bool(Operation *)> keeps;
};

} // namespace

std::unique_ptr<Pass> createExpandSparsePass(std::function<bool(Operation *)> keeps) {
  return std::make_unique<ExpandSparsePass>(std::move(keeps));
}

} // namespace nereid::transforms
