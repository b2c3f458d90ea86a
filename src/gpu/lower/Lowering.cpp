// Lowering.cpp: the frame of a kernel (its parameters, what a thread is) and the walk over its ops.
#include "gpu/lower/Lowering.h"

#include "codegen/Sites.h"
#include "gpu/pipeline/SpecializeWarps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace nereid::gpu {

bool isTile(Type type) { return isa<RankedTensorType>(type); }

Lowering::Lowering(func::FuncOp kernel, const Options &options, llvm::Module &module, cuda::Artifact &artifact)
    : kernel(kernel), options(options), module(module), context(module.getContext()), builder(context),
      artifact(artifact), axes(kernel, [](Operation *op) { return isa<warp::ConvertLayoutOp>(op); }), buffers(module) {}

void Lowering::fail(Operation *op, const std::string &message) {
  if (!hasFailed())
    failure = codegen::errorAt(op, message);
}

void Lowering::setLocation(Location loc) {
  if (lines)
    builder.SetCurrentDebugLocation(lines->at(loc));
}

bool Lowering::run() {
  isSpecialized = bool(specializationOf(kernel));
  hasAsyncProxy = findAsyncProxy();
  makeFunction();
  if (options.choices.hasLines)
    lines = std::make_unique<codegen::LineTable>(module, *function, kernel.getLoc(),
                                                 llvm::DICompileUnit::DebugDirectivesOnly);
  builder.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function));
  setLocation(kernel.getLoc());
  bindArguments();
  readThread();
  prepareMarks();
  lowerBlock(kernel.getBody().front());
  setLocation(kernel.getBody().front().getTerminator()->getLoc());
  builder.CreateRetVoid();
  artifact.sharedBytes = uint32_t(buffers.place(*function, shared));
  if (lines)
    lines->finish();
  artifact.name = kernel.getName().str();
  artifact.target = options.target.name;
  artifact.threads = threadCount();
  return !hasFailed();
}

// The type of a parameter: truth values are bytes.
static llvm::Type *parameterType(llvm::Type *type) {
  return type->isIntegerTy(1) ? llvm::Type::getInt8Ty(type->getContext()) : type;
}

void Lowering::makeFunction() {
  llvm::SmallVector<llvm::Type *> types;
  for (auto [i, argument] : llvm::enumerate(kernel.getArguments())) {
    llvm::Type *type = parameterType(elementType(argument.getType()));
    types.push_back(type);
    uint32_t bytes = type->isPointerTy() ? 8 : type->getScalarSizeInBits() / 8;
    artifact.parameters.push_back({cuda::Parameter::Kind::Word, uint32_t(i), bytes});
  }
  for (cuda::Parameter::Kind kind : {cuda::Parameter::Kind::Scratch, cuda::Parameter::Kind::Report}) {
    types.push_back(builder.getPtrTy(kGlobal));
    artifact.parameters.push_back({kind, 0, 8});
  }
  addTensorMaps(types);
  auto *type = llvm::FunctionType::get(builder.getVoidTy(), types, false);
  function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, kernel.getName(), module);
  Instructions::markKernel(*function, threadCount());
  kernel.walk([&](tile::DotOp) { ++products; });
  if (formsAddresses())
    Instructions::keepAddresses(*function);
  if (options.choices.maxRegisters > 0)
    Instructions::limitRegisters(*function, unsigned(options.choices.maxRegisters));
  else if (gainsByRegisters())
    Instructions::fitBlocks(*function, leastBlocks());
  bindTensorMaps();
  report = function->getArg(kernel.getNumArguments() + 1);
}

constexpr unsigned kRest = 32; // registers that a thread needs beside its tiles: addresses, what it computes with

// Of the registers of a thread that hold a tile.
static unsigned bitsOf(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  bool isCounted = warp::hasLayout(value.getType()) && element.isIntOrFloat();
  return isCounted ? warp::layoutOf(value.getType()).registers() * element.getIntOrFloatBitWidth() : 0;
}

// 32-bit registers that the loads of a thread fill which can be in flight together: those of one block of ops.
static unsigned loadedRegisters(func::FuncOp kernel) {
  unsigned most = 0;
  kernel.walk([&](Block *block) {
    unsigned bits = 0;
    for (auto load : block->getOps<tile::LoadOp>())
      bits += bitsOf(load.getResult());
    most = std::max(most, bits / 32);
  });
  return most;
}

// Whether programs take a lock: a loop changes memory until it has it.
static bool takesLock(func::FuncOp kernel) {
  return kernel
      .walk([](Operation *op) {
        bool isTry = op->hasTrait<tile::WaitsForOthers>() && hasEffect<MemoryEffects::Write>(op) &&
                     op->getParentOfType<scf::WhileOp>();
        return isTry ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

// Left alone, the assembler saves registers by waiting for one load before it issues the next, for an occupancy that
// does not pay: told that one block is enough, it keeps all loads of a row in flight. The same holds for a product of
// few warps, of which shared memory allows no more blocks anyway, and for programs that take a lock: more of them are more that
// wait for it. And where warps hand registers to each other, the assembler must know how many there are at the start.
bool Lowering::gainsByRegisters() const {
  constexpr unsigned kFew = 12; // so many are in flight in any case, and more warps pay
  if (products == 0 && !isSpecialized && options.numWarps > 2)
    return loadedRegisters(kernel) > kFew || takesLock(kernel);
  return isSpecialized || products == 0 || (products == 1 && options.numWarps <= 4);
}

// Whether something behind the op in its block, or in what that holds, uses the value.
static bool isUsedBehind(Value value, Operation *op) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user);
    return ancestor && op->isBeforeInBlock(ancestor);
  });
}

// 32-bit registers of a thread that cannot be given up early: floats that loops carry, and those that are used on both sides
// of a reduction, at which all threads meet. Places are computed again.
static unsigned heldRegisters(func::FuncOp kernel) {
  auto isFloat = [](Value value) { return isa<FloatType>(getElementTypeOrSelf(value.getType())); };
  unsigned most = 0;
  kernel.walk([&](Block *block) {
    unsigned carried = 0;
    for (BlockArgument argument : block->getArguments())
      carried += isFloat(argument) ? bitsOf(argument) : 0;
    most = std::max(most, carried / 32);
    for (auto reduce : block->getOps<tile::ReduceOp>()) {
      unsigned held = carried;
      for (Operation &op : llvm::make_range(block->begin(), reduce->getIterator()))
        for (Value value : op.getResults())
          if (isFloat(value) && isUsedBehind(value, reduce))
            held += bitsOf(value);
      most = std::max(most, held / 32);
    }
  });
  return most;
}

// While one block of many warps waits for its loads, or for the last of its threads, another one should compute: as many as
// have registers for what is in flight and for what a thread cannot give up, and some for the rest beside either.
static unsigned blocksThatFit(func::FuncOp kernel, unsigned threads, const Target &target) {
  unsigned loaded = loadedRegisters(kernel), held = heldRegisters(kernel), blocks = 1;
  auto leaves = [&](unsigned count) { return target.registers / (threads * count); };
  if (leaves(2) >= std::max(held + kRest, loaded + kRest / 4))
    blocks = 2;
  while (leaves(blocks + 1) >= std::max(held + kRest / 4, loaded + kRest))
    ++blocks;
  return blocks;
}

// Where a program waits for others (a loop that looks at memory by atomics), the 32-bit registers of a thread that hold what it
// has computed for behind the loop; 0 where it waits for nobody.
static unsigned heldWhileWaiting(func::FuncOp kernel) {
  unsigned most = 0;
  kernel.walk([&](scf::WhileOp loop) {
    WalkResult found = loop.walk(
        [](Operation *op) { return op->hasTrait<tile::Atomic>() ? WalkResult::interrupt() : WalkResult::advance(); });
    if (!found.wasInterrupted())
      return;
    unsigned held = 0;
    Block *block = loop->getBlock();
    for (Operation &op : llvm::make_range(block->begin(), loop->getIterator()))
      for (Value value : op.getResults())
        if ((isa<FloatType>(getElementTypeOrSelf(value.getType())) || isa<tile::ScanOp>(op)) &&
            isUsedBehind(value, loop))
          held += bitsOf(value);
    most = std::max(most, held / 32);
  });
  return most;
}

// One block is enough. But while programs wait for each other, others should load: as many as have registers for what they
// load or keep. And a block of one or two warps is little: as many as make 16, where that leaves room for what a thread loads at
// once, and for the numbers that it keeps, those that are used more than once or by each iteration of a loop.
unsigned Lowering::leastBlocks() {
  constexpr unsigned kWarps = 16, kMostWarps = 64; // of a multiprocessor
  if (products || isSpecialized || takesLock(kernel))
    return 1;
  if (unsigned held = heldWhileWaiting(kernel))
    return std::clamp(options.target.registers / (threadCount() * (std::max(held, loadedRegisters(kernel)) + kRest)),
                      1u, std::max(1u, kMostWarps / options.numWarps));
  if (options.numWarps >= kWarps)
    return blocksThatFit(kernel, threadCount(), options.target);
  if (options.numWarps > 2)
    return 1;
  unsigned kept = 0;
  auto count = [&](Value value) {
    Type element = getElementTypeOrSelf(value.getType());
    bool isKept = !value.hasOneUse() || (*value.user_begin())->getBlock() != value.getParentBlock();
    if (isa<FloatType>(element) && warp::hasLayout(value.getType()) && isKept)
      kept +=
          unsigned(warp::layoutOf(value.getType()).registers() * std::max(32u, element.getIntOrFloatBitWidth()) / 32);
  };
  kernel.walk([&](Operation *op) { llvm::for_each(op->getResults(), count); });
  kernel.walk([&](Block *block) { llvm::for_each(block->getArguments(), count); });
  kept = std::max(kept, loadedRegisters(kernel));
  return std::clamp(options.target.registers / (threadCount() * (kept + kRest)), 1u, kWarps / options.numWarps);
}

void Lowering::bindArguments() {
  for (BlockArgument argument : kernel.getArguments()) {
    llvm::Value *value = function->getArg(argument.getArgNumber());
    if (elementType(argument.getType())->isIntegerTy(1))
      value = builder.CreateICmpNE(value, builder.getInt8(0));
    values[argument] = value;
  }
  auto *bytes = llvm::ArrayType::get(builder.getInt8Ty(), 0);
  auto *memory = new llvm::GlobalVariable(module, bytes, false, llvm::GlobalValue::ExternalLinkage, nullptr,
                                          "shared_memory", nullptr, llvm::GlobalValue::NotThreadLocal, kShared);
  memory->setAlignment(llvm::Align(1024));
  shared = memory;
}

void Lowering::readThread() {
  thread = instructions.thread();
  lane = builder.CreateAnd(thread, builder.getInt32(31), "lane");
  warpIndex = isOnlyWarp() ? builder.getInt32(0) : builder.CreateLShr(thread, builder.getInt32(5), "warp");
  bool isOneGroup = options.numWarps <= 4;
  warpGroup = isOneGroup ? builder.getInt32(0) : builder.CreateLShr(shuffleFrom(warpIndex, builder.getInt32(0)), 2);
}

// ---- Values.

llvm::Type *Lowering::elementType(Type type) {
  type = getElementTypeOrSelf(type);
  if (isa<tile::PtrType, tile::DescType>(type))
    return builder.getPtrTy(kGlobal);
  if (isa<IndexType>(type))
    return builder.getInt64Ty();
  if (type.isF16())
    return builder.getHalfTy();
  if (type.isBF16())
    return builder.getBFloatTy();
  if (type.isF32())
    return builder.getFloatTy();
  if (type.isF64())
    return builder.getDoubleTy();
  return builder.getIntNTy(type.getIntOrFloatBitWidth());
}

llvm::Type *Lowering::typeOf(Type type) {
  llvm::Type *element = elementType(type);
  return isTile(type) ? llvm::FixedVectorType::get(element, warp::layoutOf(type).registers()) : element;
}

llvm::Value *Lowering::get(Value value) {
  auto found = values.find(value);
  if (found != values.end())
    return found->second;
  fail(value.getDefiningOp() ? value.getDefiningOp() : kernel.getOperation(),
       "internal: a value is used before it is computed");
  return llvm::Constant::getNullValue(typeOf(value.getType()));
}

llvm::Value *Lowering::pack(llvm::ArrayRef<llvm::Value *> elements) {
  auto *type = llvm::FixedVectorType::get(elements.front()->getType(), elements.size());
  llvm::Value *vector = llvm::PoisonValue::get(type);
  for (auto [i, element] : llvm::enumerate(elements))
    vector = builder.CreateInsertElement(vector, element, uint64_t(i));
  return vector;
}

Values Lowering::unpack(llvm::Value *vector) {
  Values elements;
  for (unsigned i = 0, n = llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements(); i < n; ++i)
    elements.push_back(extract(vector, i));
  return elements;
}

llvm::Value *Lowering::shuffle(llvm::Value *vector, llvm::ArrayRef<int> lanes) {
  return builder.CreateShuffleVector(vector, lanes);
}

llvm::Value *Lowering::toBits(llvm::Value *value) {
  llvm::Type *element = value->getType()->getScalarType();
  if (element->isIntegerTy())
    return value;
  unsigned bits = element->isPointerTy() ? 64 : element->getScalarSizeInBits();
  llvm::Type *type = builder.getIntNTy(bits);
  if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType()))
    type = llvm::FixedVectorType::get(type, vector->getNumElements());
  return element->isPointerTy() ? builder.CreatePtrToInt(value, type) : builder.CreateBitCast(value, type);
}

llvm::Value *Lowering::fromBits(llvm::Value *bits, llvm::Type *type) {
  if (bits->getType() == type)
    return bits;
  return type->getScalarType()->isPointerTy() ? builder.CreateIntToPtr(bits, type) : builder.CreateBitCast(bits, type);
}

// ---- The walk.

void Lowering::lowerBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (hasFailed())
      return;
    setLocation(op.getLoc());
    lowerOp(&op);
  }
}

// Numbers that are the same all over a run (`columns < 1024`, `rows // 8`) are computed once for it: every register
// takes the value of the first one in its run, and what nobody reads goes away.
static llvm::Value *onceInRun(Lowering &lowering, Value result, llvm::Value *value) {
  if (!isTile(result.getType()) || !getElementTypeOrSelf(result.getType()).isIntOrIndex())
    return value;
  const analysis::AxisInfo &info = lowering.axes.of(result);
  LinearLayout layout = warp::layoutOf(result.getType());
  unsigned inRun = 0; // the bits of a register's number that do not leave a run
  for (unsigned bit = 0; bit < layout.bits(layout::Dim::Register); ++bit) {
    bool stays = true;
    for (unsigned axis = 0; axis < layout.rank(); ++axis)
      stays &= layout.basis(layout::Dim::Register, bit, layout::axisDim(axis)) <
               (info.constancy[axis] & -info.constancy[axis]);
    inRun |= unsigned(stays) << bit;
  }
  if (!inRun)
    return value;
  llvm::SmallVector<int> firsts;
  for (unsigned r = 0; r < layout.registers(); ++r)
    firsts.push_back(int(r & ~inRun));
  return lowering.shuffle(value, firsts);
}

void Lowering::lowerElementwise(Operation *op) {
  if (lowerDivisionByScalar(op))
    return;
  Values operands, results;
  unsigned count = 0;
  if (isTile(op->getResult(0).getType()))
    count = warp::layoutOf(op->getResult(0).getType()).registers();
  for (Value operand : op->getOperands()) {
    llvm::Value *value = get(operand);
    // A scalar beside tiles: the condition of a select.
    operands.push_back(count && !isTile(operand.getType()) ? splat(value, count) : value);
  }
  if (hasFailed() || !emitElementwise(op, operands, results))
    return;
  for (auto [result, value] : llvm::zip(op->getResults(), results))
    set(result, onceInRun(*this, result, value));
}

template <> void Lowering::lower(tile::ProgramIdOp op) { set(op, instructions.program(op.getAxis())); }

template <> void Lowering::lower(tile::NumProgramsOp op) { set(op, instructions.programs(op.getAxis())); }

template <> void Lowering::lower(warp::TensorMapOp) {} // a parameter

static OpTable makeTable() {
  OpTable table;
  for (auto add : {addAtomicOps, addBufferOps, addControlOps, addConvertLayoutOps, addDebugOps, addDotOps,
                   addElementwiseOps, addHintOps, addInlineAsmOps, addMemoryOps, addReduceOps, addScanOps, addScopeOps,
                   addShapeOps, addSortOps, addSpecializeOps, addStoreBlockOps, addTensorCopyOps})
    add(table);
  table.add<tile::ProgramIdOp, tile::NumProgramsOp, warp::TensorMapOp>();
  return table;
}

void Lowering::lowerOp(Operation *op) {
  static const OpTable kTable = makeTable();
  if (!kTable.lower(*this, op))
    lowerElementwise(op);
}

} // namespace nereid::gpu
