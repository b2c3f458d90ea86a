// Atomic.cpp: read-modify-write of global memory. Each element is changed once, by the first of the threads that hold
// it; the others learn the old value through shared memory where it is used.
#include "gpu/lower/Lowering.h"

#include "codegen/Emit.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

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

// Runs `change` for every element under its condition; gives the old values, or zeros where nothing was changed.
class Changer {
public:
  using Change = llvm::function_ref<llvm::Value *(unsigned)>; // the old value of an element
  Changer(Lowering &lowering, Operation *op, Value pointer, Value mask)
      : lowering(lowering), builder(lowering.builder), op(op), mask(mask), isScalar(!isTile(pointer.getType())) {
    type = lowering.elementType(op->getResult(0).getType());
    if (!isScalar)
      layout = warp::layoutOf(pointer.getType());
  }

  void run(tile::MemSem sem, Change change) {
    // What other threads wrote before must be seen with this change.
    bool releases = sem == tile::MemSem::Release || sem == tile::MemSem::AcqRel;
    if (isScalar && releases)
      lowering.barrier();
    llvm::Value *owner =
        isScalar ? builder.CreateICmpEQ(lowering.thread, builder.getInt32(0)) : lowering.isOwner(layout);
    Values masks, old;
    if (mask)
      masks = isTile(mask.getType()) ? lowering.unpack(lowering.get(mask)) : Values(count(), lowering.get(mask));
    for (unsigned r = 0; r < count(); ++r) {
      llvm::Value *condition = masks.empty() ? owner : owner ? builder.CreateAnd(owner, masks[r]) : masks[r];
      old.push_back(condition ? guarded(lowering, condition, type, [&] { return change(r); }) : change(r));
    }
    if (op->getResult(0).use_empty()) {
      if (isScalar && sem != tile::MemSem::Relaxed)
        lowering.barrier();
      return;
    }
    share(owner, old);
  }

private:
  unsigned count() { return isScalar ? 1 : layout.registers(); }

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
  bool isScalar;
  LinearLayout layout;
  llvm::Type *type;
};

const char *nameOf(tile::MemSem sem) {
  constexpr const char *kNames[] = {"relaxed", "acquire", "release", "acq_rel"};
  return kNames[unsigned(sem)];
}
const char *nameOf(tile::MemScope scope) {
  constexpr const char *kNames[] = {"cta", "gpu", "sys"};
  return kNames[unsigned(scope)];
}

// PTX's name of an operation on a type, or nothing where it has none.
std::string instructionOf(tile::RmwKind kind, llvm::Type *type, const Options &options) {
  unsigned bits = type->getScalarSizeInBits();
  std::string width = std::to_string(bits);
  if (kind == tile::RmwKind::FAdd) {
    if (type->isFloatTy() || type->isDoubleTy())
      return "add.f" + width;
    bool isKnown = type->isHalfTy() || (type->isBFloatTy() && options.capability() >= 90);
    return !isKnown ? "" : type->isHalfTy() ? "add.noftz.f16" : "add.noftz.bf16";
  }
  if (bits != 32 && bits != 64)
    return "";
  switch (kind) {
  case tile::RmwKind::And: return "and.b" + width;
  case tile::RmwKind::Or: return "or.b" + width;
  case tile::RmwKind::Xor: return "xor.b" + width;
  case tile::RmwKind::Add: return "add.u" + width;
  case tile::RmwKind::Max: return "max.s" + width;
  case tile::RmwKind::Min: return "min.s" + width;
  case tile::RmwKind::UMax: return "max.u" + width;
  case tile::RmwKind::UMin: return "min.u" + width;
  case tile::RmwKind::Xchg: return "exch.b" + width;
  default: return "";
  }
}

// The instruction with these operands behind the address; it works on the bits of values.
llvm::Value *emitAtomic(Lowering &lowering, const std::string &name, llvm::Value *address,
                        llvm::ArrayRef<llvm::Value *> values) {
  llvm::IRBuilder<> &builder = lowering.builder;
  llvm::Type *type = values[0]->getType();
  unsigned bits = type->getScalarSizeInBits();
  std::string letter = bits == 64   ? "l"
                       : bits == 32 ? "r"
                                    : "h",
              text = name + " $0, [$1]", constraints = "=" + letter + ",l";
  Values arguments{address};
  llvm::SmallVector<llvm::Type *> types{address->getType()};
  for (llvm::Value *value : values) {
    text += ", $" + std::to_string(arguments.size() + 1);
    constraints += "," + letter;
    arguments.push_back(lowering.toBits(value));
    types.push_back(arguments.back()->getType());
  }
  auto *function = llvm::FunctionType::get(builder.getIntNTy(bits), types, false);
  auto *code = llvm::InlineAsm::get(function, text + ";", constraints + ",~{memory}", true);
  return lowering.fromBits(builder.CreateCall(code, arguments), type);
}

// The registers of a tile, or the scalar.
Values elementsOf(Lowering &lowering, Value value) {
  llvm::Value *held = lowering.get(value);
  return isTile(value.getType()) ? lowering.unpack(held) : Values{held};
}

// One instruction where there is one, else a loop.
llvm::Value *changeElement(Lowering &lowering, tile::AtomicRmwOp op, tile::RmwKind kind, llvm::Value *pointer,
                           llvm::Value *value) {
  llvm::IRBuilder<> &builder = lowering.builder;
  std::string instruction = instructionOf(kind, value->getType(), lowering.options);
  if (!instruction.empty())
    return emitAtomic(
        lowering, std::string("atom.global.") + nameOf(op.getScope()) + "." + nameOf(op.getSem()) + "." + instruction,
        pointer, value);
  bool isTruth = value->getType()->isIntegerTy(1);
  if (isTruth)
    value = builder.CreateZExt(value, builder.getInt8Ty());
  llvm::Value *old = builder.CreateAtomicRMW(codegen::operationOf(kind), pointer, value,
                                             llvm::Align(Lowering::bytesOf(value->getType())), orderOf(op.getSem()),
                                             scopeOf(lowering, op.getScope()));
  return isTruth ? builder.CreateTrunc(old, builder.getInt1Ty()) : old;
}

// The larger or smaller float by instructions on integers: bits of floats without a sign are in their order as signed
// numbers, and with a sign in the opposite order as unsigned numbers.
llvm::Value *changeToExtreme(Lowering &lowering, tile::AtomicRmwOp op, llvm::Value *pointer, llvm::Value *given) {
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
                   [&] { return changeElement(lowering, op, kind, pointer, bits); });
  };
  using Kind = tile::RmwKind;
  llvm::Value *whenNegative = change(isNegative, isMax ? Kind::UMin : Kind::UMax),
              *whenPositive = change(builder.CreateNot(isNegative), isMax ? Kind::Max : Kind::Min);
  llvm::Value *old = lowering.fromBits(builder.CreateSelect(isNegative, whenNegative, whenPositive), type);
  // A NaN in memory loses against every number, whatever its bits say.
  lowering.emitIf(builder.CreateFCmpUNO(old, old), [&] { changeElement(lowering, op, op.getKind(), pointer, given); });
  return old;
}

} // namespace

void Lowering::lowerRmw(tile::AtomicRmwOp op) {
  Values pointers = elementsOf(*this, op.getPtr()), operands = elementsOf(*this, op.getValue());
  Changer(*this, op, op.getPtr(), op.getMask()).run(op.getSem(), [&](unsigned r) {
    llvm::Value *value = operands[operands.size() == 1 ? 0 : r];
    llvm::Type *type = value->getType();
    bool isExtreme = op.getKind() == tile::RmwKind::FMax || op.getKind() == tile::RmwKind::FMin;
    if (isExtreme && (type->isFloatTy() || type->isDoubleTy()))
      return changeToExtreme(*this, op, pointers[r], value);
    return changeElement(*this, op, op.getKind(), pointers[r], value);
  });
}

void Lowering::lowerCas(tile::AtomicCasOp op) {
  Values pointers = elementsOf(*this, op.getPtr()), expected = elementsOf(*this, op.getExpected()),
         operands = elementsOf(*this, op.getValue());
  Changer(*this, op, op.getPtr(), {}).run(op.getSem(), [&](unsigned r) -> llvm::Value * {
    llvm::Type *type = expected[r]->getType();
    if (unsigned bits = type->getScalarSizeInBits(); bits == 32 || bits == 64)
      return emitAtomic(*this,
                        std::string("atom.global.") + nameOf(op.getSem()) + "." + nameOf(op.getScope()) + ".cas.b" +
                            std::to_string(bits),
                        pointers[r], {expected[r], operands[r]});
    llvm::AtomicOrdering order = orderOf(op.getSem());
    llvm::AtomicOrdering failure = llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(order);
    llvm::Value *exchange =
        builder.CreateAtomicCmpXchg(pointers[r], toBits(expected[r]), toBits(operands[r]), llvm::Align(bytesOf(type)),
                                    order, failure, scopeOf(*this, op.getScope()));
    return fromBits(builder.CreateExtractValue(exchange, 0), type);
  });
}

void Lowering::lowerPoll(tile::AtomicPollOp op) {
  llvm::Value *pointer = get(op.getPtr()), *expected = toBits(get(op.getExpected()));
  llvm::AtomicOrdering order =
      op.getSem() == tile::MemSem::Relaxed ? llvm::AtomicOrdering::Monotonic : llvm::AtomicOrdering::Acquire;
  auto now = [&] { return builder.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_globaltimer, {}); };
  Changer(*this, op, op.getPtr(), {}).run(op.getSem(), [&](unsigned) {
    llvm::Value *start = op.getTimeout() ? now() : nullptr;
    auto *turn = llvm::BasicBlock::Create(context, "poll", function),
         *done = llvm::BasicBlock::Create(context, "polled", function);
    builder.CreateBr(turn);
    builder.SetInsertPoint(turn);
    llvm::LoadInst *loaded =
        builder.CreateAlignedLoad(expected->getType(), pointer, llvm::Align(bytesOf(expected->getType())));
    loaded->setAtomic(order, scopeOf(*this, op.getScope()));
    llvm::Value *isEqual = builder.CreateICmpEQ(loaded, expected), *ends = isEqual;
    if (start)
      ends = builder.CreateOr(isEqual, builder.CreateICmpUGE(builder.CreateSub(now(), start), get(op.getTimeout())));
    builder.CreateCondBr(ends, done, turn);
    builder.SetInsertPoint(done);
    return isEqual;
  });
}

} // namespace nereid::gpu
