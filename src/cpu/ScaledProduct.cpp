// ScaledProduct.cpp: tile.dot_scaled: the operands times their scales become f32 matrices, which are then multiplied.
#include "cpu/Lowering.h"
#include "cpu/dot/Dot.h"

using namespace mlir;

namespace nereid::cpu {

namespace {

struct Scaled {
  Value tile, scale;
  tile::ScaleFormat format;
  bool isPackedAlongK;
  bool isRight;
};

} // namespace

// One element as f32; `index` counts elements, which may be nibbles.
static llvm::Value *decodeElement(Lowering &lowering, const Scaled &side, const Buffer &buffer,
                                  ArrayRef<llvm::Value *> index) {
  llvm::IRBuilder<> &builder = lowering.builder;
  Type type = side.tile.getType();
  if (side.format != tile::ScaleFormat::E2M1) {
    llvm::Value *bits = lowering.loadElement(buffer, index, type);
    if (bits->getType()->isFloatTy())
      return bits;
    NarrowFloat narrow = side.format == tile::ScaleFormat::E4M3   ? NarrowFloat::F8E4M3FN
                         : side.format == tile::ScaleFormat::E5M2 ? NarrowFloat::F8E5M2
                         : side.format == tile::ScaleFormat::BF16 ? NarrowFloat::BF16
                                                                  : NarrowFloat::F16;
    return widen(builder, lowering.target, bits, narrow);
  }
  // Two numbers a byte, along K or along the other dimension.
  unsigned packed = side.isPackedAlongK != side.isRight ? 1 : 0;
  size_t d = index.size() - 2 + packed;
  llvm::SmallVector<llvm::Value *> where(index);
  where[d] = builder.CreateLShr(index[d], builder.getInt64(1));
  llvm::Value *byte = builder.CreateZExt(lowering.loadElement(buffer, where, type), builder.getInt64Ty());
  llvm::Value *shift = builder.CreateShl(builder.CreateAnd(index[d], builder.getInt64(1)), builder.getInt64(2));
  llvm::Value *nibble = builder.CreateAnd(builder.CreateLShr(byte, shift), builder.getInt64(15));
  constexpr float kE2M1[16] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6, -0.0f, -0.5f, -1, -1.5f, -2, -3, -4, -6};
  auto *table = llvm::ConstantDataArray::get(lowering.context, ArrayRef<float>(kE2M1));
  auto *global = new llvm::GlobalVariable(lowering.module, table->getType(), true, llvm::GlobalValue::PrivateLinkage,
                                          table, "e2m1");
  return builder.CreateLoad(builder.getFloatTy(), builder.CreateInBoundsGEP(builder.getFloatTy(), global, nibble));
}

// e8m0: 2^(bits - 127), 255 is NaN; 0 is the denormal 2^-127.
static llvm::Value *decodeScale(Lowering &lowering, llvm::Value *bits) {
  llvm::IRBuilder<> &builder = lowering.builder;
  llvm::Value *word = builder.CreateZExt(bits, builder.getInt32Ty());
  llvm::Value *normal = builder.CreateShl(word, builder.getInt32(23));
  llvm::Value *value =
      builder.CreateSelect(builder.CreateICmpEQ(word, builder.getInt32(0)), builder.getInt32(0x00400000), normal);
  value = builder.CreateSelect(builder.CreateICmpEQ(word, builder.getInt32(255)), builder.getInt32(0x7fc00000), value);
  return builder.CreateBitCast(value, builder.getFloatTy());
}

static llvm::Value *decodeSide(Lowering &lowering, const Scaled &side, ArrayRef<int64_t> shape, int64_t k) {
  llvm::IRBuilder<> &builder = lowering.builder;
  Buffer tile = lowering.materialize(side.tile);
  std::optional<Buffer> scale;
  int64_t group = k;
  if (side.scale) {
    scale = lowering.materialize(side.scale);
    group = k / tile::shapeOf(side.scale.getType()).back();
  }
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  llvm::Value *values = lowering.temporary(uint64_t(count) * 4);
  lowering.emitLoops(shape, [&](ArrayRef<llvm::Value *> index) {
    llvm::Value *value = decodeElement(lowering, side, tile, index);
    if (scale) {
      llvm::SmallVector<llvm::Value *> where(index);
      size_t rank = index.size();
      llvm::Value *along = side.isRight ? index[rank - 2] : index[rank - 1];
      where[rank - 2] = side.isRight ? index[rank - 1] : index[rank - 2];
      where[rank - 1] = builder.CreateUDiv(along, builder.getInt64(group));
      value =
          builder.CreateFMul(value, decodeScale(lowering, lowering.loadElement(*scale, where, side.scale.getType())));
    }
    llvm::Value *offset = builder.getInt64(0);
    for (size_t d = 0; d < shape.size(); ++d)
      offset = builder.CreateAdd(builder.CreateMul(offset, builder.getInt64(shape[d])), index[d]);
    builder.CreateStore(value, builder.CreateInBoundsGEP(builder.getFloatTy(), values, offset));
  });
  return values;
}

template <> void Lowering::lower(tile::DotScaledOp op) {
  flush();
  Type type = op.getAcc().getType();
  auto shape = tile::shapeOf(type);
  size_t rank = shape.size();
  auto isKnown = [](tile::ScaleFormat format) {
    return format != tile::ScaleFormat::E2M3 && format != tile::ScaleFormat::E3M2;
  };
  if (!getElementTypeOrSelf(type).isF32() || !isKnown(op.getLhsFormat()) || !isKnown(op.getRhsFormat()) || rank > 3)
    return fail(op, "a scaled product of these types is not supported on the CPU");
  int64_t k = tile::shapeOf(op.getLhs().getType())[rank - 1];
  if (op.getLhsFormat() == tile::ScaleFormat::E2M1 && op.getLhsKPack())
    k *= 2;
  DotSpec spec{.m = shape[rank - 2], .n = shape[rank - 1], .k = k};
  llvm::SmallVector<int64_t> left(shape.begin(), shape.end()), right(shape.begin(), shape.end());
  left[rank - 1] = k, right[rank - 2] = k;
  llvm::Value *lhs =
      decodeSide(*this, {op.getLhs(), op.getLhsScale(), op.getLhsFormat(), op.getLhsKPack(), false}, left, k);
  llvm::Value *rhs =
      decodeSide(*this, {op.getRhs(), op.getRhsScale(), op.getRhsFormat(), op.getRhsKPack(), true}, right, k);
  Buffer place = allocate(type, op.getResult());
  copyTo(op.getAcc(), place);
  llvm::Value *packed = temporary(dotScratchBytes(spec, target));
  emitLoop(builder.getInt64(rank == 3 ? shape[0] : 1), [&](llvm::Value *batch) {
    auto at = [&](llvm::Value *data, int64_t count) {
      return builder.CreateInBoundsGEP(builder.getFloatTy(), data, builder.CreateMul(batch, builder.getInt64(count)));
    };
    llvm::Value *one = builder.getInt64(1);
    emitDot(builder, target, spec, {at(lhs, spec.m * k), builder.getInt64(k), one},
            {at(rhs, k * spec.n), builder.getInt64(spec.n), one}, at(place.data, spec.m * spec.n), packed);
  });
  buffers[op.getResult()] = place;
}

void addScaledProductOps(OpTable &table) { table.add<tile::DotScaledOp>(); }

} // namespace nereid::cpu
