// Product.cpp: tile.dot. The accumulator is updated in place. An operand that is a load and nothing else is read from
// the user's memory by the product itself, when its addresses and its mask allow that for the whole tile.
#include "cpu/TileForm.h"
#include "cpu/dot/Dot.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace nereid::cpu {

static std::optional<DotElement> dotElement(Type type, bool isUnsigned) {
  type = getElementTypeOrSelf(type);
  if (type.isF32())
    return DotElement::F32;
  if (type.isF64())
    return DotElement::F64;
  if (auto narrow = narrowFloatOf(type))
    switch (*narrow) {
    case NarrowFloat::F16: return DotElement::F16;
    case NarrowFloat::BF16: return DotElement::BF16;
    case NarrowFloat::F8E4M3FN: return DotElement::F8E4M3FN;
    case NarrowFloat::F8E5M2: return DotElement::F8E5M2;
    case NarrowFloat::F8E4M3FNUZ: return DotElement::F8E4M3FNUZ;
    case NarrowFloat::F8E5M2FNUZ: return DotElement::F8E5M2FNUZ;
    case NarrowFloat::F8E4M3B11FNUZ: return DotElement::F8E4M3B11FNUZ;
    }
  if (type.isInteger(8))
    return isUnsigned ? DotElement::U8 : DotElement::I8;
  if (type.isInteger(16))
    return isUnsigned ? DotElement::U16 : DotElement::I16;
  if (type.isInteger(32))
    return DotElement::I32;
  return std::nullopt;
}

// The other precisions are ways to have f32 from narrower tensor cores.
static DotPrecision precisionOf(tile::InputPrecision precision) {
  return precision == tile::InputPrecision::TF32 ? DotPrecision::TF32 : DotPrecision::IEEE;
}

// A load that only feeds a product, with no write to memory between the two, waits for it.
bool Lowering::isDeferred(tile::LoadOp op) {
  Value value = op.getResult();
  if (tile::shapeOf(value.getType()).size() != 2 || !isCheap(op.getPtr()) || (op.getMask() && !isCheap(op.getMask())))
    return false;
  if (!value.hasOneUse())
    return false;
  Operation *user = *value.getUsers().begin();
  if (auto trans = dyn_cast<tile::TransOp>(user); trans && trans.getResult().hasOneUse()) {
    value = trans.getResult();
    user = *value.getUsers().begin();
  }
  auto dot = dyn_cast<tile::DotOp>(user);
  if (!dot || dot->getBlock() != op->getBlock() || value == dot.getAcc())
    return false;
  for (Operation *between = op->getNextNode(); between != dot; between = between->getNextNode()) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(between);
    bool isHarmless = between->hasTrait<OpTrait::HasRecursiveMemoryEffects>()
                          ? isPure(between)
                          : isPure(between) || isa<tile::LoadOp>(between) || between->hasTrait<tile::StatesFact>() ||
                                (effects && effects.hasNoEffect());
    if (!isHarmless)
      return false;
  }
  return true;
}

// The operand as a matrix in the user's memory; null: it is not one, or not a load that waited.
static std::optional<DotOperand> directOperand(Lowering &lowering, Value value, Conditions &conditions) {
  bool isTransposed = false;
  if (auto trans = value.getDefiningOp<tile::TransOp>()) {
    value = trans.getSource();
    isTransposed = true;
  }
  auto load = value.getDefiningOp<tile::LoadOp>();
  if (!load || lowering.findBuffer(value))
    return std::nullopt;
  TileForms forms(lowering, conditions);
  if (load.getMask() && !forms.assumeTrue(load.getMask()))
    return std::nullopt;
  auto form = forms.evaluate(load.getPtr());
  if (!form)
    return std::nullopt;
  DotOperand operand{lowering.pointer(form->base), form->steps[0], form->steps[1]};
  if (isTransposed)
    std::swap(operand.rowStride, operand.columnStride);
  return operand;
}

static DotOperand bufferOperand(Lowering &lowering, const Buffer &buffer) {
  size_t rank = buffer.strides.size();
  return {buffer.data, lowering.builder.getInt64(buffer.strides[rank - 2]),
          lowering.builder.getInt64(buffer.strides[rank - 1])};
}

// Bits of narrow floats to f32 and back, for accumulators.
static void convertTile(Lowering &lowering, llvm::Value *from, llvm::Value *to, int64_t count, NarrowFloat type,
                        bool isBack) {
  llvm::IRBuilder<> &builder = lowering.builder;
  int64_t lanes = 16;
  while (count % lanes)
    lanes /= 2;
  bool isByte = type != NarrowFloat::F16 && type != NarrowFloat::BF16;
  llvm::Type *bits = isByte ? builder.getInt8Ty() : builder.getInt16Ty(), *wide = builder.getFloatTy();
  lowering.emitLoop(builder.getInt64(count / lanes), [&](llvm::Value *i) {
    llvm::Value *offset = builder.CreateMul(i, builder.getInt64(lanes));
    llvm::Value *source = builder.CreateInBoundsGEP(isBack ? wide : bits, from, offset);
    llvm::Value *target = builder.CreateInBoundsGEP(isBack ? bits : wide, to, offset);
    llvm::Value *value = builder.CreateAlignedLoad(llvm::FixedVectorType::get(isBack ? wide : bits, unsigned(lanes)),
                                                   source, llvm::Align(isBack ? 4 : 1));
    value = isBack ? narrow(builder, lowering.target, value, type) : widen(builder, lowering.target, value, type);
    builder.CreateAlignedStore(value, target, llvm::Align(isBack ? 1 : 4));
  });
}

// One product of 2-D operands, or one for each batch.
static void emitProducts(Lowering &lowering, const DotSpec &spec, const Buffer *lhs, const Buffer *rhs, DotOperand left,
                         DotOperand right, llvm::Value *acc, int64_t batches, ArrayRef<unsigned> bytes) {
  llvm::IRBuilder<> &builder = lowering.builder;
  llvm::Value *scratch = lowering.temporary(dotScratchBytes(spec, lowering.target));
  if (batches == 1)
    return emitDot(builder, lowering.target, spec, left, right, acc, scratch);
  lowering.emitLoop(builder.getInt64(batches), [&](llvm::Value *batch) {
    auto at = [&](llvm::Value *data, int64_t stride, unsigned size) {
      return builder.CreateInBoundsGEP(builder.getInt8Ty(), data,
                                       builder.CreateMul(batch, builder.getInt64(stride * size)));
    };
    DotOperand a = left, b = right;
    a.data = at(left.data, lhs->strides[0], bytes[0]);
    b.data = at(right.data, rhs->strides[0], bytes[1]);
    emitDot(builder, lowering.target, spec, a, b, at(acc, spec.m * spec.n, bytes[2]), scratch);
  });
}

template <> void Lowering::lower(tile::DotOp op) {
  flush();
  Type accType = op.getAcc().getType();
  auto shape = tile::shapeOf(accType), lhsShape = tile::shapeOf(op.getLhs().getType());
  size_t rank = shape.size();
  if (rank > 3)
    return fail(op, "a product has at most one batch dimension on the CPU");
  auto lhs = dotElement(op.getLhs().getType(), op.getLhsUnsigned()),
       rhs = dotElement(op.getRhs().getType(), op.getRhsUnsigned());
  auto narrowAcc = narrowFloatOf(accType);
  auto acc = narrowAcc ? std::optional(DotElement::F32) : dotElement(accType, false);
  if (!lhs || !rhs || !acc)
    return fail(op, "a product of these types is not supported on the CPU");
  DotSpec spec{.m = shape[rank - 2],
               .n = shape[rank - 1],
               .k = lhsShape[rank - 1],
               .lhs = *lhs,
               .rhs = *rhs,
               .acc = *acc,
               .precision = precisionOf(op.getPrecision())};
  if (spec.lhs != DotElement::F32 || spec.rhs != DotElement::F32)
    spec.precision = DotPrecision::IEEE;

  // Where the sum is: in the accumulator's own place when nobody reads it afterwards.
  Value result = op.getResult(), source = op.getAcc();
  Buffer place;
  auto planned = assigned.find(result);
  const Buffer *old = findBuffer(source);
  if (planned != assigned.end()) {
    place = planned->second;
    copyTo(source, place);
    buffers[result] = place;
  } else if (old && source.hasOneUse() && source.getParentBlock() == op->getBlock() && !isa<BlockArgument>(source) &&
             isRowMajor(*old, shape) && llvm::any_of(owned, [&](const Owned &o) { return o.value == source; })) {
    place = *old;
    passOn(source, result);
  } else {
    place = allocate(accType, result);
    copyTo(source, place);
    buffers[result] = place;
  }
  int64_t batches = rank == 3 ? shape[0] : 1, count = batches * spec.m * spec.n;
  llvm::Value *sum = place.data;
  if (narrowAcc) {
    sum = temporary(uint64_t(count) * 4);
    convertTile(*this, place.data, sum, count, *narrowAcc, false);
  }
  unsigned bytes[] = {elementBytes(op.getLhs().getType()), elementBytes(op.getRhs().getType()),
                      narrowAcc ? 4 : elementBytes(accType)};

  Conditions conditions;
  std::optional<DotOperand> left, right;
  if (rank == 2) {
    left = directOperand(*this, op.getLhs(), conditions);
    Conditions more;
    right = directOperand(*this, op.getRhs(), more);
    conditions.append(more);
  }
  auto fromBuffers = [&](bool keepsDirect) {
    std::optional<Buffer> a, b;
    DotOperand first, second;
    if (keepsDirect && left)
      first = *left;
    else
      a = materialize(op.getLhs()), first = bufferOperand(*this, *a);
    if (keepsDirect && right)
      second = *right;
    else
      b = materialize(op.getRhs()), second = bufferOperand(*this, *b);
    emitProducts(*this, spec, a ? &*a : nullptr, b ? &*b : nullptr, first, second, sum, batches, bytes);
  };
  // An operand that is in memory already is taken from there in both cases.
  for (Value operand : {op.getLhs(), op.getRhs()})
    if (!(operand == op.getLhs() ? left : right))
      materialize(operand);
  if (conditions.empty() || (!left && !right)) {
    fromBuffers(true);
  } else {
    auto outside = buffers; // what one way materializes is not there on the other
    emitChoice(allOf(conditions), [&] { fromBuffers(true); }, [&] { fromBuffers(false); });
    leaveRegion(outside);
  }
  if (narrowAcc)
    convertTile(*this, sum, place.data, count, *narrowAcc, true);
}

void addProductOps(OpTable &table) { table.add<tile::DotOp>(); }

} // namespace nereid::cpu
