// Shape.cpp: ops that move elements. Most are views of a buffer: the same bytes with other strides.
#include "cpu/Reduction.h"

#include "llvm/Analysis/VectorUtils.h"

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

template <> void Lowering::lower(tile::ReshapeOp op) {
  if (isCheap(op.getResult()))
    return; // computed where it is used
  // Strips of a row: only their reduction reads them, in the nest of the row.
  auto reduce = dyn_cast_or_null<tile::ReduceOp>(op->getNextNode());
  if (reduce && stripsOf(reduce, target) == op)
    return join(op, tile::shapeOf(op.getSource().getType()));
  Buffer source = materializeRows(op.getSource());
  Buffer view{source.data, {}};
  int64_t stride = 1;
  for (int64_t extent : llvm::reverse(tile::shapeOf(op.getResult().getType()))) {
    view.strides.insert(view.strides.begin(), stride);
    stride *= extent;
  }
  buffers[op.getResult()] = view;
}

template <> void Lowering::lower(tile::SplitOp op) {
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

template <> void Lowering::lower(tile::FlipOp op) {
  Buffer source = materialize(op.getSource());
  Type type = op.getSource().getType();
  int64_t &stride = source.strides[op.getAxis()];
  source.data = offsetBy(*this, source.data, (tile::shapeOf(type)[op.getAxis()] - 1) * stride, type);
  stride = -stride;
  buffers[op.getResult()] = source;
}

// The elements of two tiles in turn, a register of each at a time.
static void interleave(Lowering &lowering, const Buffer &first, const Buffer &second, const Buffer &result,
                       RankedTensorType type) {
  llvm::IRBuilder<> &builder = lowering.builder;
  int64_t count = type.getNumElements();
  unsigned lanes = unsigned(std::min<int64_t>(count, lowering.target.lanes(32)));
  auto *vector = llvm::FixedVectorType::get(memoryType(lowering.context, type), lanes);
  llvm::Align align(elementBytes(type));
  lowering.emitLoop(builder.getInt64(count / lanes), [&](llvm::Value *i) {
    auto load = [&](const Buffer &from) {
      return builder.CreateAlignedLoad(vector, builder.CreateInBoundsGEP(vector, from.data, i), align);
    };
    llvm::Value *part = load(first);
    llvm::Value *pairs = builder.CreateShuffleVector(part, load(second), llvm::createInterleaveMask(lanes, 2));
    builder.CreateAlignedStore(pairs, builder.CreateInBoundsGEP(pairs->getType(), result.data, i), align);
  });
}

template <> void Lowering::lower(tile::JoinOp op) {
  flush();
  if (auto type = dyn_cast<RankedTensorType>(op.getLhs().getType())) {
    Buffer first = materializeRows(op.getLhs()), second = materializeRows(op.getRhs());
    Buffer result = allocate(op.getResult().getType(), op.getResult());
    interleave(*this, first, second, result, type);
    buffers[op.getResult()] = result;
    return;
  }
  Buffer result = allocate(op.getResult().getType(), op.getResult());
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    storeScalar(offsetBy(*this, result.data, int64_t(i), operand.getType()), scalar(operand), operand.getType());
  buffers[op.getResult()] = result;
}

template <> void Lowering::lower(tile::CatOp op) {
  flush();
  Buffer result = allocate(op.getResult().getType(), op.getResult());
  copyTo(op.getLhs(), result);
  int64_t first = tile::shapeOf(op.getLhs().getType())[op.getAxis()];
  Buffer rest{offsetBy(*this, result.data, first * result.strides[op.getAxis()], op.getRhs().getType()),
              result.strides};
  copyTo(op.getRhs(), rest);
  buffers[op.getResult()] = result;
}

template <> void Lowering::lower(tile::UnsplatOp op) {
  Buffer source = materialize(op.getSource());
  llvm::SmallVector<llvm::Value *> index(source.strides.size(), builder.getInt64(0));
  setScalar(op.getResult(), loadElement(source, index, op.getSource().getType()));
}

template <> void Lowering::lower(tile::GatherOp op) {
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

void addShapeOps(OpTable &table) {
  table.add<tile::ReshapeOp, tile::SplitOp, tile::FlipOp, tile::JoinOp, tile::CatOp, tile::UnsplatOp, tile::GatherOp>();
}

} // namespace nereid::cpu
