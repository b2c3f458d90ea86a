// Atomic.cpp: read-modify-write of memory that other programs use, element by element.
#include "cpu/Lowering.h"

#include "codegen/Emit.h"

using namespace mlir;

namespace nereid::cpu {

constexpr auto kOrder = llvm::AtomicOrdering::AcquireRelease;

// Compares and exchanges until nobody came between; gives the bits from before.
static llvm::Value *changeByExchange(Lowering &lowering, llvm::Value *address, llvm::Type *bits, unsigned bytes,
                                     llvm::function_ref<llvm::Value *(llvm::Value *)> next) {
  llvm::IRBuilder<> &builder = lowering.builder;
  llvm::AllocaInst *slot = lowering.stackSlot(bits, "old");
  builder.CreateStore(builder.CreateAlignedLoad(bits, address, llvm::Align(bytes)), slot);
  auto *retry = llvm::BasicBlock::Create(lowering.context, "retry", lowering.function);
  auto *done = llvm::BasicBlock::Create(lowering.context, "exchanged", lowering.function);
  builder.CreateBr(retry);
  builder.SetInsertPoint(retry);
  llvm::Value *old = builder.CreateLoad(bits, slot);
  auto *exchange =
      builder.CreateAtomicCmpXchg(address, old, next(old), llvm::Align(bytes), kOrder, llvm::AtomicOrdering::Acquire);
  builder.CreateStore(builder.CreateExtractValue(exchange, 0), slot);
  builder.CreateCondBr(builder.CreateExtractValue(exchange, 1), done, retry);
  builder.SetInsertPoint(done);
  return builder.CreateLoad(bits, slot);
}

static llvm::Value *changeOne(Lowering &lowering, tile::RmwKind kind, llvm::Value *address, llvm::Value *value,
                              Type type) {
  llvm::IRBuilder<> &builder = lowering.builder;
  unsigned bytes = elementBytes(type);
  llvm::Value *where = lowering.pointer(address);
  auto narrowType = narrowFloatOf(type);
  bool isFloatKind = kind == tile::RmwKind::FAdd || kind == tile::RmwKind::FMax || kind == tile::RmwKind::FMin;
  if (isFloatKind && narrowType)
    return changeByExchange(lowering, where, value->getType(), bytes, [&](llvm::Value *old) {
      llvm::Value *a = widen(builder, lowering.target, old, *narrowType),
                  *b = widen(builder, lowering.target, value, *narrowType);
      llvm::Value *sum =
          kind == tile::RmwKind::FAdd
              ? builder.CreateFAdd(a, b)
              : builder.CreateBinaryIntrinsic(
                    kind == tile::RmwKind::FMax ? llvm::Intrinsic::maximumnum : llvm::Intrinsic::minimumnum, a, b);
      return narrow(builder, lowering.target, sum, *narrowType);
    });
  if (isFloatKind && kind != tile::RmwKind::FAdd) {
    llvm::Type *bits = builder.getIntNTy(bytes * 8);
    llvm::Value *old = changeByExchange(lowering, where, bits, bytes, [&](llvm::Value *old) {
      auto id = kind == tile::RmwKind::FMax ? llvm::Intrinsic::maximumnum : llvm::Intrinsic::minimumnum;
      return builder.CreateBitCast(
          builder.CreateBinaryIntrinsic(id, builder.CreateBitCast(old, value->getType()), value), bits);
    });
    return builder.CreateBitCast(old, value->getType());
  }
  bool isBool = value->getType()->isIntegerTy(1);
  if (isBool)
    value = builder.CreateZExt(value, builder.getInt8Ty());
  llvm::Value *old = builder.CreateAtomicRMW(codegen::operationOf(kind), where, value, llvm::Align(bytes), kOrder);
  return isBool ? builder.CreateTrunc(old, builder.getInt1Ty()) : old;
}

template <> void Lowering::lower(tile::AtomicRmwOp op) {
  flush();
  Type type = op.getValue().getType();
  if (!isTile(op.getPtr().getType())) {
    llvm::Value *value = scalar(op.getValue());
    llvm::AllocaInst *slot = stackSlot(value->getType(), "old");
    builder.CreateStore(llvm::Constant::getNullValue(value->getType()), slot);
    auto change = [&] { builder.CreateStore(changeOne(*this, op.getKind(), scalar(op.getPtr()), value, type), slot); };
    op.getMask() ? emitIf(scalar(op.getMask()), change) : change();
    return setScalar(op.getResult(), builder.CreateLoad(value->getType(), slot));
  }
  Buffer pointers = materialize(op.getPtr()), values = materialize(op.getValue());
  std::optional<Buffer> mask, result;
  if (op.getMask() && isTile(op.getMask().getType()))
    mask = materialize(op.getMask());
  if (!op.getResult().use_empty())
    result = allocate(op.getResult().getType(), op.getResult());
  emitLoops(tile::shapeOf(op.getPtr().getType()), [&](ArrayRef<llvm::Value *> index) {
    if (result)
      storeElement(*result, index, llvm::Constant::getNullValue(typeOf(type)), type);
    auto change = [&] {
      llvm::Value *old = changeOne(*this, op.getKind(), loadElement(pointers, index, op.getPtr().getType()),
                                   loadElement(values, index, type), type);
      if (result)
        storeElement(*result, index, old, type);
    };
    if (mask)
      emitIf(loadElement(*mask, index, op.getMask().getType()), change);
    else
      op.getMask() ? emitIf(scalar(op.getMask()), change) : change();
  });
  if (result)
    buffers[op.getResult()] = *result;
}

template <> void Lowering::lower(tile::AtomicCasOp op) {
  flush();
  Type type = op.getValue().getType();
  unsigned bytes = elementBytes(type);
  llvm::Type *bits = builder.getIntNTy(bytes * 8);
  auto exchange = [&](llvm::Value *address, llvm::Value *expected, llvm::Value *value) {
    llvm::Type *inRegister = value->getType();
    auto asBits = [&](llvm::Value *v) {
      return v->getType()->isIntegerTy() ? builder.CreateZExtOrTrunc(v, bits) : builder.CreateBitCast(v, bits);
    };
    auto *pair = builder.CreateAtomicCmpXchg(pointer(address), asBits(expected), asBits(value), llvm::Align(bytes),
                                             kOrder, llvm::AtomicOrdering::Acquire);
    llvm::Value *old = builder.CreateExtractValue(pair, 0);
    return inRegister->isIntegerTy() ? builder.CreateZExtOrTrunc(old, inRegister)
                                     : builder.CreateBitCast(old, inRegister);
  };
  if (!isTile(op.getPtr().getType()))
    return setScalar(op.getResult(), exchange(scalar(op.getPtr()), scalar(op.getExpected()), scalar(op.getValue())));
  Buffer pointers = materialize(op.getPtr()), expected = materialize(op.getExpected()),
         values = materialize(op.getValue());
  Buffer result = allocate(op.getResult().getType(), op.getResult());
  emitLoops(tile::shapeOf(op.getPtr().getType()), [&](ArrayRef<llvm::Value *> index) {
    storeElement(result, index,
                 exchange(loadElement(pointers, index, op.getPtr().getType()), loadElement(expected, index, type),
                          loadElement(values, index, type)),
                 type);
  });
  buffers[op.getResult()] = result;
}

// Waiting for another program that may never come: after this many ticks of the clock (ten seconds and more) the launch
// fails.
constexpr uint64_t kPatience = uint64_t(40) * 1000 * 1000 * 1000;

template <> void Lowering::lower(tile::AtomicPollOp op) {
  flush();
  if (isTile(op.getPtr().getType()))
    return fail(op, "waiting on a tile of addresses is not supported on the CPU");
  Type type = op.getExpected().getType();
  llvm::Value *where = pointer(scalar(op.getPtr())), *expected = scalar(op.getExpected());
  auto clock = [&] { return builder.CreateIntrinsic(llvm::Intrinsic::readcyclecounter, {}); };
  llvm::Value *start = clock(), *isFirst = beginWait();
  llvm::Value *limit =
      op.getTimeout() ? builder.CreateMul(scalar(op.getTimeout()), builder.getInt64(3)) : builder.getInt64(kPatience);
  auto *wait = llvm::BasicBlock::Create(context, "wait", function);
  auto *again = llvm::BasicBlock::Create(context, "again", function);
  auto *done = llvm::BasicBlock::Create(context, "came", function);
  builder.CreateBr(wait);
  builder.SetInsertPoint(wait);
  llvm::LoadInst *now =
      builder.CreateAlignedLoad(builder.getIntNTy(elementBytes(type) * 8), where, llvm::Align(elementBytes(type)));
  now->setAtomic(llvm::AtomicOrdering::Acquire);
  llvm::Value *isThere = builder.CreateICmpEQ(now, builder.CreateBitCast(expected, now->getType()));
  builder.CreateCondBr(isThere, done, again);
  builder.SetInsertPoint(again);
  emitWait(op, isFirst, /*isOnlyWait=*/false); // it has a clock of its own
  llvm::Value *isOver = builder.CreateICmpUGT(builder.CreateSub(clock(), start), limit);
  auto *turned = builder.GetInsertBlock();
  builder.CreateCondBr(isOver, done, wait);
  builder.SetInsertPoint(done);
  llvm::PHINode *result = builder.CreatePHI(builder.getInt1Ty(), 2);
  result->addIncoming(builder.getTrue(), wait);
  result->addIncoming(builder.getFalse(), turned);
  setScalar(op.getResult(), result);
  if (!op.getTimeout())
    emitIf(builder.CreateNot(result),
           [&] { emitFailure(siteOf(op, Site::Kind::Assert, "the program waited too long for a value in memory")); });
}

void addAtomicOps(OpTable &table) { table.add<tile::AtomicRmwOp, tile::AtomicCasOp, tile::AtomicPollOp>(); }

} // namespace nereid::cpu
