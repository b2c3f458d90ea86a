// Elementwise.cpp: arith and math on registers: scalars, or vectors of equal length. f16 and bf16 are LLVM's own types
// here; the fp8 formats are bytes that hold their bits.
#include "gpu/lower/Lowering.h"
#include "gpu/lower/Math.h"

#include "codegen/Arithmetic.h"
#include "codegen/Lanes.h"
#include "gpu/lower/FewBits.h"
#include "gpu/lower/FloatCast.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;

namespace nereid::gpu {

namespace {

using codegen::Operands;
using codegen::withLanes;

// A rest that nobody asks the quotient for.
bool standsAlone(arith::RemSIOp rest) {
  return llvm::none_of(rest.getLhs().getUsers(), [&](Operation *user) {
    return isa<arith::DivSIOp>(user) && user->getOperands() == rest->getOperands();
  });
}

class Emitter {
public:
  Emitter(Lowering &lowering, Operation *op, Operands operands)
      : lowering(lowering), b(lowering.builder), op(op), operands(operands) {}

  bool run(Values &results) {
    if (llvm::Value *value = emitSpecial(results))
      results.push_back(value);
    return !results.empty() || emitByName(results);
  }

private:
  llvm::Type *resultType(unsigned i = 0) {
    llvm::Type *element = lowering.elementType(op->getResult(i).getType());
    return operands.empty() ? element : withLanes(element, operands[0]);
  }
  llvm::Value *wide(unsigned i) { return widenFloat(lowering, operands[i], op->getOperand(i).getType()); }
  llvm::Value *back(llvm::Value *value, unsigned i = 0) {
    return narrowFloat(lowering, value, op->getResult(i).getType(), false);
  }

  llvm::Value *emitSpecial(Values &results);
  llvm::Value *emitRest(arith::RemSIOp rest);
  llvm::Value *emitAddress(tile::AddPtrOp add);
  llvm::Value *emitToInteger();
  llvm::Value *emitFromInteger();
  llvm::Value *emitBitcast();
  void emitHighProduct(Values &results);
  bool emitByName(Values &results);

  Lowering &lowering;
  llvm::IRBuilder<> &b;
  Operation *op;
  Operands operands;
};

llvm::Value *Emitter::emitAddress(tile::AddPtrOp add) {
  Type pointee = cast<tile::PtrType>(getElementTypeOrSelf(add.getPtr().getType())).getPointee();
  llvm::Type *unit = isa<tile::PtrType>(pointee) ? b.getInt64Ty() : lowering.elementType(pointee);
  if (unit->isIntegerTy(1))
    unit = b.getInt8Ty();
  return b.CreateGEP(unit, operands[0], operands[1]);
}

// What codegen::emitToInteger asks for. No number becomes 0, which the instruction sees to but for doubles and 64 bits.
static llvm::Value *toInteger(Lowering &lowering, llvm::Value *value, unsigned bits, bool isSigned) {
  llvm::IRBuilder<> &b = lowering.builder;
  llvm::Value *number = lowering.instructions.cutToInteger(value, bits, isSigned);
  if (!value->getType()->isDoubleTy() && bits < 64)
    return number;
  return b.CreateSelect(b.CreateFCmpUNO(value, value), llvm::ConstantInt::get(number->getType(), 0), number);
}

// Four bytes of a register: two at once are made narrow and put behind two others.
static llvm::Value *toBytes(Lowering &lowering, llvm::Value *vector, bool isSigned) {
  llvm::IRBuilder<> &b = lowering.builder;
  Values lanes = lowering.unpack(vector), words;
  for (unsigned i = 0; i < lanes.size(); i += 4) {
    llvm::Value *word = b.getInt32(0);
    for (unsigned pair : {2u, 0u}) {
      llvm::Value *low = toInteger(lowering, lanes[i + pair], 32, true),
                  *high = toInteger(lowering, lanes[i + pair + 1], 32, true);
      word = lowering.instructions.packBytes(high, low, word, isSigned);
    }
    words.push_back(word);
  }
  return b.CreateBitCast(lowering.pack(words), llvm::FixedVectorType::get(b.getInt8Ty(), lanes.size()));
}

llvm::Value *Emitter::emitToInteger() {
  bool isSigned = isa<arith::FPToSIOp>(op);
  llvm::Value *value = wide(0);
  unsigned bits = resultType()->getScalarSizeInBits();
  if (bits < 8)
    return codegen::emitToInteger(b, value, resultType(), isSigned);
  if (value->getType()->getScalarSizeInBits() < 32)
    value = b.CreateFPExt(value, codegen::withLanes(b.getFloatTy(), value));
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  if (bits == 8 && vector && vector->getNumElements() % 4 == 0 && value->getType()->getScalarType()->isFloatTy())
    return toBytes(lowering, value, isSigned);
  return codegen::mapLanes(b, {value},
                           [&](codegen::Operands lane) { return toInteger(lowering, lane[0], bits, isSigned); });
}

llvm::Value *Emitter::emitFromInteger() {
  bool isSigned = isa<arith::SIToFPOp>(op);
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  auto convert = [&](llvm::Type *type) {
    if (!type->isDoubleTy())
      if (llvm::Value *small = fromSmall(b, operands[0], isSigned, type))
        return small;
    type = withLanes(type, operands[0]);
    return isSigned ? b.CreateSIToFP(operands[0], type) : b.CreateUIToFP(operands[0], type);
  };
  if (to.isF32() || to.isF64() || to.isF16() || (to.isBF16() && lowering.options.target.hasBf16Casts))
    return convert(lowering.elementType(to));
  if (to.isBF16())
    if (llvm::Value *small = fromSmall(b, operands[0], isSigned, b.getBFloatTy()))
      return small;
  // To other narrow floats through a type that holds the number, so that it is rounded once.
  bool isSmall =
      operands[0]->getType()->getScalarSizeInBits() <= 24 || bitsOf(b, operands[0], isSigned).value_or(32) <= 24;
  return back(convert(isSmall ? b.getFloatTy() : b.getDoubleTy()));
}

llvm::Value *Emitter::emitBitcast() {
  llvm::Type *to = resultType();
  return lowering.fromBits(lowering.toBits(operands[0]), to);
}

void Emitter::emitHighProduct(Values &results) {
  bool isSigned = isa<arith::MulSIExtendedOp>(op);
  unsigned bits = operands[0]->getType()->getScalarSizeInBits();
  llvm::Type *wideType = withLanes(b.getIntNTy(2 * bits), operands[0]), *type = operands[0]->getType();
  auto extended = [&](llvm::Value *v) { return isSigned ? b.CreateSExt(v, wideType) : b.CreateZExt(v, wideType); };
  llvm::Value *product = b.CreateMul(extended(operands[0]), extended(operands[1]));
  results.append({b.CreateTrunc(product, type),
                  b.CreateTrunc(b.CreateLShr(product, llvm::ConstantInt::get(wideType, bits)), type)});
}

llvm::Value *Emitter::emitSpecial(Values &results) {
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return b.CreateICmp(codegen::predicateOf(compare.getPredicate()), operands[0], operands[1]);
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return b.CreateFCmp(codegen::predicateOf(compare.getPredicate()), wide(0), wide(1));
  if (isa<arith::SelectOp>(op))
    return b.CreateSelect(operands[0], operands[1], operands[2]);
  if (isa<arith::BitcastOp>(op))
    return emitBitcast();
  if (isa<arith::ShRUIOp, arith::ShLIOp>(op))
    if (llvm::Value *shifted = shiftInWords(b, operands, isa<arith::ShLIOp>(op)))
      return shifted;
  if (auto add = dyn_cast<tile::AddPtrOp>(op))
    return emitAddress(add);
  if (isa<tile::HintOp, tile::PtrCastOp>(op))
    return operands[0];
  if (isa<tile::IntToPtrOp>(op))
    return b.CreateIntToPtr(operands[0], resultType());
  if (isa<tile::PtrToIntOp>(op))
    return b.CreatePtrToInt(operands[0], resultType());
  if (isa<arith::ExtFOp, arith::TruncFOp>(op)) {
    auto trunc = dyn_cast<arith::TruncFOp>(op);
    bool cut = trunc && trunc.getRoundingmode() == arith::RoundingMode::toward_zero;
    return narrowFloat(lowering, wide(0), op->getResult(0).getType(), cut);
  }
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op))
    return emitToInteger();
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op))
    return emitFromInteger();
  if (isa<arith::ExtSIOp>(op))
    return b.CreateSExt(operands[0], resultType());
  if (isa<arith::ExtUIOp>(op))
    return b.CreateZExt(operands[0], resultType());
  if (isa<arith::TruncIOp>(op))
    return b.CreateTrunc(operands[0], resultType());
  if (isa<arith::IndexCastOp>(op))
    return b.CreateSExtOrTrunc(operands[0], resultType());
  if (isa<arith::IndexCastUIOp>(op))
    return b.CreateZExtOrTrunc(operands[0], resultType());
  if (auto rest = dyn_cast<arith::RemSIOp>(op); rest && standsAlone(rest))
    return emitRest(rest);
  if (isa<arith::AddUIExtendedOp>(op)) {
    llvm::Value *sum = b.CreateAdd(operands[0], operands[1]);
    results.append({sum, b.CreateICmpULT(sum, operands[0])});
  } else if (isa<arith::MulSIExtendedOp, arith::MulUIExtendedOp>(op)) {
    emitHighProduct(results);
  }
  return nullptr;
}

// f16 and bf16 are added, subtracted and multiplied as they are; everything else is computed in f32.
bool staysNarrow(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp>(op) ||
         isa<math::AbsFOp>(op);
}

// As a difference, (a / m) % n of constants would compute (a / m) / n, and a rest by a number that is not known the quotient
// and its sign.
llvm::Value *Emitter::emitRest(arith::RemSIOp rest) {
  if (llvm::isa<llvm::Constant>(operands[1]) && !rest.getLhs().getDefiningOp<arith::DivSIOp>())
    return nullptr;
  return codegen::emitRestAlone(b, operands[0], operands[1]);
}

bool Emitter::emitByName(Values &results) {
  llvm::StringRef name = op->getName().getStringRef();
  bool isHalf = !operands.empty() && (operands[0]->getType()->getScalarType()->isHalfTy() ||
                                      operands[0]->getType()->getScalarType()->isBFloatTy());
  Values values;
  for (unsigned i = 0; i < operands.size(); ++i)
    values.push_back(isHalf && staysNarrow(op) ? operands[i] : wide(i));
  auto finish = [&](llvm::Value *value, unsigned i = 0) { results.push_back(back(value, i)); };
  if (isa<math::SincosOp>(op)) {
    for (unsigned i : {0u, 1u})
      finish(emitMathOp(lowering, i ? "math.cos" : "math.sin", values), i);
    return true;
  }
  if (auto call = dyn_cast<tile::ExternOp>(op)) {
    llvm::Value *value = emitDeviceFunction(lowering, call, values);
    if (value)
      finish(value);
    return value;
  }
  if (isa<math::FPowIOp>(op)) {
    values[1] = b.CreateSIToFP(values[1], values[0]->getType());
    name = "math.powf";
  }
  if (llvm::Value *value = emitMathOp(lowering, name, values)) {
    finish(value);
    return true;
  }
  if (llvm::Value *value = codegen::emitArithmetic(b, name, values)) {
    finish(value);
    return true;
  }
  lowering.fail(op, "`" + name.str() + "` is not supported on the GPU for this type");
  return false;
}

} // namespace

bool Lowering::emitElementwise(Operation *op, llvm::ArrayRef<llvm::Value *> operands, Values &results) {
  // a * b + c may be one instruction, as in Triton.
  llvm::FastMathFlags flags;
  flags.setAllowContract(options.choices.fusesFloats);
  llvm::IRBuilderBase::FastMathFlagGuard guard(builder);
  builder.setFastMathFlags(flags);
  return Emitter(*this, op, operands).run(results);
}

// Loops, branches, assertions and the user's assembly work on one element.
static bool worksByElement(Operation &op) { return op.getNumRegions() > 0 || op.hasTrait<tile::ByElement>(); }

static Values emitByElement(Lowering &lowering, Block &block, llvm::ArrayRef<llvm::Value *> arguments) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(arguments.front()->getType());
  unsigned count = vector ? vector->getNumElements() : 1;
  llvm::SmallVector<Values> results(block.getTerminator()->getNumOperands());
  for (unsigned i = 0; i < count; ++i) {
    for (auto [argument, value] : llvm::zip(block.getArguments(), arguments))
      lowering.set(argument, vector ? lowering.extract(value, i) : value);
    lowering.lowerBlock(block);
    for (auto [result, value] : llvm::zip(results, block.getTerminator()->getOperands()))
      result.push_back(lowering.get(value));
  }
  Values packed;
  for (const Values &result : results)
    packed.push_back(vector ? lowering.pack(result) : result.front());
  return packed;
}

template <> void Lowering::lower(arith::ConstantOp op);

Values Lowering::emitRegion(Block &block, llvm::ArrayRef<llvm::Value *> arguments) {
  if (llvm::any_of(block, worksByElement))
    return emitByElement(*this, block, arguments);
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(arguments.front()->getType());
  llvm::DenseMap<Value, llvm::Value *> local;
  for (auto [argument, value] : llvm::zip(block.getArguments(), arguments))
    local[argument] = value;
  auto read = [&](Value value) -> llvm::Value * {
    if (auto found = local.find(value); found != local.end())
      return found->second;
    llvm::Value *outside = get(value);
    return vector ? splat(outside, vector->getNumElements()) : outside;
  };
  for (Operation &op : block.without_terminator()) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      lower(constant);
      continue;
    }
    Values operands, results;
    for (Value operand : op.getOperands())
      operands.push_back(read(operand));
    if (hasFailed() || !emitElementwise(&op, operands, results)) {
      Values nothing;
      for (Value value : block.getTerminator()->getOperands())
        nothing.push_back(llvm::PoisonValue::get(codegen::withLanes(elementType(value.getType()), arguments.front())));
      return nothing;
    }
    for (auto [result, value] : llvm::zip(op.getResults(), results))
      local[result] = value;
  }
  Values results;
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(read(value));
  return results;
}

static llvm::Constant *constantOf(Lowering &lowering, Attribute value, llvm::Type *type) {
  if (auto number = dyn_cast<FloatAttr>(value)) {
    if (type->isIntegerTy()) // fp8: its bits
      return llvm::ConstantInt::get(lowering.context, number.getValue().bitcastToAPInt());
    return llvm::ConstantFP::get(lowering.context, number.getValue());
  }
  return llvm::ConstantInt::get(lowering.context,
                                cast<IntegerAttr>(value).getValue().sextOrTrunc(type->getIntegerBitWidth()));
}

template <> void Lowering::lower(arith::ConstantOp op) {
  llvm::Type *element = elementType(op.getType());
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!dense)
    return set(op, constantOf(*this, op.getValue(), element));
  LinearLayout layout = warp::layoutOf(op.getType());
  if (dense.isSplat())
    return set(op, llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(layout.registers()),
                                                  constantOf(*this, dense.getSplatValue<Attribute>(), element)));
  // A table in constant memory, read at each register's place.
  llvm::SmallVector<llvm::Constant *> entries;
  llvm::Type *stored = element->isIntegerTy(1) ? builder.getInt8Ty() : element;
  for (Attribute entry : dense.getValues<Attribute>())
    entries.push_back(element == stored ? constantOf(*this, entry, element)
                                        : builder.getInt8(cast<IntegerAttr>(entry).getValue().getBoolValue()));
  auto *table = llvm::ConstantArray::get(llvm::ArrayType::get(stored, entries.size()), entries);
  auto *global = new llvm::GlobalVariable(module, table->getType(), true, llvm::GlobalValue::InternalLinkage, table,
                                          "table", nullptr, llvm::GlobalValue::NotThreadLocal, kGlobal);
  Values elements;
  for (llvm::Value *index : unpack(points(layout))) {
    llvm::Value *loaded = builder.CreateLoad(stored, builder.CreateInBoundsGEP(stored, global, index));
    elements.push_back(element == stored ? loaded : builder.CreateICmpNE(loaded, builder.getInt8(0)));
  }
  set(op, pack(elements));
}

template <> void Lowering::lower(ub::PoisonOp op) { set(op, llvm::Constant::getNullValue(typeOf(op.getType()))); }

void addElementwiseOps(OpTable &table) { table.add<arith::ConstantOp, ub::PoisonOp>(); }

} // namespace nereid::gpu
