// Elementwise.cpp: arith and math on registers: scalars, or vectors of equal length. The meaning of every op is the
// interpreter's: what the hardware leaves open (shifts by the width, division by zero, floats that do not fit an
// integer) is defined there, and made here.
#include "codegen/Arithmetic.h"
#include "cpu/ArrayKernels.h"
#include "cpu/Lowering.h"

#include "interp/Libdevice.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/IR/IntrinsicInst.h"

using namespace mlir;

namespace nereid::cpu {

namespace {

using codegen::Operands;
using codegen::predicateOf;
using codegen::withLanes;

llvm::Value *number(llvm::Value *like, uint64_t value) { return llvm::ConstantInt::get(like->getType(), value, true); }
unsigned bitsOf(llvm::Value *value) { return value->getType()->getScalarSizeInBits(); }

bool isNormOfFour(llvm::StringRef name) { return name.contains("norm4d"); }

// One op on its way: its operands as the compute type (narrow floats widened), and back.
class Emitter {
public:
  Emitter(Lowering &lowering, Operation *op, Operands operands)
      : lowering(lowering), b(lowering.builder), op(op), operands(operands) {}

  bool run(llvm::SmallVectorImpl<llvm::Value *> &results) {
    if (llvm::Value *value = emitSpecial(results)) {
      results.push_back(value);
      return true;
    }
    return !results.empty() || emitByName(results);
  }

private:
  llvm::Value *wide(unsigned i) {
    auto type = narrowFloatOf(op->getOperand(i).getType());
    return type ? widen(b, lowering.target, operands[i], *type) : operands[i];
  }
  llvm::Value *back(llvm::Value *value, unsigned i = 0, bool cut = false) {
    auto type = narrowFloatOf(op->getResult(i).getType());
    return type ? narrow(b, lowering.target, value, *type, cut) : value;
  }

  llvm::Value *emitSpecial(llvm::SmallVectorImpl<llvm::Value *> &results);
  llvm::Value *emitFloatCast();
  llvm::Value *emitToInteger();
  llvm::Value *emitFromInteger();
  llvm::Value *emitBitcast();
  llvm::Value *roundToOdd(llvm::Value *value);
  bool emitByName(llvm::SmallVectorImpl<llvm::Value *> &results);
  bool emitDeviceCall(tile::ExternOp call, llvm::SmallVectorImpl<llvm::Value *> &results);
  bool emitHighProduct(llvm::SmallVectorImpl<llvm::Value *> &results);

  Lowering &lowering;
  llvm::IRBuilder<> &b;
  Operation *op;
  Operands operands;
};

// f64 to f32 so that a second rounding to a narrower float is as if there had been one: toward zero, with the last bit
// set where something was lost.
llvm::Value *Emitter::roundToOdd(llvm::Value *value) {
  llvm::Type *single = withLanes(b.getFloatTy(), value), *bits = withLanes(b.getInt32Ty(), value);
  llvm::Value *nearest = b.CreateFPTrunc(value, single), *again = b.CreateFPExt(nearest, value->getType());
  llvm::Value *magnitude = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
  llvm::Value *isAway = b.CreateFCmpOGT(b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, again), magnitude);
  llvm::Value *isLost = b.CreateFCmpONE(again, value);
  llvm::Value *word = b.CreateBitCast(nearest, bits);
  word = b.CreateSub(word, b.CreateZExt(isAway, bits));
  word = b.CreateOr(word, b.CreateZExt(isLost, bits));
  return b.CreateBitCast(word, single);
}

llvm::Value *Emitter::emitFloatCast() {
  llvm::Value *value = wide(0);
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  bool isDouble = value->getType()->getScalarType()->isDoubleTy();
  auto trunc = dyn_cast<arith::TruncFOp>(op);
  bool cut = trunc && trunc.getRoundingmode() == arith::RoundingMode::toward_zero;
  if (to.isF64())
    return isDouble ? value : b.CreateFPExt(value, withLanes(b.getDoubleTy(), value));
  if (!isDouble)
    return back(value, 0, cut);
  if (to.isF32() && !cut)
    return b.CreateFPTrunc(value, withLanes(b.getFloatTy(), value));
  if (!cut)
    return back(roundToOdd(value));
  // Toward zero: step back where rounding went away from it.
  llvm::Type *single = withLanes(b.getFloatTy(), value), *bits = withLanes(b.getInt32Ty(), value);
  llvm::Value *nearest = b.CreateFPTrunc(value, single);
  llvm::Value *isAway =
      b.CreateFCmpOGT(b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, b.CreateFPExt(nearest, value->getType())),
                      b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value));
  llvm::Value *word = b.CreateSub(b.CreateBitCast(nearest, bits), b.CreateZExt(isAway, bits));
  return back(b.CreateBitCast(word, single), 0, true);
}

llvm::Value *Emitter::emitToInteger() {
  llvm::Value *value = wide(0);
  llvm::Type *to = withLanes(lowering.typeOf(op->getResult(0).getType()), value);
  return codegen::emitToInteger(b, value, to, isa<arith::FPToSIOp>(op));
}

llvm::Value *Emitter::emitFromInteger() {
  bool isSigned = isa<arith::SIToFPOp>(op);
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  llvm::Value *value = operands[0];
  auto convert = [&](llvm::Value *from, llvm::Type *type) {
    type = withLanes(type, value);
    return isSigned ? b.CreateSIToFP(from, type) : b.CreateUIToFP(from, type);
  };
  if (to.isF32() || to.isF64())
    return convert(value, lowering.typeOf(to));
  if (bitsOf(value) <= 24)
    return back(convert(value, b.getFloatTy()));
  // To a narrow float with one rounding: cut to 40 bits with a sticky last one, which f64 holds exactly.
  if (bitsOf(value) == 64) {
    llvm::Value *magnitude = isSigned ? b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, value, b.getFalse()) : value;
    llvm::Value *low = b.CreateAnd(magnitude, number(value, (1 << 24) - 1));
    llvm::Value *high = b.CreateLShr(magnitude, number(value, 24));
    llvm::Value *sticky = b.CreateOr(high, b.CreateZExt(b.CreateICmpNE(low, number(value, 0)), value->getType()));
    llvm::Value *isLarge = b.CreateICmpNE(b.CreateLShr(magnitude, number(value, 40)), number(value, 0));
    llvm::Value *kept = b.CreateSelect(isLarge, sticky, magnitude);
    llvm::Type *wideFloat = withLanes(b.getDoubleTy(), value);
    llvm::Value *real = b.CreateUIToFP(kept, wideFloat);
    real = b.CreateSelect(isLarge, b.CreateFMul(real, llvm::ConstantFP::get(wideFloat, 16777216.0)), real);
    if (isSigned)
      real = b.CreateSelect(b.CreateICmpSLT(value, number(value, 0)), b.CreateFNeg(real), real);
    return back(roundToOdd(real));
  }
  return back(roundToOdd(convert(value, b.getDoubleTy())));
}

llvm::Value *Emitter::emitBitcast() {
  return b.CreateBitCast(operands[0], withLanes(lowering.typeOf(op->getResult(0).getType()), operands[0]));
}

llvm::Value *Emitter::emitSpecial(llvm::SmallVectorImpl<llvm::Value *> &results) {
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return b.CreateICmp(predicateOf(compare.getPredicate()), operands[0], operands[1]);
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return b.CreateFCmp(predicateOf(compare.getPredicate()), wide(0), wide(1));
  if (isa<arith::SelectOp>(op))
    return b.CreateSelect(operands[0], operands[1], operands[2]);
  if (isa<arith::BitcastOp>(op))
    return emitBitcast();
  if (op->hasTrait<tile::SameBits>())
    return operands[0];
  if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    return emitFloatCast();
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op))
    return emitToInteger();
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op))
    return emitFromInteger();
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
    llvm::Type *to = withLanes(lowering.typeOf(op->getResult(0).getType()), operands[0]);
    bool isSigned = !isa<arith::ExtUIOp, arith::IndexCastUIOp>(op);
    return isSigned ? b.CreateSExtOrTrunc(operands[0], to) : b.CreateZExtOrTrunc(operands[0], to);
  }
  if (auto addptr = dyn_cast<tile::AddPtrOp>(op)) {
    auto pointee = cast<tile::PtrType>(getElementTypeOrSelf(addptr.getPtr().getType())).getPointee();
    llvm::Value *offset = b.CreateSExtOrTrunc(operands[1], operands[0]->getType());
    return b.CreateAdd(operands[0], b.CreateMul(offset, number(operands[0], elementBytes(pointee))));
  }
  if (isa<arith::AddUIExtendedOp>(op)) {
    llvm::Value *sum = b.CreateAdd(operands[0], operands[1]);
    results.append({sum, b.CreateICmpULT(sum, operands[0])});
  } else if (isa<arith::MulSIExtendedOp, arith::MulUIExtendedOp>(op)) {
    emitHighProduct(results);
  }
  return nullptr;
}

bool Emitter::emitHighProduct(llvm::SmallVectorImpl<llvm::Value *> &results) {
  bool isSigned = isa<arith::MulSIExtendedOp>(op);
  unsigned bits = bitsOf(operands[0]);
  llvm::Type *wideType = withLanes(b.getIntNTy(2 * bits), operands[0]);
  auto extended = [&](llvm::Value *v) { return isSigned ? b.CreateSExt(v, wideType) : b.CreateZExt(v, wideType); };
  llvm::Value *product = b.CreateMul(extended(operands[0]), extended(operands[1]));
  llvm::Type *type = operands[0]->getType();
  results.append({b.CreateTrunc(product, type),
                  b.CreateTrunc(b.CreateLShr(product, llvm::ConstantInt::get(wideType, bits)), type)});
  return true;
}

// What the interpreter's array kernel computes, on the lanes of one vector.
bool emitKernelCall(Lowering &lowering, Operation *op, llvm::StringRef symbol, Operands operands,
                    llvm::Type *resultType, llvm::Value *&result) {
  llvm::IRBuilder<> &b = lowering.builder;
  auto *type = llvm::FunctionType::get(b.getVoidTy(),
                                       {b.getPtrTy(), b.getPtrTy(), b.getPtrTy(), b.getPtrTy(), b.getInt64Ty()}, false);
  llvm::FunctionCallee kernel = lowering.module.getOrInsertFunction(symbol, type);
  llvm::Value *arguments[4] = {lowering.stackSlot(resultType, "result"), b.getInt64(0), b.getInt64(0), b.getInt64(0)};
  unsigned lanes = 1;
  for (size_t i = 0; i < 3; ++i) {
    arguments[i + 1] = llvm::ConstantPointerNull::get(b.getPtrTy());
    if (i >= operands.size())
      continue;
    if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(operands[i]->getType()))
      lanes = vector->getNumElements();
    llvm::Value *slot = lowering.stackSlot(operands[i]->getType(), "operand");
    b.CreateStore(operands[i], slot);
    arguments[i + 1] = slot;
  }
  b.CreateCall(kernel, {arguments[0], arguments[1], arguments[2], arguments[3], b.getInt64(lanes)});
  result = b.CreateLoad(resultType, arguments[0]);
  return true;
}

// How the interpreter names a type in the signature of a device function.
interp::Element deviceElement(Type type) {
  type = getElementTypeOrSelf(type);
  if (type.isF32())
    return interp::Element::F32;
  if (type.isF64())
    return interp::Element::F64;
  return elementBytes(type) == 8                        ? interp::Element::I64
         : elementBytes(type) == 4 || type.isInteger(1) ? interp::Element::I32
                                                        : interp::Element::I8;
}

// Why a call of a device function cannot be made, or nothing.
std::string problemOf(tile::ExternOp call) {
  std::string name = call.getSymbol().str();
  if (isNormOfFour(name))
    name = name.back() == 'f' ? "__nv_norm3df" : "__nv_norm3d";
  const interp::DeviceFunction *function = interp::findDeviceFunction(name);
  if (!function)
    return "the device function `" + name + "` runs only on the GPU";
  size_t count = function->operands.size() + isNormOfFour(call.getSymbol());
  if (call.getOperands_().size() != count)
    return "`" + name + "` takes " + std::to_string(count) + " arguments, got " +
           std::to_string(call.getOperands_().size());
  for (auto [i, operand] : llvm::enumerate(call.getOperands_()))
    if (deviceElement(operand.getType()) != function->operands[std::min(i, function->operands.size() - 1)])
      return "argument " + std::to_string(i + 1) + " of `" + name + "` has another type";
  return deviceElement(call.getResult().getType()) == function->result
             ? ""
             : "the result of `" + name + "` has another type";
}

bool Emitter::emitDeviceCall(tile::ExternOp call, llvm::SmallVectorImpl<llvm::Value *> &results) {
  if (std::string problem = problemOf(call); !problem.empty()) {
    lowering.fail(op, problem);
    return false;
  }
  llvm::StringRef name = call.getSymbol();
  llvm::SmallVector<llvm::Value *> values;
  for (auto [i, value] : llvm::enumerate(operands)) // truth values count as 32-bit numbers
    values.push_back(bitsOf(value) == 1 ? b.CreateZExt(value, withLanes(b.getInt32Ty(), value)) : value);
  llvm::Type *type = lowering.typeOf(call.getResult().getType());
  llvm::Type *computed =
      withLanes(type->isIntegerTy(1) ? b.getInt32Ty() : type, values.empty() ? llvm::UndefValue::get(type) : values[0]);
  llvm::Value *value = nullptr;
  if (isNormOfFour(name)) {
    // The norm of four is the norm of the norm of three and the fourth.
    bool isSingle = name.ends_with("f"), isReciprocal = name.contains("rnorm");
    emitKernelCall(lowering, op, isSingle ? "nereid_device:__nv_norm3df" : "nereid_device:__nv_norm3d",
                   Operands(values).take_front(3), computed, value);
    std::string last = std::string("nereid_device:__nv_") + (isReciprocal ? "r" : "") + (isSingle ? "hypotf" : "hypot");
    emitKernelCall(lowering, op, last, {value, values[3]}, computed, value);
  } else if (!(value = emitMath(b, lowering.target, name, values))) {
    emitKernelCall(lowering, op, "nereid_device:" + name.str(), values, computed, value);
  }
  if (type->isIntegerTy(1) && bitsOf(value) != 1)
    value = b.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
  results.push_back(value);
  return true;
}

bool Emitter::emitByName(llvm::SmallVectorImpl<llvm::Value *> &results) {
  if (auto call = dyn_cast<tile::ExternOp>(op))
    return emitDeviceCall(call, results);
  llvm::StringRef name = op->getName().getStringRef();
  llvm::SmallVector<llvm::Value *> values;
  for (unsigned i = 0; i < operands.size(); ++i)
    values.push_back(wide(i));
  if (llvm::Value *plain = codegen::emitArithmetic(b, name, values)) {
    results.push_back(back(plain));
    return true;
  }
  if (isa<math::SincosOp>(op)) {
    results.push_back(back(emitMath(b, lowering.target, "math.sin", values), 0));
    results.push_back(back(emitMath(b, lowering.target, "math.cos", values), 1));
    return true;
  }
  bool isNarrow = narrowFloatOf(op->getResult(0).getType()).has_value();
  if (isa<math::FPowIOp>(op)) {
    values[1] = b.CreateSIToFP(values[1], values[0]->getType());
    name = "math.powf";
  }
  if (!(name == "math.fma" && isNarrow))
    if (llvm::Value *value = emitMath(b, lowering.target, name, values)) {
      results.push_back(back(value));
      return true;
    }
  // The interpreter's kernel, by the op and the type it works on.
  llvm::Type *type = values.empty() ? b.getFloatTy() : values[0]->getType()->getScalarType();
  std::string kind = type->isFloatTy()    ? "f32"
                     : type->isDoubleTy() ? "f64"
                                          : "i" + std::to_string(type->getIntegerBitWidth());
  std::string symbol =
      "nereid_kernel:" + (name == "math.fma" && isNarrow ? "math.fma.narrow" : name.str()) + ":" + kind;
  if (!findArrayKernel(symbol)) {
    lowering.fail(op, "`" + name.str() + "` is not supported on the CPU for this type");
    return false;
  }
  Type resultType = op->getResult(0).getType();
  llvm::Type *computed = isNarrow ? b.getFloatTy() : lowering.typeOf(resultType);
  bool isBool = computed->isIntegerTy(1);
  llvm::Value *like = values.empty() ? llvm::UndefValue::get(type) : values[0], *value = nullptr;
  emitKernelCall(lowering, op, symbol, values, withLanes(isBool ? b.getInt8Ty() : computed, like), value);
  if (isBool)
    value = b.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
  results.push_back(back(value));
  return true;
}

} // namespace

bool isElementwise(Operation *op) {
  if (!op || op->getNumRegions() > 0)
    return false;
  if (isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
    return true;
  // Pointers are index arithmetic, and what keeps its bits is a view.
  return op->hasTrait<OpTrait::Elementwise>() && !op->hasTrait<tile::SameBits>() && !isa<tile::AddPtrOp>(op);
}

bool Lowering::emitElementwise(Operation *op, llvm::ArrayRef<llvm::Value *> operands,
                               llvm::SmallVectorImpl<llvm::Value *> &results) {
  return Emitter(*this, op, operands).run(results);
}

bool Lowering::emitRegion(Block &block, llvm::ArrayRef<llvm::Value *> values,
                          llvm::SmallVectorImpl<llvm::Value *> &results) {
  llvm::DenseMap<Value, llvm::Value *> local;
  for (auto [argument, value] : llvm::zip(block.getArguments(), values))
    local[argument] = value;
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(values.front()->getType());
  auto read = [&](Value value) -> llvm::Value * {
    if (auto it = local.find(value); it != local.end())
      return it->second;
    llvm::Value *constant = scalar(value); // from outside of the region
    return vector ? builder.CreateVectorSplat(vector->getNumElements(), constant) : constant;
  };
  for (Operation &op : block.without_terminator()) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      llvm::Value *value = scalarConstant(context, constant.getValue(), constant.getType());
      local[constant] = vector ? builder.CreateVectorSplat(vector->getNumElements(), value) : value;
      continue;
    }
    llvm::SmallVector<llvm::Value *> operands, out;
    for (Value operand : op.getOperands())
      operands.push_back(read(operand));
    if (!emitElementwise(&op, operands, out))
      return false;
    for (auto [result, value] : llvm::zip(op.getResults(), out))
      local[result] = value;
  }
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(read(value));
  return true;
}

template <> void Lowering::lower(tile::AssumeOp op) {
  if (!scalars.count(op.getCondition()))
    flush(); // a reduction that has not run yet
  builder.CreateAssumption(scalar(op.getCondition()));
}

template <> void Lowering::lower(tile::InlineAsmOp op) {
  fail(op, "inline assembly is written for the GPU and does not run on the CPU\n"
           "note: the interpreter runs it: `TRITON_INTERPRET=1`, or `--device interp`");
}

void addElementwiseOps(OpTable &table) { table.add<tile::AssumeOp, tile::InlineAsmOp>(); }

} // namespace nereid::cpu
