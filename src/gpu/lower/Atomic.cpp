// Atomic.cpp: read-modify-write of global memory. Each element is changed once, by the first of the threads that hold
// it; the others learn the old value through shared memory where it is used. Neighbours are changed by one instruction
// where there is one for them, and by a reduction, which gives nothing back, where no old value is used.
#include "gpu/lower/Access.h"

#include "codegen/Emit.h"
#include "gpu/layouts/Anchors.h"

using namespace mlir;

namespace nereid::gpu {

namespace {

llvm::AtomicOrdering orderOf(tile::MemSem sem) {
  switch (sem) {
  case tile::MemSem::Relaxed: return llvm::AtomicOrdering::Monotonic;
  case tile::MemSem::Acquire: return llvm::AtomicOrdering::Acquire;
  case tile::MemSem::Release: return llvm::AtomicOrdering::Release;
  case tile::MemSem::AcqRel: return llvm::AtomicOrdering::AcquireRelease;
  }
  return llvm::AtomicOrdering::AcquireRelease;
}

llvm::SyncScope::ID scopeOf(Lowering &lowering, tile::MemScope scope) {
  const char *names[] = {"block", "device", ""};
  return lowering.context.getOrInsertSyncScopeID(names[unsigned(scope)]);
}

// The value where the condition holds, zero elsewhere.
llvm::Value *guarded(Lowering &lowering, llvm::Value *condition, llvm::Type *type,
                     llvm::function_ref<llvm::Value *()> compute) {
  llvm::IRBuilder<> &builder = lowering.builder;
  auto *before = builder.GetInsertBlock();
  llvm::Value *value = nullptr;
  llvm::BasicBlock *inside = nullptr;
  lowering.emitIf(condition, [&] {
    value = compute();
    inside = builder.GetInsertBlock();
  });
  llvm::PHINode *phi = builder.CreatePHI(type, 2);
  phi->addIncoming(llvm::Constant::getNullValue(type), before);
  phi->addIncoming(value, inside);
  return phi;
}

// Runs `change` for every group of neighbours under its condition; gives the old values, or zeros where nothing was
// changed.
class Changer {
public:
  using Change = llvm::function_ref<Values(unsigned, tile::MemSem)>; // the old values of the elements from this one on
  using Reduce = llvm::function_ref<void(unsigned, llvm::Value *)>;  // relaxed, under a condition (null: always)
  Changer(Lowering &lowering, Operation *op, Value pointer, Value mask, unsigned width = 1)
      : lowering(lowering), builder(lowering.builder), op(op), mask(mask), width(width),
        isScalar(!isTile(pointer.getType())), isUsed(!op->getResult(0).use_empty()) {
    type = lowering.elementType(op->getResult(0).getType());
    if (!isScalar)
      layout = warp::layoutOf(pointer.getType());
  }

  void run(tile::MemSem sem, tile::MemScope scope, Change change, Reduce reduce = nullptr) {
    bool releases = sem == tile::MemSem::Release || sem == tile::MemSem::AcqRel;
    bool acquires = sem == tile::MemSem::Acquire || sem == tile::MemSem::AcqRel;
    // What other threads wrote before must be seen with this change.
    if (isScalar && releases)
      lowering.barrier();
    // Ordered instructions are a fence, a change and a fence each: many of them share their fences.
    bool sharesFences = count() > width && sem != tile::MemSem::Relaxed;
    tile::MemSem each = sharesFences ? tile::MemSem::Relaxed : sem;
    if (sharesFences && releases)
      builder.CreateFence(llvm::AtomicOrdering::AcquireRelease, scopeOf(lowering, scope));
    llvm::Value *owner =
        isScalar ? builder.CreateICmpEQ(lowering.thread, builder.getInt32(0)) : lowering.isOwner(layout);
    Values masks, old;
    if (mask)
      masks = isTile(mask.getType()) ? lowering.unpack(lowering.get(mask)) : Values(count(), lowering.get(mask));
    for (unsigned r = 0; r < count(); r += width) {
      llvm::Value *condition = masks.empty() ? owner : owner ? builder.CreateAnd(owner, masks[r]) : masks[r];
      if (!isUsed && reduce && each == tile::MemSem::Relaxed)
        reduce(r, condition);
      else
        llvm::append_range(old, changed(condition, [&] { return change(r, each); }));
    }
    if (sharesFences && acquires)
      builder.CreateFence(llvm::AtomicOrdering::AcquireRelease, scopeOf(lowering, scope));
    if (isUsed)
      share(owner, old);
    else if (isScalar && sem != tile::MemSem::Relaxed)
      lowering.barrier();
  }

private:
  unsigned count() { return isScalar ? 1 : layout.registers(); }

  // The old values where the condition holds (null: always), zeros elsewhere.
  Values changed(llvm::Value *condition, llvm::function_ref<Values()> change) {
    if (!condition)
      return change();
    auto *vector = llvm::FixedVectorType::get(type, width);
    return lowering.unpack(guarded(lowering, condition, vector, [&] { return lowering.pack(change()); }));
  }

  void share(llvm::Value *owner, Values &old) {
    if (owner) {
      uint64_t elements = isScalar ? 1 : layout.out().size();
      llvm::Value *base = lowering.beginScratch(op, elements * Lowering::bytesOf(type));
      lowering.emitIf(owner, [&] {
        if (isScalar)
          lowering.storeShared(base, old[0]);
        else
          lowering.storeTile(base, layout, lowering.pack(old));
      });
      lowering.barrier();
      if (isScalar)
        old[0] = lowering.loadShared(base, type);
      else
        old = lowering.unpack(lowering.loadTile(base, layout, type));
    }
    lowering.set(op->getResult(0), isScalar ? old[0] : lowering.pack(old));
  }

  Lowering &lowering;
  llvm::IRBuilder<> &builder;
  Operation *op;
  Value mask;
  unsigned width;
  bool isScalar, isUsed;
  LinearLayout layout;
  llvm::Type *type;
};

// The registers of a tile, or the scalar.
Values elementsOf(Lowering &lowering, Value value) {
  llvm::Value *held = lowering.get(value);
  return isTile(value.getType()) ? lowering.unpack(held) : Values{held};
}

// Whether memory stays as it is: programs look at what others publish by adding nothing. A load of the same order gives the
// same, and many threads can have it at once.
bool onlyReads(tile::RmwKind kind, tile::MemSem sem, llvm::Value *value) {
  bool isNeutral = kind == tile::RmwKind::Add || kind == tile::RmwKind::Or || kind == tile::RmwKind::Xor;
  bool releases = sem == tile::MemSem::Release || sem == tile::MemSem::AcqRel;
  unsigned bits = value->getType()->getScalarSizeInBits();
  auto *constant = llvm::dyn_cast<llvm::Constant>(value);
  return isNeutral && !releases && (bits == 32 || bits == 64) && constant && constant->isNullValue();
}

// One instruction where there is one, else a loop.
Values changeElements(Lowering &lowering, tile::AtomicRmwOp op, tile::RmwKind kind, tile::MemSem sem,
                      llvm::Value *pointer, llvm::ArrayRef<llvm::Value *> elements) {
  llvm::IRBuilder<> &builder = lowering.builder;
  llvm::Value *value = elements[0];
  if (elements.size() == 1 && onlyReads(kind, sem, value)) {
    llvm::LoadInst *loaded =
        builder.CreateAlignedLoad(value->getType(), pointer, llvm::Align(Lowering::bytesOf(value->getType())));
    loaded->setAtomic(orderOf(sem), scopeOf(lowering, op.getScope()));
    return {loaded};
  }
  if (lowering.instructions.hasAtomic(kind, value->getType(), elements.size(), lowering.options.target))
    return lowering.instructions.change(lowering, {sem, op.getScope()}, kind, pointer, elements);
  bool isTruth = value->getType()->isIntegerTy(1);
  if (isTruth)
    value = builder.CreateZExt(value, builder.getInt8Ty());
  llvm::Value *old = builder.CreateAtomicRMW(codegen::operationOf(kind), pointer, value,
                                             llvm::Align(Lowering::bytesOf(value->getType())), orderOf(sem),
                                             scopeOf(lowering, op.getScope()));
  return {isTruth ? builder.CreateTrunc(old, builder.getInt1Ty()) : old};
}

// The larger or smaller float by instructions on integers: bits of floats without a sign are in their order as signed
// numbers, and with a sign in the opposite order as unsigned numbers.
llvm::Value *changeToExtreme(Lowering &lowering, tile::AtomicRmwOp op, tile::MemSem sem, llvm::Value *pointer,
                             llvm::Value *given) {
  llvm::IRBuilder<> &builder = lowering.builder;
  bool isMax = op.getKind() == tile::RmwKind::FMax;
  llvm::Type *type = given->getType();
  // A NaN changes nothing: it becomes the infinity that never wins.
  llvm::Value *value =
      builder.CreateSelect(builder.CreateFCmpUNO(given, given), llvm::ConstantFP::getInfinity(type, isMax), given);
  llvm::Value *bits = lowering.toBits(value);
  llvm::Value *isNegative = builder.CreateICmpSLT(bits, llvm::Constant::getNullValue(bits->getType()));
  auto change = [&](llvm::Value *condition, tile::RmwKind kind) {
    return guarded(lowering, condition, bits->getType(),
                   [&] { return changeElements(lowering, op, kind, sem, pointer, bits).front(); });
  };
  using Kind = tile::RmwKind;
  llvm::Value *whenNegative = change(isNegative, isMax ? Kind::UMin : Kind::UMax),
              *whenPositive = change(builder.CreateNot(isNegative), isMax ? Kind::Max : Kind::Min);
  llvm::Value *old = lowering.fromBits(builder.CreateSelect(isNegative, whenNegative, whenPositive), type);
  // A NaN in memory loses against every number, whatever its bits say.
  lowering.emitIf(builder.CreateFCmpUNO(old, old),
                  [&] { changeElements(lowering, op, op.getKind(), sem, pointer, given); });
  return old;
}

// Neighbours that one instruction changes.
unsigned widthOf(Lowering &lowering, tile::AtomicRmwOp op, llvm::Type *type) {
  if (!isTile(op.getPtr().getType()))
    return 1;
  Value mask = op.getMask() && isTile(op.getMask().getType()) ? op.getMask() : Value();
  return std::min(
      widestChange(op, lowering.options),
      accessWidth(lowering.axes, op.getPtr(), mask, warp::layoutOf(op.getPtr().getType()), Lowering::bytesOf(type)));
}

} // namespace

template <> void Lowering::lower(tile::AtomicRmwOp op) {
  Values pointers = elementsOf(*this, op.getPtr()), operands = elementsOf(*this, op.getValue());
  operands.resize(pointers.size(), operands.front()); // a scalar is for all of them
  llvm::Type *type = operands[0]->getType();
  tile::RmwKind kind = op.getKind();
  bool isExtreme =
      (kind == tile::RmwKind::FMax || kind == tile::RmwKind::FMin) && (type->isFloatTy() || type->isDoubleTy());
  unsigned width = widthOf(*this, op, type);
  auto elements = [&](unsigned r) { return llvm::ArrayRef<llvm::Value *>(operands).slice(r, width); };
  auto change = [&](unsigned r, tile::MemSem sem) -> Values {
    return isExtreme ? Values{changeToExtreme(*this, op, sem, pointers[r], operands[r])}
                     : changeElements(*this, op, kind, sem, pointers[r], elements(r));
  };
  auto reduce = [&](unsigned r, llvm::Value *condition) {
    instructions.reduce(*this, {tile::MemSem::Relaxed, op.getScope()}, kind, pointers[r], elements(r), condition);
  };
  // Of a scalar, the assembler makes it.
  bool canReduce = instructions.hasAtomic(kind, type, width, options.target) && kind != tile::RmwKind::Xchg &&
                   isTile(op.getPtr().getType());
  Changer changer(*this, op, op.getPtr(), op.getMask(), width);
  changer.run(op.getSem(), op.getScope(), change, canReduce ? Changer::Reduce(reduce) : nullptr);
}

template <> void Lowering::lower(tile::AtomicCasOp op) {
  Values pointers = elementsOf(*this, op.getPtr()), expected = elementsOf(*this, op.getExpected()),
         operands = elementsOf(*this, op.getValue());
  auto change = [&](unsigned r, tile::MemSem sem) -> Values {
    llvm::Type *type = expected[r]->getType();
    if (unsigned bits = type->getScalarSizeInBits(); bits == 32 || bits == 64)
      return {instructions.changeIfEqual(*this, {sem, op.getScope()}, pointers[r], expected[r], operands[r])};
    llvm::AtomicOrdering order = orderOf(sem);
    llvm::AtomicOrdering failure = llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(order);
    llvm::Value *exchange =
        builder.CreateAtomicCmpXchg(pointers[r], toBits(expected[r]), toBits(operands[r]), llvm::Align(bytesOf(type)),
                                    order, failure, scopeOf(*this, op.getScope()));
    return {fromBits(builder.CreateExtractValue(exchange, 0), type)};
  };
  Changer(*this, op, op.getPtr(), {}).run(op.getSem(), op.getScope(), change);
}

template <> void Lowering::lower(tile::AtomicPollOp op) {
  llvm::Value *pointer = get(op.getPtr()), *expected = toBits(get(op.getExpected()));
  llvm::AtomicOrdering order =
      op.getSem() == tile::MemSem::Relaxed ? llvm::AtomicOrdering::Monotonic : llvm::AtomicOrdering::Acquire;
  auto now = [&] { return instructions.time(); };
  Changer(*this, op, op.getPtr(), {}).run(op.getSem(), op.getScope(), [&](unsigned, tile::MemSem) -> Values {
    llvm::Value *start = op.getTimeout() ? now() : nullptr;
    auto *poll = llvm::BasicBlock::Create(context, "poll", function),
         *done = llvm::BasicBlock::Create(context, "polled", function);
    builder.CreateBr(poll);
    builder.SetInsertPoint(poll);
    llvm::LoadInst *loaded =
        builder.CreateAlignedLoad(expected->getType(), pointer, llvm::Align(bytesOf(expected->getType())));
    loaded->setAtomic(order, scopeOf(*this, op.getScope()));
    llvm::Value *isEqual = builder.CreateICmpEQ(loaded, expected), *ends = isEqual;
    if (start)
      ends = builder.CreateOr(isEqual, builder.CreateICmpUGE(builder.CreateSub(now(), start), get(op.getTimeout())));
    builder.CreateCondBr(ends, done, poll);
    builder.SetInsertPoint(done);
    return {isEqual};
  });
}

void addAtomicOps(OpTable &table) { table.add<tile::AtomicRmwOp, tile::AtomicCasOp, tile::AtomicPollOp>(); }

} // namespace nereid::gpu
