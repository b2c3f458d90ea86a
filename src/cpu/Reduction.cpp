// Reduction.cpp: along the lanes, partial results stay in registers: a whole vector of them where the order is free,
// else one scalar that each block is combined into. Across the lanes they live in the result's buffer.
//
// The largest and the smallest float are found on integers that have the order of the floats: one instruction of one
// cycle a block, where the float form with its rules for NaN and -0 is a chain of five.
#include "cpu/Reduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::cpu {

bool isCommutative(mlir::Block &block) {
  if (block.getNumArguments() != 2 || block.getOperations().size() != 2)
    return false;
  Operation &op = block.front();
  bool takesBoth =
      op.getNumOperands() == 2 && op.getOperand(0) != op.getOperand(1) &&
      llvm::all_of(op.getOperands(), [&](Value v) { return v.getParentBlock() == &block && isa<BlockArgument>(v); });
  return takesBoth && op.getNumResults() == 1 && block.getTerminator()->getOperand(0) == op.getResult(0) &&
         isa<arith::AddFOp, arith::AddIOp, arith::MulFOp, arith::MulIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp,
             arith::MaxNumFOp, arith::MinNumFOp, arith::MaximumFOp, arith::MinimumFOp, arith::MaxSIOp, arith::MinSIOp,
             arith::MaxUIOp, arith::MinUIOp>(op);
}

bool isLanewise(mlir::Block &block) {
  return llvm::all_of(block, [](Operation &op) {
    return isElementwise(&op) || isa<tile::HintOp>(op) || op.hasTrait<OpTrait::IsTerminator>();
  });
}

tile::ReshapeOp stripsOf(tile::ReduceOp op, const Target &target) {
  if (op.getSources().size() != 1 || !isCommutative(op.getCombine().front()))
    return {};
  auto reshape = op.getSources().front().getDefiningOp<tile::ReshapeOp>();
  // Side by side, so that no nest ends between the two.
  if (!reshape || !reshape->hasOneUse() || reshape->getNextNode() != op)
    return {};
  auto row = tile::shapeOf(reshape.getSource().getType()), strips = tile::shapeOf(reshape.getResult().getType());
  Type type = getElementTypeOrSelf(reshape.getType());
  bool isKnown = type.isF32() || type.isF64() || type.isInteger(32) || type.isInteger(64);
  if (!isKnown || row.empty() || strips.size() != row.size() + 1 || op.getAxis() + 1 != row.size() ||
      row.drop_back() != strips.drop_back(2))
    return {};
  // Blocks of lanes have two registers or more of 32-bit elements.
  int64_t lanes = strips.back();
  bool fits = lanes > 1 && llvm::isPowerOf2_64(row.back()) && lanes < row.back() && lanes <= 2 * target.lanes(32);
  return fits ? reshape : tile::ReshapeOp();
}

static bool isExtreme(Operation &op) {
  return isa<arith::MaxNumFOp, arith::MinNumFOp, arith::MaximumFOp, arith::MinimumFOp>(op);
}

Reduction::Reduction(Lowering &lowering, Nest &nest, tile::ReduceOp op)
    : lowering(lowering), nest(nest), builder(lowering.builder), op(op), strips(stripsOf(op, lowering.target)),
      axis(op.getAxis()), commutes(isCommutative(op.getCombine().front())) {
  Type type = getElementTypeOrSelf(op.getSources().front().getType());
  usesKeys = commutes && isAlongLanes() && isExtreme(op.getCombine().front().front()) &&
             (type.isF32() || type.isF64() || type.isF16() || type.isBF16());
}

// Floats as integers of the same order. A NaN is what loses always (maxnum, minnum) or wins always (maximum, minimum).
llvm::Value *Reduction::toKey(llvm::Value *value) {
  unsigned bits = value->getType()->getScalarSizeInBits();
  llvm::Type *type = builder.getIntNTy(bits);
  if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType()))
    type = llvm::FixedVectorType::get(type, vector->getNumElements());
  auto number = [&](const llvm::APInt &n) { return llvm::ConstantInt::get(type, n); };
  llvm::Value *word = builder.CreateBitCast(value, type), *most = number(llvm::APInt::getSignedMaxValue(bits));
  llvm::Value *sign = builder.CreateAShr(word, number(llvm::APInt(bits, bits - 1)));
  llvm::Value *key = builder.CreateXor(word, builder.CreateAnd(sign, most));
  llvm::Value *isNaN = nullptr;
  if (value->getType()->getScalarType()->isFloatingPointTy()) {
    isNaN = builder.CreateFCmpUNO(value, value);
  } else {
    llvm::APInt infinity(bits, getElementTypeOrSelf(op.getSources().front().getType()).isF16() ? 0x7c00 : 0x7f80);
    isNaN = builder.CreateICmpUGT(builder.CreateAnd(word, most), number(infinity));
  }
  Operation &kind = op.getCombine().front().front();
  bool isLow = isa<arith::MaxNumFOp, arith::MinimumFOp>(kind);
  return builder.CreateSelect(
      isNaN, number(isLow ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getSignedMaxValue(bits)), key);
}

llvm::Value *Reduction::fromKey(llvm::Value *key) {
  unsigned bits = key->getType()->getScalarSizeInBits();
  auto number = [&](const llvm::APInt &n) { return llvm::ConstantInt::get(key->getType(), n); };
  llvm::Value *sign = builder.CreateAShr(key, number(llvm::APInt(bits, bits - 1)));
  llvm::Value *word = builder.CreateXor(key, builder.CreateAnd(sign, number(llvm::APInt::getSignedMaxValue(bits))));
  // The marks of NaN are themselves NaNs, read as floats.
  llvm::Type *type = lowering.typeOf(op.getResult(0).getType());
  if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(word->getType()))
    type = llvm::FixedVectorType::get(type, vector->getNumElements());
  return builder.CreateBitCast(word, type);
}

// What changes nothing when it is combined with anything, as the bits of the register type.
static llvm::Constant *identityOf(Operation &op, llvm::Type *type) {
  if (type->isFloatingPointTy()) {
    auto number = [&](double value) { return llvm::ConstantFP::get(type, value); };
    return llvm::TypeSwitch<Operation *, llvm::Constant *>(&op)
        .Case<arith::AddFOp>([&](auto) { return number(-0.0); })
        .Case<arith::MulFOp>([&](auto) { return number(1.0); })
        .Case<arith::MaximumFOp>([&](auto) { return llvm::ConstantFP::getInfinity(type, true); })
        .Case<arith::MinimumFOp>([&](auto) { return llvm::ConstantFP::getInfinity(type, false); })
        .Default([&](auto) { return llvm::ConstantFP::getNaN(type); }); // maxnum, minnum: ignore it
  }
  unsigned bits = type->getIntegerBitWidth();
  auto integer = [&](llvm::APInt value) -> llvm::Constant * { return llvm::ConstantInt::get(type, value); };
  return llvm::TypeSwitch<Operation *, llvm::Constant *>(&op)
      .Case<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(
          [&](auto) { return integer(llvm::APInt::getZero(bits)); })
      .Case<arith::MulIOp>([&](auto) { return integer(llvm::APInt(bits, 1)); })
      .Case<arith::AndIOp, arith::MinUIOp>([&](auto) { return integer(llvm::APInt::getAllOnes(bits)); })
      .Case<arith::MaxSIOp>([&](auto) { return integer(llvm::APInt::getSignedMinValue(bits)); })
      .Case<arith::MinSIOp>([&](auto) { return integer(llvm::APInt::getSignedMaxValue(bits)); })
      .Default([](auto) { return nullptr; });
}

Mapping Reduction::resultMapping() const {
  Mapping mapping = nest.identity();
  mapping.erase(mapping.begin() + axis);
  return mapping;
}

void Reduction::prepare() {
  mlir::Block &combine = op.getCombine().front();
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    Type type = result.getType();
    llvm::Type *scalar = lowering.typeOf(type);
    if (usesKeys)
      scalar = builder.getIntNTy(scalar->getScalarSizeInBits());
    if (isTile(type)) {
      results.push_back(lowering.allocate(type, result));
      lowering.giveBuffer(result, results.back());
    }
    if (!isAlongLanes())
      continue;
    bool isVector = commutes && nest.laneCount() > 1;
    llvm::Type *kept = isVector ? llvm::FixedVectorType::get(scalar, nest.laneCount()) : scalar;
    partial.push_back(lowering.stackSlot(kept, "partial"));
    llvm::Constant *identity = commutes ? identityOf(combine.front(), scalar) : nullptr;
    // Narrow floats are bits: their reductions start with the first block, as user functions do.
    if (usesKeys) {
      unsigned bits = scalar->getIntegerBitWidth();
      bool isMax = isa<arith::MaxNumFOp, arith::MaximumFOp>(combine.front());
      identity = llvm::ConstantInt::get(scalar, isMax ? llvm::APInt::getSignedMinValue(bits)
                                                      : llvm::APInt::getSignedMaxValue(bits));
    } else if (!identity || narrowFloatOf(type))
      identity = llvm::Constant::getNullValue(scalar);
    llvm::BasicBlock *before = nest.beforeLanes();
    llvm::IRBuilderBase::InsertPointGuard guard(builder);
    if (before->getTerminator())
      builder.SetInsertPoint(before->getTerminator());
    else
      builder.SetInsertPoint(before);
    builder.CreateStore(
        isVector ? llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(nest.laneCount()), identity) : identity,
        partial.back());
  }
}

llvm::SmallVector<llvm::Value *> Reduction::combine(llvm::ArrayRef<llvm::Value *> left,
                                                    llvm::ArrayRef<llvm::Value *> right) {
  if (usesKeys) {
    bool isMax = isa<arith::MaxNumFOp, arith::MaximumFOp>(op.getCombine().front().front());
    return {builder.CreateBinaryIntrinsic(isMax ? llvm::Intrinsic::smax : llvm::Intrinsic::smin, left[0], right[0])};
  }
  llvm::SmallVector<llvm::Value *> arguments(left), combined;
  arguments.append(right.begin(), right.end());
  if (!lowering.emitRegion(op.getCombine().front(), arguments, combined))
    lowering.fail(op, "the function of this reduction is not supported on the CPU");
  return combined;
}

llvm::SmallVector<llvm::Value *> Reduction::combineNeighbours(llvm::ArrayRef<llvm::Value *> vectors, unsigned left) {
  llvm::SmallVector<llvm::Value *> values(vectors);
  for (unsigned count = nest.laneCount(); count > left && !lowering.hasFailed(); count /= 2) {
    llvm::SmallVector<llvm::Value *> even, odd;
    llvm::SmallVector<int> evenLanes, oddLanes;
    for (unsigned i = 0; i < count; i += 2)
      evenLanes.push_back(int(i)), oddLanes.push_back(int(i) + 1);
    // Where the order is free, halves are cheaper to take than every second lane.
    if (commutes)
      for (unsigned i = 0; i < count / 2; ++i)
        evenLanes[i] = int(i), oddLanes[i] = int(i + count / 2);
    for (llvm::Value *value : values) {
      even.push_back(builder.CreateShuffleVector(value, evenLanes));
      odd.push_back(builder.CreateShuffleVector(value, oddLanes));
    }
    values = combine(even, odd);
  }
  if (nest.laneCount() > 1 && left == 1)
    for (llvm::Value *&value : values)
      value = builder.CreateExtractElement(value, uint64_t(0));
  return values;
}

void Reduction::accumulate() {
  llvm::SmallVector<llvm::Value *> values;
  for (Value source : strips ? strips->getOperands() : op.getSources())
    values.push_back(nest.vectorOf(source));
  if (usesKeys)
    values[0] = toKey(values[0]);
  if (isAlongLanes())
    accumulateAlongLanes(values);
  else
    accumulateAcross(values);
}

void Reduction::accumulateAlongLanes(llvm::ArrayRef<llvm::Value *> values) {
  llvm::SmallVector<llvm::Value *> now(values);
  if (!commutes)
    now = combineNeighbours(values, 1);
  if (lowering.hasFailed())
    return;
  llvm::SmallVector<llvm::Value *> before;
  for (llvm::AllocaInst *slot : partial)
    before.push_back(builder.CreateLoad(slot->getAllocatedType(), slot));
  llvm::SmallVector<llvm::Value *> after = combine(before, now);
  if (lowering.hasFailed())
    return;
  bool hasIdentity = commutes && (usesKeys || !narrowFloatOf(op.getSources().front().getType()));
  llvm::Value *index = nest.index(nest.vectorDimension());
  llvm::Value *isFirst = builder.CreateICmpEQ(index, builder.getInt64(0));
  for (size_t i = 0; i < partial.size(); ++i)
    builder.CreateStore(hasIdentity ? after[i] : builder.CreateSelect(isFirst, now[i], after[i]), partial[i]);
}

void Reduction::accumulateAcross(llvm::ArrayRef<llvm::Value *> values) {
  Mapping mapping = resultMapping();
  llvm::SmallVector<llvm::Value *> before;
  for (auto [buffer, result] : llvm::zip(results, op.getResults()))
    before.push_back(nest.asVector(nest.readBuffer(buffer, mapping, result.getType())));
  llvm::SmallVector<llvm::Value *> after = combine(before, values);
  if (lowering.hasFailed())
    return;
  llvm::Value *isFirst = builder.CreateICmpEQ(nest.index(axis), builder.getInt64(0));
  for (size_t i = 0; i < results.size(); ++i) {
    llvm::Value *value = builder.CreateSelect(isFirst, values[i], after[i]);
    Form form = nest.laneCount() == 1 ? Form::uniform(value, kInBody) : Form::vector(value);
    nest.writeBuffer(results[i], mapping, form, op.getResult(i).getType());
  }
}

void Reduction::finish() {
  if (!isAlongLanes())
    return;
  llvm::SmallVector<llvm::Value *> values;
  for (llvm::AllocaInst *slot : partial)
    values.push_back(builder.CreateLoad(slot->getAllocatedType(), slot));
  if (commutes)
    values = combineNeighbours(values, strips ? unsigned(tile::shapeOf(strips.getType()).back()) : 1);
  if (lowering.hasFailed())
    return;
  if (usesKeys)
    values[0] = fromKey(values[0]);
  for (unsigned i = 0; i < values.size(); ++i)
    storeResult(i, values[i]);
}

void Reduction::storeResult(unsigned i, llvm::Value *value) {
  Value result = op.getResult(i);
  if (!isTile(result.getType()))
    return lowering.setScalar(result, value);
  llvm::SmallVector<llvm::Value *> index;
  for (unsigned d = 0; d < nest.extents().size(); ++d)
    if (d != axis)
      index.push_back(nest.index(d));
  if (!strips)
    return lowering.storeElement(results[i], index, value, result.getType());
  index.push_back(builder.getInt64(0));
  builder.CreateAlignedStore(value, lowering.elementPointer(results[i], index, result.getType()),
                             llvm::Align(elementBytes(result.getType())));
}

} // namespace nereid::cpu
