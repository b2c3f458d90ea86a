#include "cpu/TileForm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace nereid::cpu {

bool TileForms::isUniform(const TileForm &form) const {
  return llvm::all_of(form.steps, [](llvm::Value *step) {
    auto *constant = llvm::dyn_cast<llvm::ConstantInt>(step);
    return constant && constant->isZero();
  });
}

std::pair<llvm::Value *, llvm::Value *> TileForms::range(const TileForm &form, ArrayRef<int64_t> shape) {
  llvm::Value *low = form.base, *high = form.base, *zero = builder.getInt64(0);
  for (size_t d = 0; d < shape.size(); ++d) {
    llvm::Value *way = builder.CreateMul(form.steps[d], builder.getInt64(shape[d] - 1));
    if (auto *constant = llvm::dyn_cast<llvm::ConstantInt>(way)) {
      llvm::Value *&end = constant->isNegative() ? low : high;
      end = builder.CreateAdd(end, way);
      continue;
    }
    low = builder.CreateAdd(low, builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, way, zero));
    high = builder.CreateAdd(high, builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, way, zero));
  }
  return {low, high};
}

// To 64 bits: right while no element leaves the narrow type.
TileForm TileForms::extend(const TileForm &form, ArrayRef<int64_t> shape, bool isSigned) {
  llvm::Type *narrow = form.base->getType(), *wide = builder.getInt64Ty();
  if (narrow == wide)
    return form;
  TileForm result;
  result.base = isSigned ? builder.CreateSExt(form.base, wide) : builder.CreateZExt(form.base, wide);
  for (llvm::Value *step : form.steps)
    result.steps.push_back(builder.CreateSExt(step, wide));
  if (isUniform(form))
    return result;
  unsigned bits = narrow->getIntegerBitWidth();
  auto [low, high] = range(result, shape);
  conditions.push_back(builder.CreateICmpSGE(low, builder.getInt64(isSigned ? -(int64_t(1) << (bits - 1)) : 0)));
  conditions.push_back(builder.CreateICmpSLE(
      high, builder.getInt64(isSigned ? (int64_t(1) << (bits - 1)) - 1 : (int64_t(1) << bits) - 1)));
  return result;
}

std::optional<TileForm> TileForms::evaluateSum(Operation *op) {
  auto lhs = evaluate(op->getOperand(0)), rhs = evaluate(op->getOperand(1));
  if (!lhs || !rhs)
    return std::nullopt;
  if (isa<arith::MulIOp>(op)) {
    if (!isUniform(*lhs) && !isUniform(*rhs))
      return std::nullopt;
    const TileForm &form = isUniform(*lhs) ? *rhs : *lhs, &factor = isUniform(*lhs) ? *lhs : *rhs;
    TileForm result{builder.CreateMul(form.base, factor.base), {}};
    for (llvm::Value *step : form.steps)
      result.steps.push_back(builder.CreateMul(step, factor.base));
    return result;
  }
  bool isSubtraction = isa<arith::SubIOp>(op);
  auto combine = [&](llvm::Value *a, llvm::Value *b) {
    return isSubtraction ? builder.CreateSub(a, b) : builder.CreateAdd(a, b);
  };
  TileForm result{combine(lhs->base, rhs->base), {}};
  for (size_t d = 0; d < lhs->steps.size(); ++d)
    result.steps.push_back(combine(lhs->steps[d], rhs->steps[d]));
  return result;
}

// A remainder of neighbours that do not pass a multiple of the divisor.
std::optional<TileForm> TileForms::evaluateRemainder(Operation *op) {
  auto lhs = evaluate(op->getOperand(0)), rhs = evaluate(op->getOperand(1));
  if (!lhs || !rhs || !isUniform(*rhs))
    return std::nullopt;
  auto shape = tile::shapeOf(op->getResult(0).getType());
  TileForm wide = extend(*lhs, shape, true), divisor = extend(*rhs, shape, true);
  auto [low, high] = range(wide, shape);
  llvm::Value *zero = builder.getInt64(0);
  llvm::Value *safe =
      builder.CreateSelect(builder.CreateICmpSGT(divisor.base, zero), divisor.base, builder.getInt64(1));
  conditions.push_back(builder.CreateICmpSGE(low, zero));
  conditions.push_back(builder.CreateICmpSGT(divisor.base, zero));
  llvm::Value *quotient = builder.CreateUDiv(low, safe);
  conditions.push_back(builder.CreateICmpEQ(quotient, builder.CreateUDiv(high, safe)));
  TileForm result = *lhs;
  result.base =
      builder.CreateTrunc(builder.CreateSub(wide.base, builder.CreateMul(quotient, safe)), lhs->base->getType());
  return result;
}

std::optional<TileForm> TileForms::evaluatePointer(tile::AddPtrOp op) {
  auto pointer = evaluate(op.getPtr()), offset = evaluate(op.getOffset());
  if (!pointer || !offset)
    return std::nullopt;
  auto shape = tile::shapeOf(op.getResult().getType());
  TileForm wide = extend(*offset, shape, true);
  auto pointee = cast<tile::PtrType>(getElementTypeOrSelf(op.getPtr().getType())).getPointee();
  TileForm result{
      builder.CreateAdd(pointer->base, builder.CreateMul(wide.base, builder.getInt64(elementBytes(pointee)))), {}};
  for (size_t d = 0; d < shape.size(); ++d)
    result.steps.push_back(builder.CreateAdd(pointer->steps[d], wide.steps[d]));
  return result;
}

std::optional<TileForm> TileForms::evaluate(Value value) {
  auto shape = tile::shapeOf(value.getType());
  Operation *op = value.getDefiningOp();
  if (!op || !isTile(value.getType()) || lowering.findBuffer(value))
    return std::nullopt;
  llvm::Type *type = lowering.typeOf(value.getType());
  auto uniform = [&](llvm::Value *base) {
    return TileForm{base, llvm::SmallVector<llvm::Value *, 4>(shape.size(), llvm::Constant::getNullValue(type))};
  };
  auto constant = dyn_cast<arith::ConstantOp>(op);
  if (constant && cast<DenseElementsAttr>(constant.getValue()).isSplat())
    return uniform(scalarConstant(lowering.context, constant.getValue(), constant.getType()));
  if (auto splat = dyn_cast<tile::SplatOp>(op))
    return uniform(lowering.scalar(splat.getSource()));
  if (auto arange = dyn_cast<tile::ArangeOp>(op))
    return TileForm{builder.getInt32(arange.getStart()), {builder.getInt32(1)}};
  if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return evaluateSum(op);
  if (isa<arith::RemSIOp>(op))
    return evaluateRemainder(op);
  if (auto add = dyn_cast<tile::AddPtrOp>(op))
    return evaluatePointer(add);
  if (op->getNumOperands() != 1 ||
      !isa<tile::HintOp, tile::ExpandDimsOp, tile::BroadcastOp, tile::TransOp, arith::ExtSIOp, arith::ExtUIOp>(op))
    return std::nullopt;
  auto source = evaluate(op->getOperand(0));
  if (!source)
    return std::nullopt;
  if (isa<tile::HintOp>(op))
    return source;
  if (isa<arith::ExtSIOp, arith::ExtUIOp>(op)) {
    if (type != builder.getInt64Ty() || source->base->getType()->getIntegerBitWidth() != 32)
      return std::nullopt;
    return extend(*source, shape, isa<arith::ExtSIOp>(op));
  }
  TileForm result{source->base, {}};
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
    result.steps = source->steps;
    result.steps.insert(result.steps.begin() + expand.getAxis(),
                        llvm::Constant::getNullValue(source->steps.empty() ? type : source->steps[0]->getType()));
  } else if (auto trans = dyn_cast<tile::TransOp>(op)) {
    for (int32_t d : trans.getOrder())
      result.steps.push_back(source->steps[d]);
  } else {
    auto from = tile::shapeOf(op->getOperand(0).getType());
    for (size_t d = 0; d < shape.size(); ++d)
      result.steps.push_back(from[d] == 1 ? llvm::Constant::getNullValue(source->steps[d]->getType())
                                          : source->steps[d]);
  }
  return result;
}

bool TileForms::assumeTrue(Value mask) {
  if (!isTile(mask.getType())) {
    conditions.push_back(lowering.scalar(mask));
    return true;
  }
  Operation *op = mask.getDefiningOp();
  if (!op || lowering.findBuffer(mask))
    return false;
  if (isa<arith::AndIOp>(op))
    return assumeTrue(op->getOperand(0)) && assumeTrue(op->getOperand(1));
  if (isa<tile::ExpandDimsOp, tile::BroadcastOp, tile::TransOp>(op))
    return assumeTrue(op->getOperand(0));
  if (auto splat = dyn_cast<tile::SplatOp>(op))
    return assumeTrue(splat.getSource());
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto dense = cast<DenseElementsAttr>(constant.getValue());
    return dense.isSplat() && dense.getSplatValue<bool>();
  }
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare)
    return false;
  auto lhs = evaluate(compare.getLhs()), rhs = evaluate(compare.getRhs());
  using P = arith::CmpIPredicate;
  P predicate = compare.getPredicate();
  bool isLess = predicate == P::slt || predicate == P::sle, isGreater = predicate == P::sgt || predicate == P::sge;
  if (!lhs || !rhs || (!isLess && !isGreater))
    return false;
  auto shape = tile::shapeOf(compare.getLhs().getType());
  TileForm a = extend(*lhs, shape, true), b = extend(*rhs, shape, true);
  TileForm difference{isLess ? builder.CreateSub(b.base, a.base) : builder.CreateSub(a.base, b.base), {}};
  for (size_t d = 0; d < shape.size(); ++d)
    difference.steps.push_back(isLess ? builder.CreateSub(b.steps[d], a.steps[d])
                                      : builder.CreateSub(a.steps[d], b.steps[d]));
  llvm::Value *low = range(difference, shape).first;
  bool isStrict = predicate == P::slt || predicate == P::sgt;
  conditions.push_back(builder.CreateICmpSGE(low, builder.getInt64(isStrict ? 1 : 0)));
  return true;
}

} // namespace nereid::cpu
