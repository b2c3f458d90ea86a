// Access.cpp: loads and stores of the user's memory inside a nest: one scalar, a contiguous vector, one with gaps or from the last
// element to the first, or lane by lane.
#include "cpu/Nest.h"

#include "llvm/Analysis/VectorUtils.h"

#include <numeric>

using namespace mlir;

namespace nereid::cpu {

// One access of a block of lanes.
struct Nest::Access {
  Form pointer;
  llvm::Value *mask = nullptr; // i1 or a vector of them; null: all lanes
  llvm::Value *other = nullptr;
  Type type;
  bool isStreaming = false;
};

// How many elements a lane lies behind the one before it; 0: not known, or not a whole number.
int64_t Nest::stepOf(const Form &pointer, unsigned bytes) const {
  auto *stride = pointer.isAffine() ? llvm::dyn_cast<llvm::ConstantInt>(pointer.stride) : nullptr;
  return stride && stride->getSExtValue() % int64_t(bytes) == 0 ? stride->getSExtValue() / int64_t(bytes) : 0;
}

bool Nest::isContiguous(const Form &pointer, unsigned bytes) const { return stepOf(pointer, bytes) == 1; }

// Masked moves exist for words of 4 and 8 bytes with AVX, and for all sizes with AVX-512; elsewhere they would be taken
// apart into branches.
bool Nest::hasMaskedAccess(unsigned bytes) const {
  return lowering.target.hasAvx512 || (lowering.target.hasAvx && bytes >= 4);
}

// Calls `body` with each lane whose mask is true.
void Nest::forActiveLanes(llvm::Value *mask, llvm::function_ref<void(llvm::Value *)> body) {
  llvm::AllocaInst *bits = nullptr;
  if (mask && mask->getType()->isVectorTy()) {
    auto *bytes = llvm::FixedVectorType::get(builder.getInt8Ty(), lanes);
    bits = lowering.stackSlot(bytes, "mask");
    builder.CreateStore(builder.CreateZExt(mask, bytes), bits);
  }
  auto run = [&] {
    lowering.emitLoop(builder.getInt64(lanes), [&](llvm::Value *lane) {
      if (!bits)
        return body(lane);
      llvm::Value *bit =
          builder.CreateLoad(builder.getInt8Ty(), builder.CreateInBoundsGEP(builder.getInt8Ty(), bits, lane));
      lowering.emitIf(builder.CreateICmpNE(bit, builder.getInt8(0)), [&] { body(lane); });
    });
  };
  if (mask && !bits)
    lowering.emitIf(mask, run);
  else
    run();
}

// The address of a lane: from the form, or from the vector of addresses kept in memory.
static llvm::Value *laneAddress(Lowering &lowering, const Form &form, llvm::Value *kept, llvm::Value *lane) {
  llvm::IRBuilder<> &builder = lowering.builder;
  if (kept)
    return builder.CreateLoad(builder.getInt64Ty(), builder.CreateInBoundsGEP(builder.getInt64Ty(), kept, lane));
  if (form.isUniform())
    return form.value;
  return builder.CreateAdd(form.value, builder.CreateMul(lane, form.stride));
}

static llvm::AllocaInst *keepVector(Lowering &lowering, llvm::Value *vector) {
  llvm::AllocaInst *slot = lowering.stackSlot(vector->getType(), "lanes");
  lowering.builder.CreateStore(vector, slot);
  return slot;
}

// How many lanes one masked move takes. With AVX LLVM 22 takes longer ones apart itself, and forgets the mask of a
// part in which no lane is active.
static unsigned lanesOfMaskedMove(const Target &target, unsigned lanes, unsigned bytes) {
  return target.hasAvx512 ? lanes : std::min(lanes, target.vectorBits / 8 / bytes);
}

// Lanes first … first+count-1; of the operands where a mask is put together, so that LLVM sees a constant part.
static llvm::Value *partOf(llvm::IRBuilder<> &builder, llvm::Value *vector, unsigned first, unsigned count) {
  if (llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements() == count)
    return vector;
  if (auto *op = llvm::dyn_cast<llvm::BinaryOperator>(vector); op && op->isBitwiseLogicOp())
    return builder.CreateBinOp(op->getOpcode(), partOf(builder, op->getOperand(0), first, count),
                               partOf(builder, op->getOperand(1), first, count));
  llvm::SmallVector<int> indices(count);
  std::iota(indices.begin(), indices.end(), int(first));
  return builder.CreateShuffleVector(vector, indices);
}

static llvm::Value *loadMasked(Lowering &lowering, llvm::FixedVectorType *type, llvm::Value *address, llvm::Align align,
                               llvm::Value *mask, llvm::Value *other) {
  llvm::IRBuilder<> &builder = lowering.builder;
  unsigned bytes = unsigned(align.value()), count = lanesOfMaskedMove(lowering.target, type->getNumElements(), bytes);
  llvm::SmallVector<llvm::Value *> parts;
  for (unsigned first = 0; first < type->getNumElements(); first += count) {
    llvm::Value *from = lowering.pointer(builder.CreateAdd(address, builder.getInt64(first * bytes)));
    auto *part = llvm::FixedVectorType::get(type->getElementType(), count);
    parts.push_back(builder.CreateMaskedLoad(part, from, align, partOf(builder, mask, first, count),
                                             partOf(builder, other, first, count)));
  }
  return llvm::concatenateVectors(builder, parts);
}

static void storeMasked(Lowering &lowering, llvm::Value *value, llvm::Value *address, llvm::Align align,
                        llvm::Value *mask) {
  llvm::IRBuilder<> &builder = lowering.builder;
  unsigned lanes = llvm::cast<llvm::FixedVectorType>(value->getType())->getNumElements();
  unsigned bytes = unsigned(align.value()), count = lanesOfMaskedMove(lowering.target, lanes, bytes);
  for (unsigned first = 0; first < lanes; first += count) {
    llvm::Value *to = lowering.pointer(builder.CreateAdd(address, builder.getInt64(first * bytes)));
    builder.CreateMaskedStore(partOf(builder, value, first, count), to, align, partOf(builder, mask, first, count));
  }
}

llvm::Value *Nest::loadSteps(llvm::FixedVectorType *type, llvm::Value *address, llvm::Align align, int64_t step) {
  llvm::Type *inMemory = type->getElementType();
  auto load = [&](int64_t from) {
    return builder.CreateAlignedLoad(type, builder.CreateConstGEP1_64(inMemory, address, from), align);
  };
  if (step == 1)
    return load(0);
  if (step == -1)
    return builder.CreateVectorReverse(load(1 - int64_t(lanes)));
  if (step != 2)
    return nullptr;
  // Every other one of two registers, of which the second ends with the last lane: nothing is read behind it.
  llvm::SmallVector<int> every;
  for (unsigned lane = 0; lane < lanes; ++lane)
    every.push_back(int(2 * lane < lanes ? 2 * lane : 2 * lane + 1));
  llvm::Value *first = load(0);
  return builder.CreateShuffleVector(first, load(int64_t(lanes) - 1), every);
}

bool Nest::storeSteps(llvm::Value *value, llvm::Value *address, llvm::Align align, int64_t step) {
  if (step == -1) {
    address = builder.CreateConstGEP1_64(value->getType()->getScalarType(), address, 1 - int64_t(lanes));
    value = builder.CreateVectorReverse(value);
  }
  if (step == 1 || step == -1) {
    builder.CreateAlignedStore(value, address, align);
    return true;
  }
  if (step != 2 || !hasMaskedAccess(unsigned(align.value())))
    return false;
  // What lies between the elements is not touched.
  llvm::SmallVector<int> spread;
  llvm::SmallVector<llvm::Constant *> isElement;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    spread.append({int(lane), -1});
    isElement.append({builder.getTrue(), builder.getFalse()});
  }
  storeMasked(lowering, builder.CreateShuffleVector(value, spread),
              builder.CreatePtrToInt(address, builder.getInt64Ty()), align, llvm::ConstantVector::get(isElement));
  return true;
}

llvm::Value *Nest::loadLanes(const Access &access) {
  llvm::Type *inMemory = memoryType(lowering.context, access.type);
  unsigned bytes = elementBytes(access.type);
  llvm::Align align(bytes);
  bool isBool = getElementTypeOrSelf(access.type).isInteger(1);
  auto finish = [&](llvm::Value *value) {
    return isBool ? builder.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType())) : value;
  };
  auto *vectorType = llvm::FixedVectorType::get(inMemory, lanes);
  int64_t step = stepOf(access.pointer, bytes);
  if (step && !access.mask)
    if (llvm::Value *value = loadSteps(vectorType, lowering.pointer(access.pointer.value), align, step))
      return finish(value);
  llvm::Value *other = access.other;
  if (other && isBool)
    other = builder.CreateZExt(other, lanes == 1 ? inMemory : vectorType);
  if (step == 1 && hasMaskedAccess(bytes) && access.mask->getType()->isVectorTy())
    return finish(loadMasked(lowering, vectorType, access.pointer.value, align, access.mask,
                             other ? other : llvm::Constant::getNullValue(vectorType)));
  if (!other)
    other = llvm::Constant::getNullValue(lanes == 1 ? inMemory : vectorType);
  llvm::AllocaInst *slot = keepVector(lowering, other);
  llvm::AllocaInst *kept =
      access.pointer.isVector() && lanes > 1 ? keepVector(lowering, access.pointer.value) : nullptr;
  forActiveLanes(access.mask, [&](llvm::Value *lane) {
    llvm::Value *from = lowering.pointer(laneAddress(lowering, access.pointer, kept, lane));
    builder.CreateAlignedStore(builder.CreateAlignedLoad(inMemory, from, align),
                               builder.CreateInBoundsGEP(inMemory, slot, lane), align);
  });
  return finish(builder.CreateLoad(other->getType(), slot));
}

void Nest::storeLanes(const Access &access, llvm::Value *value) {
  llvm::Type *inMemory = memoryType(lowering.context, access.type);
  unsigned bytes = elementBytes(access.type);
  llvm::Align align(bytes);
  if (getElementTypeOrSelf(access.type).isInteger(1))
    value = builder.CreateZExt(value, lanes == 1 ? inMemory : llvm::FixedVectorType::get(inMemory, lanes));
  int64_t step = stepOf(access.pointer, bytes);
  unsigned line = std::min(lanes * bytes, lowering.target.vectorBits / 8);
  if (step == 1 && !access.mask && access.isStreaming && line >= 16) {
    llvm::Value *to = lowering.pointer(access.pointer.value);
    // Around the caches, in whole registers of aligned memory: smaller pieces are slower than the caches.
    llvm::Value *isAligned =
        builder.CreateICmpEQ(builder.CreateAnd(access.pointer.value, builder.getInt64(line - 1)), builder.getInt64(0));
    auto around = [&] {
      llvm::StoreInst *store = builder.CreateAlignedStore(value, to, llvm::Align(line));
      store->setMetadata(llvm::LLVMContext::MD_nontemporal,
                         llvm::MDNode::get(lowering.context, llvm::ConstantAsMetadata::get(builder.getInt32(1))));
    };
    return lowering.emitChoice(isAligned, around, [&] { builder.CreateAlignedStore(value, to, align); });
  }
  if (step && !access.mask && storeSteps(value, lowering.pointer(access.pointer.value), align, step))
    return;
  if (step == 1 && hasMaskedAccess(bytes) && access.mask->getType()->isVectorTy()) {
    storeMasked(lowering, value, access.pointer.value, align, access.mask);
    return;
  }
  llvm::AllocaInst *slot = keepVector(lowering, value);
  llvm::AllocaInst *kept =
      access.pointer.isVector() && lanes > 1 ? keepVector(lowering, access.pointer.value) : nullptr;
  forActiveLanes(access.mask, [&](llvm::Value *lane) {
    llvm::Value *to = lowering.pointer(laneAddress(lowering, access.pointer, kept, lane));
    builder.CreateAlignedStore(
        builder.CreateAlignedLoad(inMemory, builder.CreateInBoundsGEP(inMemory, slot, lane), align), to, align);
  });
}

// Runs `emit` with the address as far as it is known in this body. In the careful one a contiguous address may hang on
// conditions: then both ways are emitted and the conditions choose.
static void withPointer(Nest &nest, Lowering &lowering, Value pointer, llvm::function_ref<bool(const Form &)> isGood,
                        llvm::function_ref<void(const Form &)> emit) {
  if (nest.isFast())
    return emit(nest.evaluate(pointer));
  Conditions conditions, none;
  Form form = nest.evaluate(pointer, nest.identity(), false, conditions);
  if (conditions.empty())
    return emit(form);
  if (!isGood(form))
    return emit(nest.evaluate(pointer, nest.identity(), true, none));
  Form exact = nest.evaluate(pointer, nest.identity(), true, none);
  lowering.emitChoice(lowering.allOf(conditions), [&] { emit(form); }, [&] { emit(exact); });
}

// Null where the body may take the mask for true in all lanes.
llvm::Value *Nest::maskOf(Value mask) {
  Conditions conditions;
  if (!mask)
    return nullptr;
  if (!fast || !assumeTrue(mask, identity(), conditions))
    return asVector(evaluate(mask));
  guards.append(conditions);
  assumed[mask] = conditions;
  return nullptr;
}

void Nest::emitLoad(tile::LoadOp op) {
  Access access;
  access.type = op.getResult().getType();
  access.mask = maskOf(op.getMask());
  if (access.mask && op.getOther())
    access.other = asVector(evaluate(op.getOther()));
  llvm::Type *result = lowering.typeOf(access.type);
  if (lanes > 1)
    result = llvm::FixedVectorType::get(result, lanes);
  auto isGood = [&](const Form &form) { return isContiguous(form, elementBytes(access.type)); };
  // One scalar for all lanes, when nothing masks it.
  llvm::AllocaInst *slot = nullptr;
  bool isUniform = false;
  withPointer(*this, lowering, op.getPtr(), isGood, [&](const Form &form) {
    access.pointer = form;
    if (form.isUniform() && !access.mask) {
      isUniform = true;
      return define(op.getResult(), Form::uniform(lowering.loadScalar(form.value, access.type), kInBody));
    }
    if (!slot)
      slot = lowering.stackSlot(result, "loaded");
    builder.CreateStore(loadLanes(access), slot);
  });
  if (!isUniform)
    define(op.getResult(), lanes == 1 ? Form::uniform(builder.CreateLoad(result, slot), kInBody)
                                      : Form::vector(builder.CreateLoad(result, slot)));
}

void Nest::emitStore(tile::StoreOp op) {
  Access access;
  access.type = op.getValue().getType();
  access.isStreaming = op.getCache() == tile::CacheModifier::CS;
  access.mask = maskOf(op.getMask());
  llvm::Value *value = asVector(evaluate(op.getValue()));
  auto isGood = [&](const Form &form) { return isContiguous(form, elementBytes(access.type)); };
  withPointer(*this, lowering, op.getPtr(), isGood, [&](const Form &form) {
    access.pointer = form;
    storeLanes(access, value);
  });
}

} // namespace nereid::cpu
