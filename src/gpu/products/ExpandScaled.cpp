// ExpandScaled.cpp: elements and scales become bf16 (f16 where an operand is f16), which hold both exactly but for
// their range, and are multiplied before the product. Hopper has no instruction for scaled operands.
#include "gpu/Passes.h"
#include "gpu/PlanPass.h"

#include "dialect/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace nereid::gpu {

namespace {

struct Side {
  Value tile, scale;
  tile::ScaleFormat format;
  bool isPackedAlongK, isRight;
};

class Expander {
public:
  explicit Expander(tile::DotScaledOp op) : op(op), builder(op.getLoc(), op) {
    using Format = tile::ScaleFormat;
    bool isHalf = op.getLhsFormat() == Format::FP16 || op.getRhsFormat() == Format::FP16;
    wide = isHalf ? Type(builder.getF16Type()) : Type(builder.getBF16Type());
  }

  void run() {
    Value lhs = decode({op.getLhs(), op.getLhsScale(), op.getLhsFormat(), op.getLhsKPack(), false});
    Value rhs = decode({op.getRhs(), op.getRhsScale(), op.getRhsFormat(), op.getRhsKPack(), true});
    auto dot = tile::DotOp::create(builder, op.getAcc().getType(), lhs, rhs, op.getAcc(), tile::InputPrecision::IEEE,
                                   0u, false, false);
    op.getResult().replaceAllUsesWith(dot.getResult());
    op.erase();
  }

private:
  Value constant(RankedTensorType type, int64_t value) {
    return arith::ConstantOp::create(
        builder, DenseElementsAttr::get(type, builder.getIntegerAttr(type.getElementType(), value)));
  }
  RankedTensorType like(Value value, Type element) { return cast<RankedTensorType>(value.getType()).clone(element); }
  Value reshape(Value value, ArrayRef<int64_t> shape) {
    auto type = RankedTensorType::get(shape, getElementTypeOrSelf(value.getType()));
    return tile::ReshapeOp::create(builder, type, value, false);
  }

  Value decode(const Side &side) {
    Value values = side.format == tile::ScaleFormat::E2M1 ? decodeNibbles(side) : decodeBytes(side);
    return side.scale ? applyScale(side, values) : values;
  }

  Value toWide(Value value) {
    Type element = getElementTypeOrSelf(value.getType());
    if (element == wide)
      return value;
    if (element.getIntOrFloatBitWidth() < 16)
      return arith::ExtFOp::create(builder, like(value, wide), value);
    Value single =
        element.isF32() ? value : arith::ExtFOp::create(builder, like(value, builder.getF32Type()), value).getResult();
    return arith::TruncFOp::create(builder, like(value, wide), single);
  }

  Value decodeBytes(const Side &side) {
    Value tile = side.tile;
    if (getElementTypeOrSelf(tile.getType()).isInteger(8)) {
      Type format = side.format == tile::ScaleFormat::E4M3 ? Type(Float8E4M3FNType::get(op.getContext()))
                                                           : Type(Float8E5M2Type::get(op.getContext()));
      tile = arith::BitcastOp::create(builder, like(tile, format), tile);
    }
    return toWide(tile);
  }

  // The number in the low four bits of each element, in the wide type. Exponent and mantissa become the lowest bits of
  // the exponent and the highest of the mantissa: a number (with a mantissa alone a denormal one) that is too small by
  // a power of two. Multiplying is exact, and free of the comparisons that the cases would take: ptxas 12.9 and 13.0
  // made wrong code of many of those on 16-bit values.
  Value decodeNibble(Value nibble) {
    auto type = cast<RankedTensorType>(nibble.getType());
    auto both = [&](Value value, int64_t mask) {
      return arith::AndIOp::create(builder, value, constant(type, mask)).getResult();
    };
    auto shift = [&](Value value, int64_t count) {
      return arith::ShLIOp::create(builder, value, constant(type, count)).getResult();
    };
    int64_t mantissaBits = wide.isF16() ? 10 : 7;
    Value bits = arith::OrIOp::create(builder, shift(both(nibble, 7), mantissaBits - 1), shift(both(nibble, 8), 12));
    return arith::BitcastOp::create(builder, type.clone(wide), bits);
  }

  // What the bias of the wide type (127 or 15) makes out of that of e2m1 (1).
  Value withBias(Value values) {
    auto type = cast<RankedTensorType>(values.getType());
    double factor = wide.isF16() ? 0x1p14 : 0x1p126;
    Value factors =
        arith::ConstantOp::create(builder, DenseElementsAttr::get(type, builder.getFloatAttr(wide, factor)));
    return arith::MulFOp::create(builder, values, factors);
  }

  Value decodeNibbles(const Side &side) {
    Value words = arith::ExtUIOp::create(builder, like(side.tile, builder.getI16Type()), side.tile);
    auto type = cast<RankedTensorType>(words.getType());
    Value low = arith::AndIOp::create(builder, words, constant(type, 15));
    Value high = arith::ShRUIOp::create(builder, words, constant(type, 4));
    llvm::SmallVector<int64_t> shape(type.getShape()), pairs(shape), whole(shape);
    unsigned rank = shape.size(), axis = side.isPackedAlongK != side.isRight ? rank - 1 : rank - 2;
    pairs.push_back(2);
    whole[axis] *= 2;
    Value joined =
        tile::JoinOp::create(builder, RankedTensorType::get(pairs, wide), decodeNibble(low), decodeNibble(high));
    if (axis != rank - 1) {
      llvm::SmallVector<int32_t> order;
      for (unsigned d = 0; d < rank; ++d) {
        order.push_back(int32_t(d));
        if (d == axis)
          order.push_back(int32_t(rank));
      }
      llvm::SmallVector<int64_t> moved;
      for (int32_t d : order)
        moved.push_back(pairs[d]);
      joined = tile::TransOp::create(builder, RankedTensorType::get(moved, wide), joined, order);
    }
    return withBias(reshape(joined, whole));
  }

  // 2^(bits - 127) as f32; 255 is NaN, 0 the denormal 2^-127.
  Value decodeScale(Value scale) {
    Value words = arith::ExtUIOp::create(builder, like(scale, builder.getI32Type()), scale);
    auto type = cast<RankedTensorType>(words.getType());
    auto is = [&](int64_t value) {
      return arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, words, constant(type, value)).getResult();
    };
    Value bits = arith::ShLIOp::create(builder, words, constant(type, 23));
    bits = arith::SelectOp::create(builder, is(0), constant(type, 0x00400000), bits);
    bits = arith::SelectOp::create(builder, is(255), constant(type, 0x7fc00000), bits);
    return toWide(arith::BitcastOp::create(builder, like(bits, builder.getF32Type()), bits));
  }

  Value applyScale(const Side &side, Value values) {
    Value scale = decodeScale(side.scale);
    llvm::SmallVector<int64_t> shape(tile::shapeOf(scale.getType())), whole(tile::shapeOf(values.getType()));
    unsigned rank = shape.size(), axis = side.isRight ? rank - 2 : rank - 1;
    if (side.isRight) {
      llvm::SmallVector<int32_t> order;
      for (unsigned d = 0; d < rank; ++d)
        order.push_back(int32_t(d));
      std::swap(order[rank - 1], order[rank - 2]);
      std::swap(shape[rank - 1], shape[rank - 2]);
      scale = tile::TransOp::create(builder, RankedTensorType::get(shape, wide), scale, order);
    }
    llvm::SmallVector<int64_t> spread(shape);
    spread.insert(spread.begin() + axis + 1, 1);
    scale = reshape(scale, spread);
    spread[axis + 1] = whole[axis] / shape[axis];
    scale = tile::BroadcastOp::create(builder, RankedTensorType::get(spread, wide), scale);
    return arith::MulFOp::create(builder, values, reshape(scale, whole));
  }

  tile::DotScaledOp op;
  ImplicitLocOpBuilder builder;
  Type wide;
};

} // namespace

// The op that cannot be expanded, or null.
static Operation *expandScaledProducts(func::FuncOp kernel) {
  llvm::SmallVector<tile::DotScaledOp> work;
  kernel.walk([&](tile::DotScaledOp op) { work.push_back(op); });
  for (tile::DotScaledOp op : work) {
    for (tile::ScaleFormat format : {op.getLhsFormat(), op.getRhsFormat()})
      if (format == tile::ScaleFormat::E2M3 || format == tile::ScaleFormat::E3M2)
        return op;
    Expander(op).run();
  }
  return nullptr;
}

namespace {

struct ExpandScaledPass : PlanPass<ExpandScaledPass> {
  using PlanPass::PlanPass;
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandScaledPass)
  StringRef getArgument() const final { return "warp-expand-scaled"; }
  StringRef getDescription() const final { return "Make plain products from products of microscaled operands"; }
  void runOnOperation() final {
    if (Operation *op = expandScaledProducts(getOperation())) {
      op->emitError("a scaled product of e2m3 or e3m2 is not supported on the GPU");
      signalPassFailure();
    }
  }
};

} // namespace

PassPtr createExpandScaledPass(const Options &options) { return std::make_unique<ExpandScaledPass>(options); }

} // namespace nereid::gpu
