// TranslateExtern.cpp: device functions by name, and inline assembly.
#include "interp/InlineAsm.h"
#include "interp/Libdevice.h"
#include "interp/Translator.h"

using namespace mlir;

namespace nereid::interp {

// A kernel has three operands at most: the norm of four is the norm of the norm of three and the fourth.
static bool translateNorm4(Translator &translator, tile::ExternOp op) {
  StringRef name = op.getSymbol();
  bool isSingle = name.ends_with("f"), isReciprocal = name.contains("rnorm");
  if (!name.contains("norm4d") || op.getOperands_().size() != 4)
    return false;
  SmallVector<Slot> operands = translator.slotsOf(op.getOperands_());
  Slot result = translator.define(op.getResult());
  Element element = isSingle ? Element::F32 : Element::F64;
  for (Slot operand : operands)
    if (operand.element != element || operand.count != result.count)
      return translator.fail(op, "the arguments of `" + name.str() + "` have another type or shape"), true;
  Slot three = translator.temporary(element, result.count);
  translator.emitKernel(op, findDeviceFunction(isSingle ? "__nv_norm3df" : "__nv_norm3d")->kernel, three,
                        ArrayRef(operands).take_front(3));
  StringRef last =
      isReciprocal ? (isSingle ? "__nv_rhypotf" : "__nv_rhypot") : (isSingle ? "__nv_hypotf" : "__nv_hypot");
  translator.emitKernel(op, findDeviceFunction(last)->kernel, result, {three, operands[3]});
  return true;
}

static void translateExtern(Translator &translator, tile::ExternOp op) {
  if (translateNorm4(translator, op))
    return;
  SmallVector<Slot> operands = translator.slotsOf(op.getOperands_());
  Slot result = translator.define(op.getResult());
  const DeviceFunction *function = findDeviceFunction(op.getSymbol());
  if (!function)
    return translator.fail(op, "the device function `" + op.getSymbol().str() + "` runs only on the GPU");
  auto fits = [](Element expected, Element found) {
    return expected == found || (expected == Element::I64 && found == Element::Pointer) ||
           (expected == Element::I32 && found == Element::I1);
  };
  if (operands.size() != function->operands.size())
    return translator.fail(op, "`" + op.getSymbol().str() + "` takes " + std::to_string(function->operands.size()) +
                                   " arguments, got " + std::to_string(operands.size()));
  for (auto [i, operand] : llvm::enumerate(operands)) {
    if (!fits(function->operands[i], operand.element))
      return translator.fail(op, "argument " + std::to_string(i + 1) + " of `" + op.getSymbol().str() +
                                     "` has another type");
    // Scalars go with tiles.
    if (operand.count != result.count && operand.count == 1) {
      Slot spread = translator.temporary(operand.element, result.count);
      translator.emit(op, splatHandler(byteSize(spread.element)), spread, operand, Flow::Elementwise);
      operand = spread;
    }
  }
  if (!fits(function->result, result.element))
    return translator.fail(op, "the result of `" + op.getSymbol().str() + "` has another type");
  translator.emitKernel(op, function->kernel, result, operands);
}

// Registers that a tile's part of one group takes: elements narrower than 32 bits share them.
static uint32_t registersFor(Element element, uint32_t pack) {
  uint32_t bits = 8 * uint32_t(byteSize(element));
  return bits < 32 ? (pack * bits + 31) / 32 : pack;
}

// Constraints name results first; a number ties an input to a result's register, and `~{…}` is no register.
static bool parseConstraints(StringRef constraints, InlineAsmPayload &payload) {
  SmallVector<StringRef> parts;
  constraints.split(parts, ',');
  uint32_t count = 0;
  for (StringRef part : parts) {
    part = part.trim();
    if (part.empty() || part.starts_with("~"))
      continue;
    uint32_t tied;
    if (!part.getAsInteger(10, tied))
      payload.ties.push_back({count, tied});
    ++count;
  }
  return count == payload.parameters && llvm::all_of(payload.ties, [&](auto tie) { return tie.second < count; });
}

static void translateInlineAsm(Translator &translator, tile::InlineAsmOp op) {
  auto *payload = translator.payload<InlineAsmPayload>();
  payload->pack = std::max(1u, unsigned(op.getPack()));
  SmallVector<Slot> operands = translator.slotsOf(op.getOperands_()), results;
  for (Value result : op.getResults())
    results.push_back(translator.define(result));
  if (results.empty())
    return translator.fail(op, "inline assembly needs a result");
  for (auto [slots, parts] : {std::pair(&results, &payload->results), std::pair(&operands, &payload->operands)})
    for (const Slot &slot : *slots) {
      parts->push_back({slot, payload->parameters});
      payload->parameters += registersFor(slot.element, payload->pack);
      if (slot.count != results[0].count && slot.count != 1)
        return translator.fail(op, "the tiles of inline assembly have different shapes");
    }
  if (!parseConstraints(op.getConstraints(), *payload))
    return translator.fail(op, "the constraints of inline assembly must name " + std::to_string(payload->parameters) +
                                   " registers");
  std::string error;
  std::optional<ptx::Code> code = ptx::parse(op.getAssembly(), payload->parameters, error);
  if (!code)
    return translator.fail(op, error);
  payload->code = std::move(*code);
  translator.emit(op, runInlineAsm, results, operands, Flow::Custom).payload = payload;
}

void addExternOps(OpTable &table) {
  addOp<tile::ExternOp, translateExtern>(table);
  addOp<tile::InlineAsmOp, translateInlineAsm>(table);
}

} // namespace nereid::interp
