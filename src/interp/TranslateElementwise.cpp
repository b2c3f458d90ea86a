// TranslateElementwise.cpp: arith, math, and what the tile dialect adds to them.
#include "interp/Elementwise.h"
#include "interp/Kernels.h"
#include "interp/Translator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

#include <cstring>

using namespace mlir;

namespace nereid::interp {

Instruction &Translator::emitKernel(Operation *op, Kernel kernel, Slot result, ArrayRef<Slot> operands, Narrowing how) {
  Instruction &instruction = emit(op, runKernel, result, operands, Flow::Elementwise);
  instruction.kernel = kernel;
  bool isNarrow =
      isNarrowFloat(result.element) || llvm::any_of(operands, [](Slot slot) { return isNarrowFloat(slot.element); });
  if (!isNarrow)
    return instruction;
  auto *narrow = payload<NarrowPayload>();
  for (size_t i = 0; i < operands.size(); ++i) {
    narrow->unpack[i] = unpackOf(operands[i].element);
    narrow->operandBytes[i] = uint8_t(byteSize(operands[i].element));
  }
  narrow->pack = packOf(result.element, how);
  narrow->resultBytes = uint8_t(byteSize(result.element));
  instruction.run = runNarrowKernel;
  instruction.payload = narrow;
  return instruction;
}

// An op that the kernel tables know by its name; all operands have one element type.
static void translateByName(Translator &translator, Operation *op, StringRef name) {
  SmallVector<Slot> operands = translator.slotsOf(op->getOperands());
  Slot result = translator.define(op->getResult(0));
  Element element = operands.empty() ? result.element : operands[0].element;
  std::string key = name == "math.fma" && isNarrowFloat(element) ? "math.fma.narrow" : name.str();
  Kernel kernel = findKernel(key, element);
  if (!kernel)
    return translator.fail(op, "the interpreter has no `" + name.str() + "` for this type");
  translator.emitKernel(op, kernel, result, operands);
}

static void translatePlain(Translator &translator, Operation *op) {
  translateByName(translator, op, op->getName().getStringRef());
}

// Of numbers: an error where the divisor is 0. Tiles of any size have a value there, on the CPU too.
static void translateDivision(Translator &translator, Operation *op) {
  if (isa<ShapedType>(op->getResult(0).getType()))
    return translatePlain(translator, op);
  SmallVector<Slot> operands = translator.slotsOf(op->getOperands());
  Slot result = translator.define(op->getResult(0));
  Kernel kernel = findKernel(op->getName().getStringRef(), result.element);
  Instruction &instruction = translator.emit(op, divisionHandler(result.element), result, operands, Flow::Elementwise);
  instruction.kernel = kernel;
}

static void translateCompareInteger(Translator &translator, arith::CmpIOp op) {
  translateByName(translator, op, ("arith.cmpi." + arith::stringifyCmpIPredicate(op.getPredicate())).str());
}
static void translateCompareFloat(Translator &translator, arith::CmpFOp op) {
  translateByName(translator, op, ("arith.cmpf." + arith::stringifyCmpFPredicate(op.getPredicate())).str());
}

static Element integerOfSize(size_t bytes) {
  return bytes == 1 ? Element::I8 : bytes == 2 ? Element::I16 : bytes == 4 ? Element::I32 : Element::I64;
}

static void translateSelect(Translator &translator, arith::SelectOp op) {
  SmallVector<Slot> operands = translator.slotsOf(op->getOperands());
  Slot result = translator.define(op.getResult());
  size_t bytes = byteSize(result.element);
  if (result.element == Element::Descriptor)
    return translator.fail(op, "a descriptor cannot be chosen by a condition");
  if (operands[0].count != result.count) {
    translator.emit(op, wholeSelectHandler(bytes), result, operands, Flow::Select);
    return;
  }
  Instruction &instruction = translator.emit(op, runKernel, result, operands, Flow::Select);
  instruction.kernel = findKernel("arith.select", integerOfSize(bytes));
}

static bool cutsTowardZero(Operation *op) {
  auto trunc = dyn_cast<arith::TruncFOp>(op);
  return trunc && trunc.getRoundingmode() == arith::RoundingMode::toward_zero;
}

static void translateCast(Translator &translator, Operation *op) {
  if (auto trunc = dyn_cast<arith::TruncFOp>(op))
    if (auto mode = trunc.getRoundingmode();
        mode && *mode != arith::RoundingMode::toward_zero && *mode != arith::RoundingMode::to_nearest_even)
      return translator.fail(op, "floats are rounded to nearest even or toward zero");
  Slot source = translator.slotOf(op->getOperand(0)), result = translator.define(op->getResult(0));
  StringRef name = op->getName().getStringRef();
  StringRef meaning = name == "arith.index_cast" ? "arith.extsi" : name == "arith.index_castui" ? "arith.extui" : name;
  bool cut = cutsTowardZero(op);
  Kernel kernel = findCast(meaning, source.element, result.element, cut);
  if (!kernel)
    return translator.fail(op, "the interpreter has no such cast");
  translator.emitKernel(op, kernel, result, source, cut ? Narrowing::Cut : Narrowing::Cast);
}

static void translateAlias(Translator &translator, Operation *op) {
  translator.alias(op->getResult(0), translator.slotOf(op->getOperand(0)));
}

static void translateBitcast(Translator &translator, arith::BitcastOp op) {
  Slot source = translator.slotOf(op.getIn());
  Element to = translator.elementOf(op.getType(), op);
  if (byteSize(source.element) != byteSize(to) || (source.element == Element::I1) != (to == Element::I1))
    return translator.fail(op, "a bitcast keeps the number of bits");
  translator.alias(op.getResult(), source);
}

// ---- Ops with two results: one instruction each.

static void translateWideProduct(Translator &translator, Operation *op) {
  SmallVector<Slot> operands = translator.slotsOf(op->getOperands());
  Slot low = translator.define(op->getResult(0)), high = translator.define(op->getResult(1));
  translator.emitKernel(op, findKernel("arith.muli", low.element), low, operands);
  translator.emitKernel(op, findKernel((op->getName().getStringRef() + ".high").str(), low.element), high, operands);
}

static void translateCarrySum(Translator &translator, arith::AddUIExtendedOp op) {
  SmallVector<Slot> operands = translator.slotsOf(op->getOperands());
  Slot sum = translator.define(op.getSum()), carry = translator.define(op.getOverflow());
  translator.emitKernel(op, findKernel("arith.addi", sum.element), sum, operands);
  translator.emitKernel(op, findKernel("arith.cmpi.ult", sum.element), carry, {sum, operands[0]});
}

static void translateSinCos(Translator &translator, math::SincosOp op) {
  Slot operand = translator.slotOf(op.getOperand());
  Slot sine = translator.define(op.getSin()), cosine = translator.define(op.getCos());
  translator.emitKernel(op, findKernel("math.sin", operand.element), sine, operand);
  translator.emitKernel(op, findKernel("math.cos", operand.element), cosine, operand);
}

static void translateFloatPower(Translator &translator, math::FPowIOp op) {
  Slot base = translator.slotOf(op.getLhs()), exponent = translator.slotOf(op.getRhs());
  Slot result = translator.define(op.getResult());
  Slot asFloat = translator.temporary(base.element == Element::F64 ? Element::F64 : Element::F32, base.count);
  translator.emitKernel(op, findCast("arith.sitofp", exponent.element, asFloat.element, false), asFloat, exponent);
  translator.emitKernel(op, findKernel("math.powf", base.element), result, {base, asFloat});
}

// ---- Constants.

static void appendBits(std::vector<std::byte> &bytes, APInt bits, Element element) {
  uint64_t value = bits.getZExtValue();
  size_t old = bytes.size();
  bytes.resize(old + byteSize(element));
  std::memcpy(bytes.data() + old, &value, byteSize(element));
}

static void translateConstant(Translator &translator, arith::ConstantOp op) {
  Element element = translator.elementOf(op.getType(), op);
  uint32_t count = translator.laneCount() ? translator.laneCount() : translator.countOf(op.getType());
  std::vector<std::byte> pattern;
  Attribute value = op.getValue();
  if (translator.hasFailed())
    return;
  if (auto integer = dyn_cast<IntegerAttr>(value)) {
    appendBits(pattern, integer.getValue(), element);
  } else if (auto number = dyn_cast<FloatAttr>(value)) {
    appendBits(pattern, number.getValue().bitcastToAPInt(), element);
  } else if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    bool isFloatType = isa<FloatType>(dense.getElementType());
    int64_t stored = dense.isSplat() ? 1 : dense.getNumElements();
    for (int64_t i = 0; i < stored; ++i)
      appendBits(pattern, isFloatType ? dense.getValues<APFloat>()[i].bitcastToAPInt() : dense.getValues<APInt>()[i],
                 element);
  } else {
    return translator.fail(op, "the interpreter has no such constant");
  }
  translator.alias(op.getResult(), translator.constant(element, count, std::move(pattern)));
}

static void translatePoison(Translator &translator, ub::PoisonOp op) {
  Slot result = translator.define(op.getResult());
  translator.emit(op, runNothing, result, {}, Flow::Poison);
}

// ---- The tile dialect's own.

static void translateProgramId(Translator &translator, tile::ProgramIdOp op) {
  auto *axis = translator.payload<NumberPayload>();
  axis->value = op.getAxis();
  translator.emit(op, runProgramId, translator.define(op.getResult()), {}, Flow::Fresh).payload = axis;
}

static void translateNumPrograms(Translator &translator, tile::NumProgramsOp op) {
  auto *axis = translator.payload<NumberPayload>();
  axis->value = op.getAxis();
  translator.emit(op, runNumPrograms, translator.define(op.getResult()), {}, Flow::Fresh).payload = axis;
}

static void translateAssume(Translator &, tile::AssumeOp) {}

void addElementwiseOps(OpTable &table) {
  for (auto family : {integerKernels(), floatKernels(), mathKernels(), compareKernels()})
    for (const KernelRow &row : family)
      table[row.name] = translatePlain;
  for (StringRef name : {"arith.divsi", "arith.divui", "arith.remsi", "arith.remui", "arith.floordivsi",
                         "arith.ceildivsi", "arith.ceildivui"})
    table[name] = translateDivision;
  for (StringRef name : {"arith.extsi", "arith.extui", "arith.trunci", "arith.extf", "arith.truncf", "arith.sitofp",
                         "arith.uitofp", "arith.fptosi", "arith.fptoui", "arith.index_cast", "arith.index_castui"})
    table[name] = translateCast;
  for (StringRef name : {"tile.hint", "tile.ptr_cast", "tile.int_to_ptr", "tile.ptr_to_int"})
    table[name] = translateAlias;
  table["arith.mulsi_extended"] = table["arith.mului_extended"] = translateWideProduct;
  addOp<arith::CmpIOp, translateCompareInteger>(table);
  addOp<arith::CmpFOp, translateCompareFloat>(table);
  addOp<arith::SelectOp, translateSelect>(table);
  addOp<arith::BitcastOp, translateBitcast>(table);
  addOp<arith::AddUIExtendedOp, translateCarrySum>(table);
  addOp<arith::ConstantOp, translateConstant>(table);
  addOp<math::SincosOp, translateSinCos>(table);
  addOp<math::FPowIOp, translateFloatPower>(table);
  addOp<ub::PoisonOp, translatePoison>(table);
  addOp<tile::ProgramIdOp, translateProgramId>(table);
  addOp<tile::NumProgramsOp, translateNumPrograms>(table);
  addOp<tile::AssumeOp, translateAssume>(table);
}

} // namespace nereid::interp
