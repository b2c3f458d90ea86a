// Forms.cpp: tiles of index arithmetic at one place of a nest: scalars and steps where they can be, vectors otherwise.
#include "cpu/Nest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::cpu {

Form Nest::evaluate(Value value, const Mapping &mapping) { return evaluate(value, mapping, !fast, guards); }

Form Nest::evaluate(Value value, const Mapping &mapping, bool isExact, Conditions &conditions) {
  if (!isTile(value.getType()))
    return Form::uniform(lowering.scalar(value), 0);
  FormKey key{value.getAsOpaquePointer(), mapping, isExact};
  for (Cache *cache : {&inside, &outside})
    if (auto it = cache->find(key); it != cache->end()) {
      conditions.append(it->second.second);
      return it->second.first;
    }
  Conditions own;
  Form form = compute(value, mapping, isExact, own);
  (form.level == kInBody ? inside : outside)[key] = {form, own};
  conditions.append(own);
  return form;
}

static Mapping withoutAxis(const Mapping &mapping, unsigned axis) {
  Mapping source = mapping;
  source.erase(source.begin() + axis);
  return source;
}

static Mapping throughTrans(const Mapping &mapping, tile::TransOp op) {
  Mapping source(mapping.size());
  for (auto [i, from] : llvm::enumerate(op.getOrder()))
    source[from] = mapping[i];
  return source;
}

static Mapping throughBroadcast(const Mapping &mapping, tile::BroadcastOp op) {
  Mapping source = mapping;
  auto from = tile::shapeOf(op.getSource().getType()), to = tile::shapeOf(op.getResult().getType());
  for (size_t d = 0; d < from.size(); ++d)
    if (from[d] == 1 && to[d] != 1)
      source[d] = -1;
  return source;
}

// A reshape that only adds or drops dimensions of one element.
static Mapping throughUnitReshape(const Mapping &mapping, tile::ReshapeOp op) {
  auto from = tile::shapeOf(op.getSource().getType()), to = tile::shapeOf(op.getResult().getType());
  Mapping source;
  size_t d = 0;
  for (int64_t extent : from) {
    while (d < to.size() && to[d] == 1)
      ++d;
    source.push_back(extent == 1 ? int8_t(-1) : mapping[d++]);
  }
  return source;
}

Form Nest::compute(Value value, const Mapping &mapping, bool isExact, Conditions &conditions) {
  if (auto it = members.find(value); it != members.end())
    return it->second;
  if (const Buffer *buffer = lowering.findBuffer(value))
    return readBuffer(*buffer, mapping, value.getType());
  Operation *op = value.getDefiningOp();
  if (!op)
    lowering.fail(lowering.kernel, "internal: a tile has no place");
  if (lowering.hasFailed()) // what could not be computed has no place either, and nobody will run this
    return Form::uniform(llvm::Constant::getNullValue(lowering.typeOf(value.getType())), 0);
  // Whoever needs the value goes on at its own line.
  auto restore = llvm::scope_exit(
      [&, before = lowering.builder.getCurrentDebugLocation()] { lowering.builder.SetCurrentDebugLocation(before); });
  lowering.setLocation(op->getLoc());
  if (auto load = dyn_cast<tile::LoadOp>(op)) { // of an earlier group, read again
    emitLoad(load);
    return members[value];
  }
  auto through = [&](Value source, const Mapping &to) { return evaluate(source, to, isExact, conditions); };
  return llvm::TypeSwitch<Operation *, Form>(op)
      .Case<arith::ConstantOp>(
          [&](auto op) { return Form::uniform(scalarConstant(lowering.context, op.getValue(), op.getType()), 0); })
      .Case<ub::PoisonOp>(
          [&](auto op) { return Form::uniform(llvm::Constant::getNullValue(lowering.typeOf(op.getType())), 0); })
      .Case<tile::SplatOp>([&](auto op) { return Form::uniform(lowering.scalar(op.getSource()), 0); })
      .Case<tile::ArangeOp>([&](tile::ArangeOp op) {
        if (mapping[0] < 0)
          return Form::uniform(builder.getInt32(op.getStart()), 0);
        int level = levelOf(mapping[0]);
        llvm::Value *base = atLevel(level, [&] {
          return builder.CreateAdd(builder.CreateTrunc(indices[mapping[0]], builder.getInt32Ty()),
                                   builder.getInt32(op.getStart()));
        });
        if (unsigned(mapping[0]) == vectorDim && lanes > 1)
          return Form::affine(base, builder.getInt32(1), level);
        return Form::uniform(base, level);
      })
      .Case<tile::ExpandDimsOp>([&](auto op) { return through(op.getSource(), withoutAxis(mapping, op.getAxis())); })
      .Case<tile::TransOp>([&](auto op) { return through(op.getSource(), throughTrans(mapping, op)); })
      .Case<tile::BroadcastOp>([&](auto op) { return through(op.getSource(), throughBroadcast(mapping, op)); })
      .Case<tile::ReshapeOp>([&](auto op) { return through(op.getSource(), throughUnitReshape(mapping, op)); })
      .Default([&](Operation *op) {
        if (op->hasTrait<tile::SameBits>())
          return through(op->getOperand(0), mapping);
        if (op->getNumResults() == 1 &&
            (isa<tile::AddPtrOp>(op) || mlir::getElementTypeOrSelf(op->getResult(0).getType()).isIntOrIndex()))
          return computeInteger(op, mapping, isExact, conditions);
        return computeGeneric(op, cast<OpResult>(value).getResultNumber(), mapping, isExact, conditions);
      });
}

Form Nest::computeGeneric(Operation *op, unsigned result, const Mapping &mapping, bool isExact,
                          Conditions &conditions) {
  if (auto select = dyn_cast<arith::SelectOp>(op); select && !isExact && mapping == identity()) {
    // First, for a load in there may bring the assumption.
    Form chosen = evaluate(select.getTrueValue(), mapping, isExact, conditions);
    if (auto it = assumed.find(select.getCondition()); it != assumed.end()) {
      conditions.append(it->second);
      return chosen;
    }
  }
  llvm::SmallVector<Form> forms;
  bool isUniform = true;
  int level = 0;
  for (Value operand : op->getOperands()) {
    forms.push_back(evaluate(operand, mapping, isExact, conditions));
    isUniform &= forms.back().isUniform();
    level = std::max(level, forms.back().level);
  }
  if (!isUniform)
    level = kInBody;
  llvm::Value *value = atLevel(level, [&]() -> llvm::Value * {
    llvm::SmallVector<llvm::Value *> operands, results;
    for (const Form &form : forms)
      operands.push_back(isUniform ? form.value : asVector(form));
    if (!lowering.emitElementwise(op, operands, results))
      return llvm::Constant::getNullValue(lowering.typeOf(op->getResult(result).getType()));
    return results[result];
  });
  return isUniform ? Form::uniform(value, level) : Form::vector(value);
}

Form Nest::add(const Form &lhs, const Form &rhs, bool isSubtraction) {
  int level = std::max(lhs.level, rhs.level);
  auto sum = [&](llvm::Value *a, llvm::Value *b) -> llvm::Value * {
    llvm::Value *zero = llvm::Constant::getNullValue(lhs.value->getType());
    return isSubtraction ? builder.CreateSub(a ? a : zero, b ? b : zero)
                         : builder.CreateAdd(a ? a : zero, b ? b : zero);
  };
  llvm::Value *stride = nullptr;
  llvm::Value *base = atLevel(level, [&] {
    if (lhs.isAffine() || rhs.isAffine())
      stride = sum(lhs.stride, rhs.stride);
    return sum(lhs.value, rhs.value);
  });
  return stride ? Form::affine(base, stride, level) : Form::uniform(base, level);
}

Form Nest::multiply(const Form &lhs, const Form &rhs) {
  const Form &affine = lhs.isAffine() ? lhs : rhs, &factor = lhs.isAffine() ? rhs : lhs;
  int level = std::max(lhs.level, rhs.level);
  llvm::Value *stride = nullptr;
  llvm::Value *base = atLevel(level, [&] {
    if (affine.isAffine())
      stride = builder.CreateMul(affine.stride, factor.value);
    return builder.CreateMul(affine.value, factor.value);
  });
  return stride ? Form::affine(base, stride, level) : Form::uniform(base, level);
}

std::pair<llvm::Value *, llvm::Value *> Nest::ends(const Form &form, bool isSigned, Conditions &conditions) {
  llvm::Type *wide = builder.getInt64Ty();
  auto extended = [&](llvm::Value *value, bool asSigned) {
    return asSigned ? builder.CreateSExt(value, wide) : builder.CreateZExt(value, wide);
  };
  llvm::Value *first = nullptr, *last = nullptr;
  atLevel(form.level, [&]() -> llvm::Value * {
    first = last = extended(form.value, isSigned);
    if (!form.isAffine())
      return first;
    bool isWide = form.value->getType()->isIntegerTy(64);
    llvm::Value *way = builder.CreateMul(extended(form.stride, true), builder.getInt64(lanes - 1));
    if (isWide) {
      auto *sum = builder.CreateBinaryIntrinsic(llvm::Intrinsic::sadd_with_overflow, first, way);
      last = builder.CreateExtractValue(sum, 0);
      conditions.push_back(builder.CreateNot(builder.CreateExtractValue(sum, 1)));
    } else {
      last = builder.CreateAdd(first, way);
    }
    return last;
  });
  return {first, last};
}

// A narrow index made wide: right while no lane wraps around in the narrow type.
Form Nest::extend(const Form &form, llvm::Type *to, bool isSigned, bool isExact, Conditions &conditions) {
  llvm::Type *from = form.value->getType()->getScalarType();
  if (from == to)
    return form;
  auto cast = [&](llvm::Value *value, llvm::Type *type) {
    return isSigned ? builder.CreateSExt(value, type) : builder.CreateZExt(value, type);
  };
  if (form.isUniform())
    return Form::uniform(atLevel(form.level, [&] { return cast(form.value, to); }), form.level);
  // A condition on what the body computes would come too late.
  if (form.isVector() || isExact || form.level == kInBody || from->getIntegerBitWidth() < 32)
    return Form::vector(cast(asVector(form), llvm::FixedVectorType::get(to, lanes)));
  auto [first, last] = ends(form, isSigned, conditions);
  llvm::Value *end = last;
  llvm::Value *base = atLevel(form.level, [&] {
    llvm::Value *inRange =
        isSigned ? builder.CreateICmpEQ(builder.CreateSExt(builder.CreateTrunc(end, from), end->getType()), end)
                 : builder.CreateICmpEQ(builder.CreateZExt(builder.CreateTrunc(end, from), end->getType()), end);
    if (!llvm::isa<llvm::ConstantInt>(inRange) || !llvm::cast<llvm::ConstantInt>(inRange)->isOne())
      conditions.push_back(inRange);
    return cast(form.value, to);
  });
  llvm::Value *stride = atLevel(form.level, [&] { return builder.CreateSExt(form.stride, to); });
  return Form::affine(base, stride, form.level);
}

// Quotient and remainder of neighbours by one divisor: while they do not pass a multiple of it, and do not wrap around, the quotient is
// one number and the remainder runs on.
Form Nest::divide(Operation *op, const Form &lhs, const Form &rhs, bool isExact, Conditions &conditions) {
  bool isSigned = isa<arith::DivSIOp, arith::RemSIOp>(op), isRemainder = isa<arith::RemSIOp, arith::RemUIOp>(op);
  auto *divisor = llvm::dyn_cast<llvm::ConstantInt>(rhs.value);
  auto *step = llvm::dyn_cast<llvm::ConstantInt>(lhs.stride);
  int level = std::max(lhs.level, rhs.level);
  if (isExact || level == kInBody || !step || !step->isOne() || (divisor && divisor->getValue().ult(lanes)))
    return {};
  llvm::Value *result = atLevel(level, [&] {
    llvm::Type *type = lhs.value->getType();
    llvm::Value *zero = llvm::ConstantInt::get(type, 0), *one = llvm::ConstantInt::get(type, 1);
    // From 0 on, and so far from the largest number that no lane wraps around.
    unsigned bits = type->getIntegerBitWidth();
    llvm::APInt largest = isSigned ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits);
    llvm::Value *isInside = builder.CreateICmpULE(lhs.value, llvm::ConstantInt::get(type, largest - (lanes - 1)));
    llvm::Value *isPositive = isSigned ? builder.CreateICmpSGT(rhs.value, zero) : builder.CreateICmpNE(rhs.value, zero);
    llvm::Value *safe = builder.CreateSelect(builder.CreateICmpEQ(rhs.value, zero), one, rhs.value);
    llvm::Value *remainder = builder.CreateURem(lhs.value, safe);
    llvm::Value *room = builder.CreateSub(safe, remainder);
    conditions.push_back(builder.CreateAnd(isInside, isPositive));
    conditions.push_back(builder.CreateICmpUGE(room, llvm::ConstantInt::get(type, lanes)));
    return isRemainder ? remainder : builder.CreateUDiv(lhs.value, safe);
  });
  return isRemainder ? Form::affine(result, lhs.stride, level) : Form::uniform(result, level);
}

Form Nest::computeInteger(Operation *op, const Mapping &mapping, bool isExact, Conditions &conditions) {
  auto operand = [&](unsigned i) { return evaluate(op->getOperand(i), mapping, isExact, conditions); };
  if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, tile::AddPtrOp>(op)) {
    Form lhs = operand(0), rhs = operand(1);
    if (auto addptr = dyn_cast<tile::AddPtrOp>(op)) {
      auto pointee = cast<tile::PtrType>(getElementTypeOrSelf(addptr.getPtr().getType())).getPointee();
      rhs = extend(rhs, builder.getInt64Ty(), true, isExact, conditions);
      llvm::Value *size = builder.getInt64(elementBytes(pointee));
      rhs = rhs.isVector() ? Form::vector(builder.CreateMul(rhs.value, builder.CreateVectorSplat(lanes, size)))
                           : multiply(rhs, Form::uniform(size, 0));
    }
    bool isVector = lhs.isVector() || rhs.isVector();
    if (isa<arith::MulIOp>(op)) {
      if (!isVector && (lhs.isUniform() || rhs.isUniform()))
        return multiply(lhs, rhs);
      return Form::vector(builder.CreateMul(asVector(lhs), asVector(rhs)));
    }
    bool isSubtraction = isa<arith::SubIOp>(op);
    if (!isVector)
      return add(lhs, rhs, isSubtraction);
    return Form::vector(isSubtraction ? builder.CreateSub(asVector(lhs), asVector(rhs))
                                      : builder.CreateAdd(asVector(lhs), asVector(rhs)));
  }
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::IndexCastOp>(op) &&
      op->getOperand(0).getType() != op->getResult(0).getType()) {
    Form source = operand(0);
    llvm::Type *to = lowering.typeOf(op->getResult(0).getType());
    if (source.value->getType()->getScalarSizeInBits() < to->getIntegerBitWidth() && source.isAffine())
      return extend(source, to, !isa<arith::ExtUIOp>(op), isExact, conditions);
  }
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op)) {
    Form lhs = operand(0), rhs = operand(1);
    if (lhs.isAffine() && rhs.isUniform())
      if (Form form = divide(op, lhs, rhs, isExact, conditions); form.value)
        return form;
  }
  return computeGeneric(op, 0, mapping, isExact, conditions);
}

// ---- Masks.

bool Nest::assumeTrue(Value mask, const Mapping &mapping, Conditions &conditions) {
  Operation *op = mask.getDefiningOp();
  if (!isTile(mask.getType()) || !op || lowering.findBuffer(mask) || members.count(mask) || !lowering.isCheap(mask)) {
    if (isTile(mask.getType()))
      return false;
    conditions.push_back(lowering.scalar(mask));
    return true;
  }
  if (auto both = dyn_cast<arith::AndIOp>(op))
    return assumeTrue(both.getLhs(), mapping, conditions) && assumeTrue(both.getRhs(), mapping, conditions);
  if (auto view = dyn_cast<tile::ExpandDimsOp>(op))
    return assumeTrue(view.getSource(), withoutAxis(mapping, view.getAxis()), conditions);
  if (auto view = dyn_cast<tile::BroadcastOp>(op))
    return assumeTrue(view.getSource(), throughBroadcast(mapping, view), conditions);
  if (auto view = dyn_cast<tile::TransOp>(op))
    return assumeTrue(view.getSource(), throughTrans(mapping, view), conditions);
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare) {
    Form form = evaluate(mask, mapping, false, conditions);
    if (!form.isUniform() || form.level == kInBody)
      return false;
    conditions.push_back(form.value);
    return true;
  }
  Form lhs = evaluate(compare.getLhs(), mapping, false, conditions);
  Form rhs = evaluate(compare.getRhs(), mapping, false, conditions);
  if (lhs.level == kInBody || rhs.level == kInBody)
    return false;
  using P = arith::CmpIPredicate;
  P predicate = compare.getPredicate();
  int level = std::max(lhs.level, rhs.level);
  if (lhs.isUniform() && rhs.isUniform()) {
    conditions.push_back(evaluate(mask, mapping, false, conditions).value);
    return true;
  }
  bool isSigned = predicate == P::slt || predicate == P::sle || predicate == P::sgt || predicate == P::sge;
  if (predicate == P::eq || predicate == P::ne || (!isSigned && lhs.value->getType()->isIntegerTy(64)))
    return false;
  // Both sides are linear in the lane: a comparison that holds at both ends holds between them.
  auto [lhsFirst, lhsLast] = ends(lhs, isSigned, conditions);
  auto [rhsFirst, rhsLast] = ends(rhs, isSigned, conditions);
  llvm::Value *a = lhsFirst, *b = lhsLast, *c = rhsFirst, *d = rhsLast;
  llvm::CmpInst::Predicate wide = predicate == P::slt || predicate == P::ult   ? llvm::CmpInst::ICMP_SLT
                                  : predicate == P::sle || predicate == P::ule ? llvm::CmpInst::ICMP_SLE
                                  : predicate == P::sgt || predicate == P::ugt ? llvm::CmpInst::ICMP_SGT
                                                                               : llvm::CmpInst::ICMP_SGE;
  atLevel(level, [&]() -> llvm::Value * {
    conditions.push_back(builder.CreateICmp(wide, a, c));
    conditions.push_back(builder.CreateICmp(wide, b, d));
    auto inRange = [&](llvm::Value *last, llvm::Value *narrow) {
      if (narrow->getType()->isIntegerTy(64))
        return;
      llvm::Value *cut = builder.CreateTrunc(last, narrow->getType());
      llvm::Value *back =
          isSigned ? builder.CreateSExt(cut, last->getType()) : builder.CreateZExt(cut, last->getType());
      conditions.push_back(builder.CreateICmpEQ(back, last));
    };
    if (lhs.isAffine())
      inRange(b, lhs.value);
    if (rhs.isAffine())
      inRange(d, rhs.value);
    return nullptr;
  });
  return true;
}

} // namespace nereid::cpu
