// Debug.cpp: prints, assertions and other failures: calls into the run time with the number of a site.
#include "codegen/Sites.h"
#include "cpu/Lowering.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Support/FormatVariadic.h"

#include <cstddef>

using namespace mlir;

namespace nereid::cpu {

uint32_t Lowering::siteOf(Operation *op, Site::Kind kind, const std::string &text) {
  artifact.sites.push_back(codegen::siteAt(op, kind, text));
  return uint32_t(artifact.sites.size() - 1);
}

// The three numbers of the program in memory, for the run time.
static llvm::Value *programInMemory(Lowering &lowering) {
  llvm::IRBuilder<> &builder = lowering.builder;
  auto *type = llvm::ArrayType::get(builder.getInt32Ty(), 3);
  llvm::Value *slot = lowering.stackSlot(type, "program");
  for (unsigned i = 0; i < 3; ++i)
    builder.CreateStore(lowering.programIds[i], builder.CreateConstInBoundsGEP1_64(builder.getInt32Ty(), slot, i));
  return slot;
}

static llvm::Value *callBackAt(Lowering &lowering, size_t offset) {
  llvm::IRBuilder<> &builder = lowering.builder;
  return builder.CreateLoad(builder.getPtrTy(),
                            builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), lowering.state, offset));
}

static void callBack(Lowering &lowering, size_t offset, uint32_t site, llvm::Value *last) {
  llvm::IRBuilder<> &builder = lowering.builder;
  llvm::Value *callee = callBackAt(lowering, offset);
  llvm::SmallVector<llvm::Value *> arguments{lowering.state, builder.getInt32(site), programInMemory(lowering)};
  llvm::SmallVector<llvm::Type *> types{builder.getPtrTy(), builder.getInt32Ty(), builder.getPtrTy()};
  if (last) {
    arguments.push_back(last);
    types.push_back(last->getType());
  }
  builder.CreateCall(llvm::FunctionType::get(builder.getVoidTy(), types, false), callee, arguments);
}

void Lowering::emitFailure(uint32_t site) {
  callBack(*this, offsetof(LaunchState, fail), site, nullptr);
  builder.CreateBr(programEnd);
  builder.SetInsertPoint(llvm::BasicBlock::Create(context, "dead", function));
}

llvm::Value *Lowering::loadStop(llvm::AtomicOrdering order) {
  llvm::LoadInst *stop = builder.CreateAlignedLoad(
      builder.getInt32Ty(), builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), state, offsetof(LaunchState, stop)),
      llvm::Align(4));
  stop->setAtomic(order);
  return stop;
}

// On x86-64 one piece of assembly, whose call stands behind the function: LLVM sees neither a block nor a value that lives longer, and the
// function called keeps all registers. It pushes, so nothing may lie below the stack pointer.
static llvm::CallInst *lookInAssembly(Lowering &lowering, uint32_t site) {
  llvm::IRBuilder<> &builder = lowering.builder;
  lowering.function->addFnAttr(llvm::Attribute::NoRedZone);
  std::string text =
      llvm::formatv("cmpl $$0, {0}($0)\n\tjne 1f\n2:\n\t.subsection 1\n"
                    "1:\tpushq %rdi\n\tpushq %rsi\n\tmovq $0, %rdi\n\tmovl $${1}, %esi\n\tcallq *{2}(%rdi)\n"
                    "\tpopq %rsi\n\tpopq %rdi\n\tjmp 2b\n\t.previous",
                    offsetof(LaunchState, stop), site, offsetof(LaunchState, look));
  auto *type = llvm::FunctionType::get(builder.getVoidTy(), {builder.getPtrTy()}, false);
  return builder.CreateCall(type, llvm::InlineAsm::get(type, text, "r,~{flags}", true), {lowering.state});
}

static llvm::CallInst *lookByCall(Lowering &lowering, uint32_t site) {
  llvm::IRBuilder<> &builder = lowering.builder;
  auto *ask = llvm::BasicBlock::Create(lowering.context, "look", lowering.function);
  auto *after = llvm::BasicBlock::Create(lowering.context, "goeson", lowering.function);
  auto *rarely = llvm::MDBuilder(lowering.context).createBranchWeights(1, 1 << 20);
  llvm::Value *stop = lowering.loadStop(llvm::AtomicOrdering::Unordered);
  builder.CreateCondBr(builder.CreateIsNotNull(stop), ask, after, rarely);
  builder.SetInsertPoint(ask);
  auto *type = llvm::FunctionType::get(builder.getVoidTy(), {builder.getPtrTy(), builder.getInt32Ty()}, false);
  llvm::Value *look = callBackAt(lowering, offsetof(LaunchState, look));
  llvm::CallInst *call = builder.CreateCall(type, look, {lowering.state, builder.getInt32(site)});
  builder.CreateBr(after);
  builder.SetInsertPoint(after);
  return call;
}

// Where the program ends there, the function called does not return. It touches nothing that the kernel computes with: values stay in
// registers across it, and what does not change in a loop leaves it.
void Lowering::emitLook(uint32_t site) {
  llvm::CallInst *call = target.isX86 ? lookInAssembly(*this, site) : lookByCall(*this, site);
  call->setMemoryEffects(llvm::MemoryEffects::inaccessibleOrArgMemOnly());
  call->setDoesNotThrow();
}

llvm::Value *Lowering::beginWait() {
  artifact.waits = true;
  llvm::Value *isFirst = stackSlot(builder.getInt32Ty(), "turn");
  builder.CreateStore(builder.getInt32(kFirstTurn), isFirst);
  return isFirst;
}

void Lowering::emitWait(Operation *op, llvm::Value *isFirst, bool isOnlyWait) {
  uint32_t site = siteOf(op, Site::Kind::Wait, "");
  llvm::Value *turn = builder.CreateLoad(builder.getInt32Ty(), isFirst);
  turn = builder.CreateOr(turn, builder.getInt32(isOnlyWait ? kOnlyWait : 0));
  callBack(*this, offsetof(LaunchState, wait), site, turn);
  builder.CreateStore(builder.getInt32(0), isFirst);
  // What this program waits for will not come: another one has failed, or all wait.
  llvm::Value *stop = loadStop(llvm::AtomicOrdering::Monotonic);
  emitIf(builder.CreateIsNotNull(builder.CreateAnd(stop, builder.getInt32(kEnd))), [&] {
    builder.CreateBr(programEnd);
    builder.SetInsertPoint(llvm::BasicBlock::Create(context, "dead", function));
  });
}

template <> void Lowering::lower(tile::AssertOp op) {
  flush();
  uint32_t site = siteOf(op, Site::Kind::Assert, op.getMessage().str());
  if (!isTile(op.getCondition().getType())) {
    llvm::Value *isBad = builder.CreateNot(scalar(op.getCondition()));
    if (op.getMask())
      isBad = builder.CreateAnd(isBad, scalar(op.getMask()));
    return emitIf(isBad, [&] { emitFailure(site); });
  }
  Buffer condition = materialize(op.getCondition());
  std::optional<Buffer> mask;
  if (op.getMask() && isTile(op.getMask().getType()))
    mask = materialize(op.getMask());
  emitLoops(tile::shapeOf(op.getCondition().getType()), [&](ArrayRef<llvm::Value *> index) {
    llvm::Value *isBad = builder.CreateNot(loadElement(condition, index, op.getCondition().getType()));
    if (mask)
      isBad = builder.CreateAnd(isBad, loadElement(*mask, index, op.getMask().getType()));
    else if (op.getMask())
      isBad = builder.CreateAnd(isBad, scalar(op.getMask()));
    emitIf(isBad, [&] { emitFailure(site); });
  });
}

template <> void Lowering::lower(tile::PrintOp op) {
  flush();
  artifact.isOrderSensitive = true;
  uint32_t site = siteOf(op, Site::Kind::Print, op.getPrefix().str());
  auto *pointers = llvm::ArrayType::get(builder.getPtrTy(), std::max<size_t>(op.getArgs().size(), 1));
  llvm::Value *values = stackSlot(pointers, "values");
  for (auto [i, value] : llvm::enumerate(op.getArgs())) {
    llvm::Value *data = nullptr;
    if (isTile(value.getType())) {
      // The run time reads rows: a buffer of another order is copied.
      Buffer rows = allocate(value.getType(), Value());
      copyTo(value, rows);
      data = rows.data;
    } else {
      data = stackSlot(memoryType(context, value.getType()), "printed");
      storeScalar(data, scalar(value), value.getType());
    }
    builder.CreateStore(data, builder.CreateConstInBoundsGEP1_64(builder.getPtrTy(), values, i));
  }
  callBack(*this, offsetof(LaunchState, print), site, values);
}

// Where nobody profiles, a load and a branch; what stands before the scope is done before it.
template <> void Lowering::lower(tile::ScopeOp op) {
  flush();
  uint32_t site = siteOf(op, Site::Kind::Scope, op.getName().str());
  llvm::Value *mark = callBackAt(*this, offsetof(LaunchState, mark));
  emitIf(builder.CreateIsNotNull(mark),
         [&] { callBack(*this, offsetof(LaunchState, mark), site, builder.getInt32(op.getExit())); });
}

// Nothing to do where one thread runs a whole program.
template <> void Lowering::lower(tile::GridDependencyOp) {}
template <> void Lowering::lower(tile::BarrierOp) { flush(); }

void addDebugOps(OpTable &table) {
  table.add<tile::AssertOp, tile::PrintOp, tile::GridDependencyOp, tile::ScopeOp, tile::BarrierOp>();
}

} // namespace nereid::cpu
