// TranslateDebug.cpp: prints, assertions, barriers, scopes and registers.
#include "interp/Claims.h"
#include "interp/Debug.h"
#include "interp/Translator.h"
#include "interp/trace/Note.h"
#include "lang/emit/EmitNotes.h"
#include "transforms/StateClaims.h"

using namespace mlir;

namespace nereid::interp {

static std::vector<int64_t> shapeVector(Type type) {
  ArrayRef<int64_t> shape = tile::shapeOf(type);
  return {shape.begin(), shape.end()};
}

// A print for observers only (lang/emit/EmitNotes.h).
static void translateNote(Translator &translator, tile::PrintOp op, llvm::StringRef text) {
  auto *payload = translator.payload<NotePayload>();
  payload->name = op.getPrefix().str();
  payload->text = text.str();
  payload->isSigned = op.getIsSigned().empty() || op.getIsSigned()[0];
  if (!op.getArgs().empty())
    payload->shape = shapeVector(op.getArgs()[0].getType());
  translator.emit(op, runNote, {}, translator.slotsOf(op.getArgs()), Flow::Custom).payload = payload;
}

static void translateClaims(Translator &translator, tile::PrintOp op, DictionaryAttr claims) {
  auto *payload = translator.payload<ClaimsPayload>();
  auto lengths = [&](llvm::StringRef name) {
    auto numbers = claims.getAs<DenseI64ArrayAttr>(name);
    return numbers ? std::vector<int64_t>(numbers.asArrayRef()) : std::vector<int64_t>();
  };
  Type type = op.getArgs()[0].getType();
  payload->op = op.getPrefix().str();
  payload->shape = shapeVector(type);
  payload->contiguity = lengths("contiguity");
  payload->divisibility = lengths("divisibility");
  payload->constancy = lengths("constancy");
  payload->falling = lengths("falling");
  if (auto constant = claims.getAs<IntegerAttr>("constant"))
    payload->constant = constant.getInt();
  payload->isNonNegative = claims.contains("isNonNegative");
  if (auto pointer = dyn_cast<tile::PtrType>(getElementTypeOrSelf(type)))
    payload->stepUnit = int64_t(byteSize(translator.elementOf(pointer.getPointee(), op)));
  auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  payload->bits = integer ? integer.getWidth() : 64;
  translator.emit(op, runClaims, {}, translator.slotsOf(op.getArgs()), Flow::Custom).payload = payload;
}

static void translatePrint(Translator &translator, tile::PrintOp op) {
  if (auto note = op->getAttrOfType<StringAttr>(lang::kNoteAttribute))
    return translateNote(translator, op, note.getValue());
  if (auto claims = op->getAttrOfType<DictionaryAttr>(transforms::kClaimsAttribute))
    return translateClaims(translator, op, claims);
  auto *payload = translator.payload<PrintPayload>();
  payload->prefix = op.getPrefix().str();
  payload->isHex = op.getHex();
  for (auto [i, value] : llvm::enumerate(op.getArgs())) {
    payload->shapes.push_back(shapeVector(value.getType()));
    payload->isSigned.push_back(i >= op.getIsSigned().size() || op.getIsSigned()[i]);
  }
  translator.program.isOrderSensitive = true;
  translator.emit(op, runPrint, {}, translator.slotsOf(op.getArgs()), Flow::Custom).payload = payload;
}

static void translateAssert(Translator &translator, tile::AssertOp op) {
  auto *payload = translator.payload<AssertPayload>();
  payload->message = op.getMessage().str();
  payload->hasMask = bool(op.getMask());
  payload->shape = shapeVector(op.getCondition().getType());
  translator.emit(op, runAssert, {}, translator.slotsOf(op->getOperands()), Flow::Assert).payload = payload;
}

// A program runs its instructions in order, other grids have ended before this one begins, and nobody takes the time.
static void translateBarrier(Translator &, tile::BarrierOp) {}
static void translateScope(Translator &, tile::ScopeOp) {}
static void translateGridDependency(Translator &, tile::GridDependencyOp) {}

static void translateRegister(Translator &translator, tile::SpecialRegisterOp op) {
  Slot result = translator.define(op.getResult());
  bool isClock = op.getName() == "globaltimer" || op.getName() == "clock" || op.getName() == "clock64";
  if (!isClock && op.getName() != "smid")
    return translator.fail(op, "there is no register `" + op.getName().str() + "` outside a GPU");
  if (result.element != (isClock ? Element::I64 : Element::I32))
    return translator.fail(op, "the register `" + op.getName().str() + "` has another width");
  translator.emit(op, isClock ? runClock : runProcessorId, result, {}, Flow::Fresh);
}

void addDebugOps(OpTable &table) {
  addOp<tile::PrintOp, translatePrint>(table);
  addOp<tile::AssertOp, translateAssert>(table);
  addOp<tile::BarrierOp, translateBarrier>(table);
  addOp<tile::ScopeOp, translateScope>(table);
  addOp<tile::GridDependencyOp, translateGridDependency>(table);
  addOp<tile::SpecialRegisterOp, translateRegister>(table);
}

} // namespace nereid::interp
