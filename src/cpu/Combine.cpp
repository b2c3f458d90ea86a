// Combine.cpp: scans, reductions by functions with control flow, maps, sorts and histograms: element by element.
#include "cpu/Reduction.h"

using namespace mlir;

namespace nereid::cpu {

void Lowering::emitScalarRegion(Block &block, llvm::ArrayRef<llvm::Value *> values,
                                llvm::SmallVectorImpl<llvm::Value *> &results) {
  for (auto [argument, value] : llvm::zip(block.getArguments(), values))
    setScalar(argument, value);
  Operation *outer = currentOp;
  lowerBlock(block);
  currentOp = outer;
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(scalar(value));
}

// Combines along `axis`, from the other end if `isReversed`; calls `each` with the index and the values so far, and
// `done` when the axis is through.
using AtIndex = llvm::function_ref<void(ArrayRef<llvm::Value *>, ArrayRef<llvm::Value *>)>;
static void combineAlong(Lowering &lowering, ValueRange sources, unsigned axis, Block &region, bool isReversed,
                         AtIndex each, AtIndex done) {
  llvm::IRBuilder<> &builder = lowering.builder;
  auto shape = tile::shapeOf(sources.front().getType());
  llvm::SmallVector<Buffer> buffers;
  llvm::SmallVector<llvm::AllocaInst *> slots;
  for (Value source : sources) {
    buffers.push_back(lowering.materialize(source));
    slots.push_back(lowering.stackSlot(lowering.typeOf(source.getType()), "partial"));
  }
  llvm::SmallVector<int64_t> outer(shape.begin(), shape.end());
  outer[axis] = 1;
  lowering.emitLoops(outer, [&](ArrayRef<llvm::Value *> base) {
    auto at = [&](llvm::Value *i) {
      llvm::SmallVector<llvm::Value *> index(base);
      index[axis] = isReversed ? builder.CreateSub(builder.getInt64(shape[axis] - 1), i) : i;
      return index;
    };
    auto load = [&](ArrayRef<llvm::Value *> index) {
      llvm::SmallVector<llvm::Value *> values;
      for (auto [buffer, source] : llvm::zip(buffers, sources))
        values.push_back(lowering.loadElement(buffer, index, source.getType()));
      return values;
    };
    auto first = at(builder.getInt64(0));
    auto values = load(first);
    for (auto [slot, value] : llvm::zip(slots, values))
      builder.CreateStore(value, slot);
    each(first, values);
    if (shape[axis] > 1)
      lowering.emitLoop(builder.getInt64(shape[axis] - 1), [&](llvm::Value *i) {
        auto index = at(builder.CreateAdd(i, builder.getInt64(1)));
        llvm::SmallVector<llvm::Value *> arguments, combined;
        for (llvm::AllocaInst *slot : slots)
          arguments.push_back(builder.CreateLoad(slot->getAllocatedType(), slot));
        arguments.append(load(index));
        lowering.emitScalarRegion(region, arguments, combined);
        for (auto [slot, value] : llvm::zip(slots, combined))
          builder.CreateStore(value, slot);
        each(index, combined);
      });
    llvm::SmallVector<llvm::Value *> final;
    for (llvm::AllocaInst *slot : slots)
      final.push_back(builder.CreateLoad(slot->getAllocatedType(), slot));
    done(base, final);
  });
}

template <> void Lowering::lower(tile::ScanOp op) {
  flush();
  llvm::SmallVector<Buffer> results;
  for (Value result : op.getResults())
    results.push_back(allocate(result.getType(), result));
  combineAlong(
      *this, op.getSources(), op.getAxis(), op.getCombine().front(), op.getReverse(),
      [&](ArrayRef<llvm::Value *> index, ArrayRef<llvm::Value *> values) {
        for (auto [i, value] : llvm::enumerate(values))
          storeElement(results[i], index, value, op.getResult(i).getType());
      },
      [](auto, auto) {});
  for (auto [result, buffer] : llvm::zip(op.getResults(), results))
    buffers[result] = buffer;
}

template <> void Lowering::lower(tile::ReduceOp op) {
  if (isLanewise(op.getCombine().front())) {
    tile::ReshapeOp strips = stripsOf(op, target);
    return join(op, tile::shapeOf((strips ? strips.getSource() : op.getSources().front()).getType()));
  }
  flush();
  llvm::SmallVector<Buffer> results(op.getNumResults());
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    if (isTile(result.getType()))
      results[i] = allocate(result.getType(), result);
  combineAlong(
      *this, op.getSources(), op.getAxis(), op.getCombine().front(), false, [](auto, auto) {},
      [&](ArrayRef<llvm::Value *> base, ArrayRef<llvm::Value *> values) {
        llvm::SmallVector<llvm::Value *> index(base);
        index.erase(index.begin() + op.getAxis());
        for (auto [i, value] : llvm::enumerate(values)) {
          if (isTile(op.getResult(i).getType()))
            storeElement(results[i], index, value, op.getResult(i).getType());
          else
            setScalar(op.getResult(i), value);
        }
      });
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    if (isTile(result.getType()))
      buffers[result] = results[i];
}

template <> void Lowering::lower(tile::MapOp op) {
  flush();
  Block &body = op.getBody().front();
  unsigned pack = op.getPack();
  int64_t count = cast<RankedTensorType>(op.getSources().front().getType()).getNumElements();
  llvm::SmallVector<Buffer> sources, results;
  for (Value source : op.getSources())
    sources.push_back(materializeRows(source));
  for (Value result : op.getResults())
    results.push_back(allocate(result.getType(), result));
  emitLoop(builder.getInt64(count / pack), [&](llvm::Value *group) {
    auto at = [&](const Buffer &buffer, unsigned i, Type type) {
      llvm::Value *offset = builder.CreateAdd(builder.CreateMul(group, builder.getInt64(pack)), builder.getInt64(i));
      return builder.CreateInBoundsGEP(memoryType(context, type), buffer.data, offset);
    };
    llvm::SmallVector<llvm::Value *> arguments, values;
    for (auto [buffer, source] : llvm::zip(sources, op.getSources()))
      for (unsigned i = 0; i < pack; ++i)
        arguments.push_back(loadScalar(at(buffer, i, source.getType()), source.getType()));
    emitScalarRegion(body, arguments, values);
    for (auto [r, result] : llvm::enumerate(op.getResults()))
      for (unsigned i = 0; i < pack; ++i)
        storeScalar(at(results[r], i, result.getType()), values[r * pack + i], result.getType());
  });
  for (auto [result, buffer] : llvm::zip(op.getResults(), results))
    buffers[result] = buffer;
}

// How the bits of an element are ordered, for the run time's sort.
static uint32_t sortKindOf(Type type, bool isUnsigned) {
  type = getElementTypeOrSelf(type);
  if (type.isInteger())
    return isUnsigned || type.isInteger(1) ? 0 : 1;
  if (isa<Float8E4M3FNType>(type))
    return 3;
  if (isa<Float8E4M3FNUZType, Float8E5M2FNUZType, Float8E4M3B11FNUZType>(type))
    return 4;
  unsigned mantissa = type.isF64() ? 52 : type.isF32() ? 23 : type.isF16() ? 10 : type.isBF16() ? 7 : 2;
  return 16 + mantissa;
}

template <> void Lowering::lower(tile::SortOp op) {
  Buffer source = materializeRows(op.getSource());
  Type type = op.getSource().getType();
  int64_t extent = tile::shapeOf(type).back(), rows = cast<RankedTensorType>(type).getNumElements() / extent;
  Buffer result = allocate(op.getResult().getType(), op.getResult());
  llvm::Type *i64 = builder.getInt64Ty(), *i32 = builder.getInt32Ty(), *ptr = builder.getPtrTy();
  auto callee = module.getOrInsertFunction(
      "nereid_sort", llvm::FunctionType::get(builder.getVoidTy(), {ptr, ptr, i64, i64, i64, i32, i32, i32}, false));
  builder.CreateCall(callee,
                     {result.data, source.data, builder.getInt64(rows), builder.getInt64(extent),
                      builder.getInt64(op.getCount()), builder.getInt32(elementBytes(type)),
                      builder.getInt32(sortKindOf(type, op.getIsUnsigned())), builder.getInt32(op.getDescending())});
  buffers[op.getResult()] = result;
}

template <> void Lowering::lower(tile::HistogramOp op) {
  Buffer source = materialize(op.getSource());
  std::optional<Buffer> mask;
  if (op.getMask())
    mask = materialize(op.getMask());
  Type type = op.getResult().getType(), sourceType = op.getSource().getType();
  Buffer result = allocate(type, op.getResult());
  int64_t bins = tile::shapeOf(type)[0];
  emitLoop(builder.getInt64(bins),
           [&](llvm::Value *i) { storeElement(result, {i}, llvm::Constant::getNullValue(typeOf(type)), type); });
  emitLoop(builder.getInt64(tile::shapeOf(sourceType)[0]), [&](llvm::Value *i) {
    llvm::Value *bin = builder.CreateZExt(loadElement(source, {i}, sourceType), builder.getInt64Ty());
    llvm::Value *counts = builder.CreateICmpULT(bin, builder.getInt64(bins));
    if (mask)
      counts = builder.CreateAnd(counts, loadElement(*mask, {i}, op.getMask().getType()));
    emitIf(counts, [&] {
      llvm::Value *count = loadElement(result, {bin}, type);
      storeElement(result, {bin}, builder.CreateAdd(count, llvm::ConstantInt::get(count->getType(), 1)), type);
    });
  });
  buffers[op.getResult()] = result;
}

void addCombineOps(OpTable &table) {
  table.add<tile::ScanOp, tile::ReduceOp, tile::MapOp, tile::SortOp, tile::HistogramOp>();
}

} // namespace nereid::cpu
