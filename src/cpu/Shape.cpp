// Shape.cpp: ops that move elements. Most are views of a buffer: the same bytes with other strides.
#include "cpu/Lowering.h"

using namespace mlir;

namespace nereid::cpu {

static llvm::Value *offsetBy(Lowering &lowering, llvm::Value *data, int64_t elements, Type type) {
  return lowering.builder.CreateConstInBoundsGEP1_64(memoryType(lowering.context, type), data, elements);
}

Buffer Lowering::materializeRows(Value value) {
  Buffer buffer = materialize(value);
  if (isRowMajor(buffer, tile::shapeOf(value.getType())))
    return buffer;
  Buffer rows = allocate(value.getType(), value);
  copyTo(value, rows);
  return buffers[value] = rows;
}

void Lowering::lowerReshape(tile::ReshapeOp op) {
  Buffer source = materializeRows(op.getSource());
  Buffer view{source.data, {}};
  int64_t stride = 1;
  for (int64_t extent : llvm::reverse(tile::shapeOf(op.getResult().getType()))) {
    view.strides.insert(view.strides.begin(), stride);
    stride *= extent;
  }
  buffers[op.getResult()] = view;
}

void Lowering::lowerSplit(tile::SplitOp op) {
  Buffer source = materialize(op.getSource());
  Type type = op.getSource().getType();
  int64_t last = source.strides.back();
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    Buffer view{offsetBy(*this, source.data, int64_t(i) * last, type), source.strides};
    view.strides.pop_back();
    if (isTile(result.getType()))
      buffers[result] = view;
    else
      setScalar(result, loadElement(view, {}, type));
  }
}

void Lowering::lowerFlip(tile::FlipOp op) {
  Buffer source = materialize(op.getSource());
  Type type = op.getSource().getType();
  int64_t &stride = source.strides[op.getAxis()];
  source.data = offsetBy(*this, source.data, (tile::shapeOf(type)[op.getAxis()] - 1) * stride, type);
  stride = -stride;
  buffers[op.getResult()] = source;
}

// In rows, the elements of both in turn.
static void interleave(Lowering &lowering, llvm::Value *first, llvm::Value *second, llvm::Value *to, llvm::Type *type,
                       unsigned lanes, int64_t count) {
  llvm::IRBuilder<> &builder = lowering.builder;
  llvm::SmallVector<int> turns;
  for (unsigned lane = 0; lane < lanes; ++lane)
    turns.append({int(lane), int(lanes + lane)});
  auto *vector = llvm::FixedVectorType::get(type, lanes);
  llvm::Align align(type->getPrimitiveSizeInBits() / 8);
  lowering.emitLoop(builder.getInt64(count / lanes), [&](llvm::Value *i) {
    auto load = [&](llvm::Value *from) {
      return builder.CreateAlignedLoad(vector, builder.CreateInBoundsGEP(vector, from, i), align);
    };
    llvm::Value *parts[] = {load(first), load(second)};
    llvm::Value *pairs = builder.CreateShuffleVector(parts[0], parts[1], turns);
    builder.CreateAlignedStore(pairs, builder.CreateInBoundsGEP(pairs->getType(), to, i), align);
  });
}

void Lowering::lowerJoin(tile::JoinOp op) {
  flush();
  Type type = op.getLhs().getType();
  if (isTile(type)) {
    Buffer first = materializeRows(op.getLhs()), second = materializeRows(op.getRhs());
    Buffer result = allocate(op.getResult().getType(), op.getResult());
    int64_t count = cast<RankedTensorType>(type).getNumElements();
    unsigned lanes = unsigned(std::min<int64_t>(count, target.lanes(32)));
    interleave(*this, first.data, second.data, result.data, memoryType(context, type), lanes, count);
    buffers[op.getResult()] = result;
    return;
  }
  Buffer result = allocate(op.getResult().getType(), op.getResult());
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    storeScalar(offsetBy(*this, result.data, int64_t(i), type), scalar(operand), type);
  buffers[op.getResult()] = result;
}

void Lowering::lowerCat(tile::CatOp op) {
  flush();
  Buffer result = allocate(op.getResult().getType(), op.getResult());
  copyTo(op.getLhs(), result);
  int64_t first = tile::shapeOf(op.getLhs().getType())[op.getAxis()];
  Buffer rest{offsetBy(*this, result.data, first * result.strides[op.getAxis()], op.getRhs().getType()),
              result.strides};
  copyTo(op.getRhs(), rest);
  buffers[op.getResult()] = result;
}

void Lowering::lowerUnsplat(tile::UnsplatOp op) {
  Buffer source = materialize(op.getSource());
  llvm::SmallVector<llvm::Value *> index(source.strides.size(), builder.getInt64(0));
  setScalar(op.getResult(), loadElement(source, index, op.getSource().getType()));
}

void Lowering::lowerGather(tile::GatherOp op) {
  Buffer source = materialize(op.getSource()), index = materialize(op.getIndex());
  Type type = op.getResult().getType();
  Buffer result = allocate(type, op.getResult());
  int64_t extent = tile::shapeOf(op.getSource().getType())[op.getAxis()];
  emitLoops(tile::shapeOf(type), [&](ArrayRef<llvm::Value *> at) {
    llvm::Value *where = builder.CreateSExt(loadElement(index, at, op.getIndex().getType()), builder.getInt64Ty());
    llvm::Value *isInside = builder.CreateICmpULT(where, builder.getInt64(extent));
    llvm::SmallVector<llvm::Value *> from(at);
    from[op.getAxis()] = builder.CreateSelect(isInside, where, builder.getInt64(0));
    llvm::Value *value = loadElement(source, from, type);
    storeElement(result, at, builder.CreateSelect(isInside, value, llvm::Constant::getNullValue(value->getType())),
                 type);
  });
  buffers[op.getResult()] = result;
}

} // namespace nereid::cpu
