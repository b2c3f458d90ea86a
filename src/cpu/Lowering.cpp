// Lowering.cpp: the frame of a kernel (arguments, the loop over programs) and the walk over its ops.
#include "cpu/Lowering.h"

#include "codegen/LineTable.h"
#include "codegen/Sites.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;

namespace nereid::cpu {

Lowering::Lowering(func::FuncOp kernel, const Target &target, const LowerOptions &options, llvm::Module &module,
                   Artifact &artifact)
    : kernel(kernel), target(target), options(options), module(module), context(module.getContext()), builder(context),
      artifact(artifact) {}

void Lowering::fail(Operation *op, const std::string &message) {
  if (!hasFailed())
    failure = codegen::errorAt(op, message);
}

void Lowering::setLocation(Location loc) {
  if (lines)
    builder.SetCurrentDebugLocation(lines->at(loc));
}

llvm::Value *Lowering::scalar(Value value) {
  auto it = scalars.find(value);
  if (it != scalars.end())
    return it->second;
  fail(value.getDefiningOp() ? value.getDefiningOp() : kernel.getOperation(), "internal: a scalar has no value yet");
  return llvm::Constant::getNullValue(typeOf(value.getType()));
}

bool Lowering::run() {
  auto *pointerType = builder.getPtrTy();
  auto *type = llvm::FunctionType::get(
      builder.getVoidTy(), {pointerType, pointerType, builder.getInt64Ty(), builder.getInt64Ty(), pointerType}, false);
  function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, kernel.getName(), module);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  arguments = function->getArg(0), state = function->getArg(1), scratch = function->getArg(4);
  for (unsigned i : {0u, 1u, 4u})
    function->addParamAttr(i, llvm::Attribute::NoAlias);
  using Unit = llvm::DICompileUnit;
  auto debugKind = options.debugInfo ? Unit::FullDebug : Unit::LineTablesOnly;
  lines = std::make_unique<LineTable>(module, *function, kernel.getLoc(), debugKind);
  builder.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function));
  setLocation(kernel.getLoc());
  bindArguments();
  emitProgramLoop();
  lines->finish();
  artifact.name = kernel.getName().str();
  artifact.scratchBytes = arena.peak();
  artifact.argumentCount = kernel.getNumArguments();
  return !hasFailed();
}

void Lowering::bindArguments() {
  for (BlockArgument argument : kernel.getArguments()) {
    llvm::Value *word = builder.CreateConstInBoundsGEP1_64(builder.getInt64Ty(), arguments, argument.getArgNumber());
    scalars[argument] = loadScalar(word, argument.getType());
  }
  for (unsigned i = 0; i < 3; ++i)
    grid[i] =
        builder.CreateLoad(builder.getInt32Ty(), builder.CreateConstInBoundsGEP1_64(builder.getInt32Ty(), state, i));
}

void Lowering::emitProgramLoop() {
  llvm::Value *first = function->getArg(2), *last = function->getArg(3);
  auto block = [&](const char *name) { return llvm::BasicBlock::Create(context, name, function); };
  llvm::BasicBlock *entry = builder.GetInsertBlock(), *head = block("program"), *body = block("run"),
                   *exit = block("exit");
  programEnd = block("next");
  builder.CreateBr(head);
  builder.SetInsertPoint(head);
  llvm::PHINode *index = builder.CreatePHI(builder.getInt64Ty(), 2, "index");
  index->addIncoming(first, entry);
  // For the run time, should it have something to say before the next program, or the program be left from a handler.
  builder.CreateStore(index, builder.CreateConstGEP1_64(builder.getInt8Ty(), scratch, -8), /*isVolatile=*/true);
  llvm::Value *goesOn = builder.CreateAnd(builder.CreateICmpULT(index, last),
                                          builder.CreateIsNull(loadStop(llvm::AtomicOrdering::Monotonic)));
  builder.CreateCondBr(goesOn, body, exit);

  builder.SetInsertPoint(body);
  llvm::Value *x = builder.CreateZExt(grid[0], builder.getInt64Ty()),
              *y = builder.CreateZExt(grid[1], builder.getInt64Ty());
  llvm::Value *row = builder.CreateUDiv(index, x);
  programIds[0] = builder.CreateTrunc(builder.CreateURem(index, x), builder.getInt32Ty());
  programIds[1] = builder.CreateTrunc(builder.CreateURem(row, y), builder.getInt32Ty());
  programIds[2] = builder.CreateTrunc(builder.CreateUDiv(row, y), builder.getInt32Ty());
  lowerBlock(kernel.getBody().front());
  builder.CreateBr(programEnd);

  programEnd->moveAfter(&function->back());
  builder.SetInsertPoint(programEnd);
  index->addIncoming(builder.CreateAdd(index, builder.getInt64(1)), programEnd);
  builder.CreateBr(head);
  exit->moveAfter(&function->back());
  builder.SetInsertPoint(exit);
  builder.CreateRetVoid();
}

void Lowering::lowerBlock(Block &block) {
  prefetcher.distribute(); // what was noted outside may not have run here, and the other way round
  for (Operation &op : block.without_terminator()) {
    if (hasFailed())
      return;
    currentOp = &op;
    setLocation(op.getLoc());
    lowerOp(&op);
    sweep(&op);
  }
  flush();
  prefetcher.distribute();
}

static bool hasTiles(Operation *op) {
  auto tile = [](Type type) { return isTile(type); };
  return llvm::any_of(op->getOperandTypes(), tile) || llvm::any_of(op->getResultTypes(), tile);
}

static OpTable makeTable() {
  OpTable table;
  for (auto add : {addAtomicOps, addCombineOps, addControlOps, addDebugOps, addElementwiseOps, addProductOps,
                   addScaledProductOps, addShapeOps})
    add(table);
  return table;
}

void Lowering::lowerOp(Operation *op) {
  static const OpTable kTable = makeTable();
  if (kTable.lower(*this, op))
    return;
  if (!hasTiles(op))
    return lowerScalar(op);
  if (op->getNumResults() == 1 && isTile(op->getResult(0).getType()) && isCheap(op->getResult(0)))
    return; // computed where it is used
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto *data = denseConstant(cast<DenseElementsAttr>(constant.getValue()), constant.getType());
    auto *global =
        new llvm::GlobalVariable(module, data->getType(), true, llvm::GlobalValue::PrivateLinkage, data, "constant");
    global->setAlignment(llvm::Align(64));
    Buffer buffer{global, {}};
    int64_t stride = 1;
    for (int64_t extent : llvm::reverse(tile::shapeOf(constant.getType()))) {
      buffer.strides.insert(buffer.strides.begin(), stride);
      stride *= extent;
    }
    buffers[constant.getResult()] = buffer;
    return;
  }
  if (isView(op))
    return; // read through where it is used
  if (auto load = dyn_cast<tile::LoadOp>(op); load && isDeferred(load))
    return;
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return join(op, tile::shapeOf(store.getPtr().getType()));
  if (isa<arith::SelectOp>(op) && !isTile(op->getOperand(0).getType()) && isMember(op->getOperand(0).getDefiningOp()))
    flush();
  if (!isElementwise(op) && !isa<tile::LoadOp, tile::AddPtrOp>(op))
    return fail(op, "`" + op->getName().getStringRef().str() + "` is not supported on the CPU");
  join(op, tile::shapeOf(op->getResult(0).getType()));
}

// ---- Scalars.

void Lowering::lowerScalar(Operation *op) {
  bool touchesMemory = isa<tile::LoadOp, tile::StoreOp>(op);
  bool isMissing = llvm::any_of(op->getOperands(), [&](Value operand) { return !scalars.count(operand); });
  if (touchesMemory || isMissing)
    flush();
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return setScalar(constant, scalarConstant(context, constant.getValue(), constant.getType()));
  if (auto poison = dyn_cast<ub::PoisonOp>(op))
    return setScalar(poison, llvm::Constant::getNullValue(typeOf(poison.getType())));
  if (auto id = dyn_cast<tile::ProgramIdOp>(op))
    return setScalar(id, programIds[id.getAxis()]);
  if (auto count = dyn_cast<tile::NumProgramsOp>(op))
    return setScalar(count, grid[count.getAxis()]);
  if (auto reg = dyn_cast<tile::SpecialRegisterOp>(op)) {
    llvm::Value *clock = builder.getInt64(0);
    if (reg.getName() != "smid")
      clock = builder.CreateIntrinsic(llvm::Intrinsic::readcyclecounter, {});
    return setScalar(reg, builder.CreateZExtOrTrunc(clock, typeOf(reg.getType())));
  }
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    auto read = [&] {
      llvm::Value *value = loadScalar(scalar(load.getPtr()), load.getType());
      if (auto *instruction = llvm::dyn_cast<llvm::LoadInst>(value))
        instruction->setVolatile(load.getIsVolatile());
      return value;
    };
    if (!load.getMask())
      return setScalar(load, read());
    llvm::AllocaInst *slot = stackSlot(typeOf(load.getType()), "loaded");
    builder.CreateStore(
        load.getOther() ? scalar(load.getOther()) : llvm::Constant::getNullValue(typeOf(load.getType())), slot);
    emitIf(scalar(load.getMask()), [&] { builder.CreateStore(read(), slot); });
    return setScalar(load, builder.CreateLoad(typeOf(load.getType()), slot));
  }
  if (auto store = dyn_cast<tile::StoreOp>(op)) {
    auto write = [&] { storeScalar(scalar(store.getPtr()), scalar(store.getValue()), store.getValue().getType()); };
    return store.getMask() ? emitIf(scalar(store.getMask()), write) : write();
  }
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
          arith::CeilDivUIOp>(op)) {
    llvm::Value *divisor = scalar(op->getOperand(1));
    if (!llvm::isa<llvm::ConstantInt>(divisor) || llvm::cast<llvm::ConstantInt>(divisor)->isZero())
      emitIf(builder.CreateICmpEQ(divisor, llvm::Constant::getNullValue(divisor->getType())),
             [&] { emitFailure(siteOf(op, Site::Kind::DivisionByZero, "integer division by zero")); });
  }
  llvm::SmallVector<llvm::Value *> operands, results;
  for (Value operand : op->getOperands())
    operands.push_back(scalar(operand));
  if (!emitElementwise(op, operands, results))
    return fail(op, "`" + op->getName().getStringRef().str() + "` is not supported on the CPU");
  for (auto [result, value] : llvm::zip(op->getResults(), results))
    setScalar(result, value);
}

} // namespace nereid::cpu
