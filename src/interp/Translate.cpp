// Translate.cpp: the frame of a kernel, its blocks, its constants and its places.
#include "interp/Translator.h"

#include "interp/Control.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

#include <cstring>

using namespace mlir;

namespace nereid::interp {

// One program may need this much for all of its tiles; beyond it, something is wrong with the kernel.
static constexpr size_t kMaxFrameBytes = size_t(1) << 31;
// Calls are translated in place, so nested ones multiply.
static constexpr size_t kMaxInstructions = size_t(1) << 22;

static const OpTable &opTable() {
  static const OpTable kTable = [] {
    OpTable table;
    addElementwiseOps(table);
    addExternOps(table);
    addControlOps(table);
    addMemoryOps(table);
    addShapeOps(table);
    addReduceOps(table);
    addDotOps(table);
    addAtomicOps(table);
    addDebugOps(table);
    return table;
  }();
  return kTable;
}

// ---- Failures and places.

Place Translator::placeOf(Location loc) const {
  if (auto range = dyn_cast<FileLineColRange>(loc))
    return {range.getFilename().str(), range.getStartLine(), range.getStartColumn(), range.getEndColumn(), {}};
  if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    Place place = placeOf(call.getCallee()), caller = placeOf(call.getCaller());
    std::vector<Place> outer = std::move(caller.callers);
    caller.callers.clear();
    if (caller.line)
      place.callers.push_back(std::move(caller));
    place.callers.insert(place.callers.end(), outer.begin(), outer.end());
    return place;
  }
  if (auto named = dyn_cast<NameLoc>(loc))
    return placeOf(named.getChildLoc());
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (Place place = placeOf(part); place.line)
        return place;
  return {};
}

uint32_t Translator::placeIndex(Location loc) {
  const void *stack = callStack.empty() ? nullptr : callStack.back();
  auto [found, isNew] = placeIndices.try_emplace({loc.getAsOpaquePointer(), stack}, program.places.size());
  if (isNew) {
    Place place = placeOf(loc);
    for (Operation *call : llvm::reverse(callStack))
      place.callers.push_back(placeOf(call->getLoc()));
    program.places.push_back(std::move(place));
  }
  return found->second;
}

void Translator::fail(Operation *op, std::string message) {
  if (!failure)
    failure = {Failure::Kind::Unsupported, std::move(message), program.places[placeIndex(op->getLoc())], {}};
}

// ---- Types and storage.

Element Translator::elementOf(Type type, Operation *op) {
  type = getElementTypeOrSelf(type);
  if (type.isIndex())
    return Element::I64;
  if (auto integer = dyn_cast<IntegerType>(type))
    switch (integer.getWidth()) {
    case 1: return Element::I1;
    case 8: return Element::I8;
    case 16: return Element::I16;
    case 32: return Element::I32;
    case 64: return Element::I64;
    }
  if (isa<tile::PtrType>(type))
    return Element::Pointer;
  if (isa<tile::DescType>(type))
    return Element::Descriptor;
  Element element = llvm::TypeSwitch<Type, Element>(type)
                        .Case<Float8E5M2Type>([](auto) { return Element::F8E5M2; })
                        .Case<Float8E4M3FNType>([](auto) { return Element::F8E4M3FN; })
                        .Case<Float8E5M2FNUZType>([](auto) { return Element::F8E5M2FNUZ; })
                        .Case<Float8E4M3FNUZType>([](auto) { return Element::F8E4M3FNUZ; })
                        .Case<Float16Type>([](auto) { return Element::F16; })
                        .Case<BFloat16Type>([](auto) { return Element::BF16; })
                        .Case<Float32Type>([](auto) { return Element::F32; })
                        .Case<Float64Type>([](auto) { return Element::F64; })
                        .Default([](Type) { return Element::I1; });
  if (element == Element::I1) {
    std::string text;
    llvm::raw_string_ostream(text) << "the interpreter has no element type `" << type << "`";
    fail(op, text);
  }
  return element;
}

uint32_t Translator::countOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return 1;
  return tensor.hasStaticShape()
             ? uint32_t(std::clamp<int64_t>(tensor.getNumElements(), 0, tile::kMaxTileElements * 16))
             : 0;
}

uint32_t Translator::allocate(size_t bytes, size_t align) {
  bytes = (std::max<size_t>(bytes, 8) + align - 1) / align * align;
  uint32_t offset;
  if (auto &list = freed[bytes]; !list.empty()) {
    offset = list.back();
    list.pop_back();
  } else {
    frameEnd = (frameEnd + align - 1) / align * align;
    offset = uint32_t(frameEnd);
    // Past the limit the translation has failed; keep offsets in range until it ends.
    if (frameEnd + bytes <= kMaxFrameBytes)
      frameEnd += bytes;
    else if (!failure)
      failure = {Failure::Kind::Unsupported, "one program of this kernel needs more than 2 GiB for its tiles", {}, {}};
  }
  storage[offset] = {bytes, 1};
  return offset;
}

void Translator::release(uint32_t offset) {
  auto found = storage.find(offset);
  if (found == storage.end() || --found->second.users)
    return;
  freed[found->second.bytes].push_back(offset);
  storage.erase(found);
}

static size_t alignmentOf(size_t bytes) { return bytes >= 64 ? 64 : 8; }

Slot Translator::define(Value value) {
  Operation *owner = value.getDefiningOp() ? value.getDefiningOp() : value.getParentBlock()->getParentOp();
  Slot slot{0, lanes ? lanes : countOf(value.getType()), elementOf(value.getType(), owner)};
  if (slot.count == 0)
    fail(owner, "a tile needs a static shape");
  slot.offset = allocate(slot.bytes(), alignmentOf(slot.bytes()));
  values[value] = {slot, lanes != 0};
  return slot;
}

void Translator::alias(Value value, Slot slot) {
  slot.element =
      elementOf(value.getType(), value.getDefiningOp() ? value.getDefiningOp() : value.getParentBlock()->getParentOp());
  if (auto found = storage.find(slot.offset); found != storage.end())
    ++found->second.users;
  values[value] = {slot, lanes != 0};
}

Slot Translator::temporary(Element element, uint32_t count) {
  Slot slot{0, count, element};
  slot.offset = allocate(slot.bytes(), alignmentOf(slot.bytes()));
  temporaries.push_back(slot.offset);
  return slot;
}

Slot Translator::constant(Element element, uint32_t count, std::vector<std::byte> pattern) {
  Slot slot{0, count, element};
  // Never freed, and never taken from what was freed: the bytes must hold from the first instruction on.
  size_t align = alignmentOf(slot.bytes()), bytes = (std::max<size_t>(slot.bytes(), 8) + align - 1) / align * align;
  std::vector<uint32_t> kept = std::move(freed[bytes]);
  freed[bytes].clear();
  slot.offset = allocate(slot.bytes(), align);
  freed[bytes] = std::move(kept);
  storage.erase(slot.offset);
  program.constants.push_back(
      {slot.offset, uint32_t(slot.bytes() / std::max<size_t>(pattern.size(), 1)), std::move(pattern)});
  return slot;
}

Slot Translator::slotOf(Value value) {
  auto found = values.find(value);
  if (found == values.end()) {
    fail(value.getDefiningOp() ? value.getDefiningOp() : value.getParentBlock()->getParentOp(),
         "a value has no storage");
    return {};
  }
  Entry entry = found->second;
  if (!lanes || entry.isLane)
    return entry.slot;
  // A scalar from outside, in every lane.
  Slot slot = temporary(entry.slot.element, lanes);
  emit(value.getParentBlock()->getParentOp(), splatHandler(byteSize(slot.element)), slot, entry.slot,
       Flow::Elementwise);
  return slot;
}

SmallVector<Slot> Translator::slotsOf(ValueRange range) {
  SmallVector<Slot> slots;
  for (Value value : range)
    slots.push_back(slotOf(value));
  return slots;
}

// ---- Instructions.

Instruction &Translator::emit(Operation *op, Handler run, ArrayRef<Slot> results, ArrayRef<Slot> operands, Flow flow) {
  Instruction instruction;
  instruction.run = run;
  instruction.count = lanes ? 0 : !results.empty() ? results[0].count : !operands.empty() ? operands[0].count : 1;
  if (!results.empty())
    instruction.result = results[0].offset;
  for (size_t i = 0; i < std::min<size_t>(operands.size(), 3); ++i)
    instruction.operands[i] = operands[i].offset;
  instruction.fact = uint32_t(program.facts.size());
  if (program.facts.size() >= kMaxInstructions)
    fail(op, "the kernel is too large for the interpreter");
  else
    program.facts.push_back({placeIndex(op->getLoc()),
                             flow,
                             op->getName().getStringRef().str(),
                             {operands.begin(), operands.end()},
                             {results.begin(), results.end()}});
  current->instructions.push_back(instruction);
  return current->instructions.back();
}

void Translator::emitCopies(Operation *op, ArrayRef<Slot> from, ArrayRef<Slot> to) {
  auto *moves = payload<CopyPayload>();
  std::vector<Copy> last;
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i].offset == to[i].offset)
      continue;
    // A value that another copy overwrites goes through a temporary.
    bool isOverwritten = llvm::any_of(to, [&](const Slot &slot) { return slot.offset == from[i].offset; });
    uint32_t source = from[i].offset;
    auto bytes = uint32_t(from[i].bytes());
    if (isOverwritten) {
      source = temporary(from[i].element, from[i].count).offset;
      moves->copies.push_back({from[i].offset, source, bytes});
    }
    last.push_back({source, to[i].offset, bytes});
  }
  moves->copies.insert(moves->copies.end(), last.begin(), last.end());
  emit(op, runCopies, {}, {}, Flow::Custom).payload = moves;
}

Block *Translator::makeBlock(function_ref<void()> fill) {
  Block *block = &program.blocks.emplace_back();
  Block *outer = std::exchange(current, block);
  fill();
  current = outer;
  return block;
}

Block *Translator::makeLaneBlock(uint32_t count, function_ref<void()> fill) {
  uint32_t outer = std::exchange(lanes, count);
  Block *block = makeBlock(fill);
  lanes = outer;
  return block;
}

void Translator::translateRegion(mlir::Block &block, ArrayRef<Slot> targets) {
  yieldTargets.emplace_back(targets);
  translateBlock(block);
  yieldTargets.pop_back();
}

void Translator::emitYield(Operation *op) {
  if (yieldTargets.empty()) {
    SmallVector<Slot> given = slotsOf(op->getOperands());
    program.results.assign(given.begin(), given.end());
  } else if (op->getNumOperands())
    emitCopies(op, slotsOf(op->getOperands()), SmallVector<Slot>(yieldTargets.back()));
}

void Translator::releaseValue(Value value) {
  if (auto entry = values.find(value); entry != values.end())
    release(entry->second.slot.offset);
}

void Translator::translateOp(Operation *op) {
  size_t before = temporaries.size();
  auto found = opTable().find(op->getName().getStringRef());
  if (found == opTable().end())
    fail(op, "the interpreter has no meaning for `" + op->getName().getStringRef().str() + "`");
  else
    found->second(*this, op);
  for (; temporaries.size() > before; temporaries.pop_back())
    release(temporaries.back());
}

void Translator::translateBlock(mlir::Block &block) {
  llvm::DenseMap<Value, Operation *> lastUse;
  llvm::DenseMap<Operation *, SmallVector<Value>> dies;
  for (Operation &op : block)
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (operand.getParentBlock() == &block)
          lastUse[operand] = &op;
    });
  for (auto [value, op] : lastUse)
    if (!isa<BlockArgument>(value))
      dies[op].push_back(value);
  for (Operation &op : block) {
    if (failure)
      return;
    translateOp(&op);
    for (Value value : op.getResults())
      if (value.use_empty())
        releaseValue(value);
    for (Value value : dies.lookup(&op))
      releaseValue(value);
  }
}

void Translator::inlineCall(Operation *call, Operation *callee, mlir::Block &body) {
  if (llvm::any_of(callStack, [&](Operation *outer) { return outer->getParentOp() == callee || outer == call; }) ||
      callStack.size() > 64)
    return fail(call, "a function that calls itself cannot run");
  for (auto [argument, operand] : llvm::zip(body.getArguments(), call->getOperands()))
    alias(argument, slotOf(operand));
  for (Value result : call->getResults())
    define(result);
  SmallVector<Slot> results = slotsOf(call->getResults());
  callStack.push_back(call);
  translateRegion(body, results);
  callStack.pop_back();
  for (Value argument : body.getArguments())
    releaseValue(argument);
}

void Translator::translateKernel(Operation *function, mlir::Block &body) {
  current = &program.body;
  for (Value argument : body.getArguments()) {
    Slot slot = define(argument);
    storage.erase(slot.offset); // arguments stay for all programs
    auto descriptor = dyn_cast<tile::DescType>(argument.getType());
    unsigned rank = descriptor ? unsigned(descriptor.getBlock().getRank()) : 0;
    if (rank > kMaxRank)
      fail(function, "a descriptor has at most " + std::to_string(kMaxRank) + " dimensions");
    program.parameters.push_back({slot, rank});
  }
  translateBlock(body);
  program.frameBytes = frameEnd;
}

std::shared_ptr<const Program> translate(func::FuncOp function, Failure &failure) {
  failure = {};
  auto program = std::make_shared<Program>();
  if (!function || function.isDeclaration() || !function.getBody().hasOneBlock()) {
    failure = {Failure::Kind::Unsupported, "a kernel needs a structured body", {}, {}};
    return nullptr;
  }
  Translator translator(*program, failure);
  translator.translateKernel(function, function.getBody().front());
  if (failure)
    return nullptr;
  return program;
}

} // namespace nereid::interp
