#include "cpu/Nest.h"

#include <numeric>

namespace nereid::cpu {

// Lanes of a block: narrower and wider types take fewer or more registers for as many lanes.
static unsigned chooseLanes(const Target &target, int64_t extent, unsigned registers) {
  int64_t lanes = registers * target.lanes(32);
  while (lanes > 1 && extent % lanes)
    lanes /= 2;
  return unsigned(lanes);
}

Nest::Nest(Lowering &lowering, llvm::ArrayRef<int64_t> shape, unsigned vectorDim, unsigned registers)
    : lowering(lowering), builder(lowering.builder), shape(shape), vectorDim(vectorDim),
      lanes(chooseLanes(lowering.target, shape[vectorDim], registers)) {
  for (unsigned d = 0; d < shape.size(); ++d)
    if (d != vectorDim)
      order.push_back(d);
  order.push_back(vectorDim);
}

Mapping Nest::identity() const {
  Mapping mapping(shape.size());
  std::iota(mapping.begin(), mapping.end(), int8_t(0));
  return mapping;
}

std::pair<llvm::Value *, int64_t> Nest::iteration() const {
  llvm::Value *iteration = builder.getInt64(0);
  int64_t iterations = 1;
  for (auto [loop, dim] : llvm::zip(loops, order)) {
    iteration = builder.CreateAdd(builder.CreateMul(iteration, builder.getInt64(loop.count)),
                                  builder.CreateUDiv(indices[dim], builder.getInt64(loop.step)));
    iterations *= loop.count;
  }
  return {iteration, iterations};
}

int Nest::levelOf(unsigned dim) const {
  // A loop of one iteration is no loop: its index is the constant 0.
  size_t position = std::find(order.begin(), order.end(), dim) - order.begin();
  return llvm::isa<llvm::Constant>(indices[dim]) ? 0 : int(position) + 1;
}

void Nest::open() {
  indices.resize(shape.size());
  levels.push_back(builder.GetInsertBlock());
  for (unsigned dim : order) {
    Loop loop;
    loop.step = dim == vectorDim ? lanes : 1;
    loop.count = shape[dim] / loop.step;
    if (loop.count == 1) {
      indices[dim] = builder.getInt64(0);
    } else {
      loop.body = llvm::BasicBlock::Create(lowering.context, "loop", lowering.function);
      llvm::BasicBlock *before = builder.GetInsertBlock();
      builder.CreateBr(loop.body);
      builder.SetInsertPoint(loop.body);
      loop.index = builder.CreatePHI(builder.getInt64Ty(), 2, "i");
      loop.index->addIncoming(builder.getInt64(0), before);
      indices[dim] = loop.index;
    }
    loops.push_back(loop);
    levels.push_back(builder.GetInsertBlock());
  }
}

void Nest::emitBodies(llvm::function_ref<void()> body) {
  llvm::BasicBlock *check = builder.GetInsertBlock();
  auto *fastBlock = llvm::BasicBlock::Create(lowering.context, "fast", lowering.function);
  auto *join = llvm::BasicBlock::Create(lowering.context, "join", lowering.function);
  builder.SetInsertPoint(fastBlock);
  fast = true;
  body();
  builder.CreateBr(join);
  if (guards.empty()) {
    builder.SetInsertPoint(check);
    builder.CreateBr(fastBlock);
  } else {
    auto *careful = llvm::BasicBlock::Create(lowering.context, "careful", lowering.function);
    builder.SetInsertPoint(careful);
    fast = false;
    inside.clear();
    members.clear();
    body();
    builder.CreateBr(join);
    builder.SetInsertPoint(check);
    builder.CreateCondBr(lowering.allOf(guards), fastBlock, careful);
  }
  join->moveAfter(&lowering.function->back());
  builder.SetInsertPoint(join);
}

void Nest::close(llvm::function_ref<void()> afterLanes) {
  for (size_t i = loops.size(); i-- > 0;) {
    Loop &loop = loops[i];
    if (loop.body) {
      auto *next = builder.CreateAdd(loop.index, builder.getInt64(loop.step), "", true, true);
      llvm::Value *more = builder.CreateICmpULT(next, builder.getInt64(loop.count * loop.step));
      auto *exit = llvm::BasicBlock::Create(lowering.context, "done", lowering.function);
      loop.index->addIncoming(next, builder.GetInsertBlock());
      builder.CreateCondBr(more, loop.body, exit);
      builder.SetInsertPoint(exit);
    }
    if (i == loops.size() - 1)
      afterLanes();
  }
}

llvm::Value *Nest::atLevel(int level, llvm::function_ref<llvm::Value *()> emit) {
  if (level == kInBody)
    return emit();
  llvm::IRBuilderBase::InsertPointGuard guard(builder);
  llvm::BasicBlock *block = levels[level];
  if (block->getTerminator())
    builder.SetInsertPoint(block->getTerminator());
  else
    builder.SetInsertPoint(block);
  return emit();
}

llvm::Value *Nest::asVector(const Form &form) {
  if (lanes == 1 || form.isVector())
    return form.value;
  if (form.isUniform())
    return builder.CreateVectorSplat(lanes, form.value);
  auto *type = llvm::cast<llvm::IntegerType>(form.value->getType());
  llvm::SmallVector<llvm::Constant *> numbers;
  for (unsigned lane = 0; lane < lanes; ++lane)
    numbers.push_back(llvm::ConstantInt::get(type, lane));
  llvm::Value *steps = llvm::ConstantVector::get(numbers);
  if (auto *constant = llvm::dyn_cast<llvm::ConstantInt>(form.stride); !constant || !constant->isOne())
    steps = builder.CreateMul(steps, builder.CreateVectorSplat(lanes, form.stride));
  return builder.CreateAdd(builder.CreateVectorSplat(lanes, form.value), steps);
}

// ---- Tiles in memory.

// The address of the first lane, and its level; `laneStride` counts elements from lane to lane.
static llvm::Value *addressIn(Nest &nest, Lowering &lowering, const Buffer &buffer, const Mapping &mapping,
                              mlir::Type type, int64_t &laneStride, int &level) {
  llvm::IRBuilder<> &builder = lowering.builder;
  laneStride = 0, level = 0;
  for (size_t d = 0; d < mapping.size(); ++d) {
    if (mapping[d] < 0 || buffer.strides[d] == 0)
      continue;
    level = std::max(level, nest.levelOf(mapping[d]));
    if (unsigned(mapping[d]) == nest.vectorDimension())
      laneStride += buffer.strides[d];
  }
  return nest.atLevel(level, [&]() -> llvm::Value * {
    llvm::Value *offset = builder.getInt64(0);
    for (size_t d = 0; d < mapping.size(); ++d)
      if (mapping[d] >= 0 && buffer.strides[d] != 0)
        offset = builder.CreateAdd(
            offset, builder.CreateMul(nest.index(mapping[d]), builder.getInt64(buffer.strides[d]), "", false, true), "",
            false, true);
    return builder.CreateInBoundsGEP(memoryType(lowering.context, type), buffer.data, offset);
  });
}

static llvm::Value *toBool(llvm::IRBuilder<> &builder, llvm::Value *bytes) {
  return builder.CreateICmpNE(bytes, llvm::Constant::getNullValue(bytes->getType()));
}

Form Nest::readBuffer(const Buffer &buffer, const Mapping &mapping, mlir::Type type) {
  int64_t laneStride;
  int level;
  llvm::Value *address = addressIn(*this, lowering, buffer, mapping, type, laneStride, level);
  llvm::Type *inMemory = memoryType(lowering.context, type);
  llvm::Align align(elementBytes(type));
  bool isBool = mlir::getElementTypeOrSelf(type).isInteger(1);
  if (lanes == 1 || laneStride == 0) {
    // What the body writes is read in the body: only what does not run along the lanes can stand outside.
    if (level == int(shape.size()))
      level = kInBody;
    return Form::uniform(atLevel(level,
                                 [&] {
                                   llvm::Value *value = builder.CreateAlignedLoad(inMemory, address, align);
                                   return isBool ? toBool(builder, value) : value;
                                 }),
                         level);
  }
  auto *vectorType = llvm::FixedVectorType::get(inMemory, lanes);
  llvm::Value *value = loadSteps(vectorType, address, align, laneStride);
  if (!value) {
    llvm::AllocaInst *slot = lowering.stackSlot(vectorType, "lanes");
    lowering.emitLoop(builder.getInt64(lanes), [&](llvm::Value *lane) {
      llvm::Value *from =
          builder.CreateInBoundsGEP(inMemory, address, builder.CreateMul(lane, builder.getInt64(laneStride)));
      builder.CreateAlignedStore(builder.CreateAlignedLoad(inMemory, from, align),
                                 builder.CreateInBoundsGEP(inMemory, slot, lane), align);
    });
    value = builder.CreateLoad(vectorType, slot);
  }
  return Form::vector(isBool ? toBool(builder, value) : value);
}

void Nest::writeBuffer(const Buffer &buffer, const Mapping &mapping, const Form &form, mlir::Type type) {
  int64_t laneStride;
  int level;
  llvm::Value *address = addressIn(*this, lowering, buffer, mapping, type, laneStride, level);
  llvm::Type *inMemory = memoryType(lowering.context, type);
  llvm::Align align(elementBytes(type));
  llvm::Value *value = asVector(form);
  if (mlir::getElementTypeOrSelf(type).isInteger(1))
    value = builder.CreateZExt(value, lanes == 1 ? inMemory : llvm::FixedVectorType::get(inMemory, lanes));
  if (lanes == 1) {
    builder.CreateAlignedStore(value, address, align);
    return;
  }
  if (storeSteps(value, address, align, laneStride))
    return;
  llvm::AllocaInst *slot = lowering.stackSlot(value->getType(), "lanes");
  builder.CreateStore(value, slot);
  lowering.emitLoop(builder.getInt64(lanes), [&](llvm::Value *lane) {
    llvm::Value *to =
        builder.CreateInBoundsGEP(inMemory, address, builder.CreateMul(lane, builder.getInt64(laneStride)));
    builder.CreateAlignedStore(
        builder.CreateAlignedLoad(inMemory, builder.CreateInBoundsGEP(inMemory, slot, lane), align), to, align);
  });
}

} // namespace nereid::cpu
