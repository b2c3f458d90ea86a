// TranslateReduce.cpp: reductions, scans, maps, sorts and histograms.
#include "interp/Kernels.h"
#include "interp/Reduce.h"
#include "interp/Translator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace nereid::interp {

// The op computes each lane by itself, so that the region may run on all lanes together.
static bool isLanewise(Operation &op) {
  if (isa<arith::ArithDialect, math::MathDialect>(op.getDialect()))
    return true;
  return op.hasTrait<OpTrait::Elementwise>() || op.hasTrait<OpTrait::IsTerminator>();
}
static bool isLanewise(mlir::Block &block) {
  return llvm::all_of(block, [](Operation &op) { return isLanewise(op); });
}

// No float arithmetic: choosing, comparing and integers give the same in any bracketing.
static bool isExact(mlir::Block &block) {
  return llvm::all_of(block, [](Operation &op) {
    if (isa<arith::SelectOp, arith::ConstantOp, arith::MaxNumFOp, arith::MinNumFOp, arith::MaximumFOp,
            arith::MinimumFOp>(op))
      return true;
    return llvm::none_of(op.getResultTypes(), [](Type type) { return isa<FloatType>(type); });
  });
}

// The name of the one op that the region consists of, or nothing.
static StringRef singleOp(mlir::Block &block) {
  if (block.getNumArguments() != 2 || block.getOperations().size() != 2)
    return {};
  Operation &op = block.front();
  if (op.getNumResults() != 1 || op.getNumOperands() != 2 || block.getTerminator()->getOperand(0) != op.getResult(0))
    return {};
  bool isInOrder = op.getOperand(0) == block.getArgument(0) && op.getOperand(1) == block.getArgument(1);
  bool isSwapped = op.getOperand(0) == block.getArgument(1) && op.getOperand(1) == block.getArgument(0);
  if (!isInOrder && !(isSwapped && op.hasTrait<OpTrait::IsCommutative>()))
    return {};
  return op.getName().getStringRef();
}

struct AxisView {
  int64_t outer = 1, extent = 1, inner = 1;
};

static AxisView viewOf(ArrayRef<int64_t> shape, unsigned axis) {
  AxisView view;
  for (size_t d = 0; d < shape.size(); ++d)
    (d < axis ? view.outer : d == axis ? view.extent : view.inner) *= shape[d];
  return view;
}

// Between [outer][extent][inner] and [extent][outer][inner].
static MovePayload *makeLayoutMove(Translator &translator, const AxisView &view, bool isBack) {
  auto *move = translator.payload<MovePayload>();
  move->extents = {view.extent, view.outer, view.inner};
  move->from = {view.inner, view.extent * view.inner, 1};
  move->to = {view.outer * view.inner, view.inner, 1};
  if (isBack)
    std::swap(move->from, move->to);
  simplifyMove(*move);
  return move;
}

static void translateCombine(Translator &translator, Operation *op, unsigned axis, mlir::Block &block, bool isScan,
                             bool isReversed) {
  ValueRange sources = op->getOperands();
  AxisView view = viewOf(tile::shapeOf(sources.front().getType()), axis);
  auto *payload = translator.payload<CombinePayload>();
  payload->extent = uint32_t(view.extent);
  payload->lanes = uint32_t(view.outer * view.inner);
  payload->isLanewise = isLanewise(block);
  payload->isExact = !isScan && isExact(block);
  payload->isReversed = isReversed;
  Element first = translator.elementOf(sources.front().getType(), op);
  if (StringRef name = singleOp(block); !name.empty() && !isNarrowFloat(first)) {
    payload->single = findKernel(name, first);
    payload->fold = findFold(name, first);
  }
  // A long sum in few bits would stop growing, term by term.
  payload->isInPairs = !isScan && payload->isLanewise && !payload->isExact && isNarrowFloat(first);
  bool isTree = payload->isLanewise && (payload->isExact || payload->isInPairs) && payload->lanes == 1;
  uint32_t regionLanes = isTree ? std::max(1u, payload->extent / 2) : payload->lanes;

  SmallVector<Slot> operands = translator.slotsOf(sources), results;
  for (auto [i, slot] : llvm::enumerate(operands)) {
    CombineSource source;
    source.source = slot.offset;
    source.laidOut = slot;
    results.push_back(translator.define(op->getResult(i)));
    source.result = source.scanned = results.back().offset;
    if (view.outer > 1 || isTree || payload->isInPairs) {
      source.laidOut = translator.temporary(slot.element, slot.count);
      source.layOut = makeLayoutMove(translator, view, false);
    }
    if (view.outer > 1 && isScan) {
      source.scanned = translator.temporary(slot.element, slot.count).offset;
      source.bringBack = makeLayoutMove(translator, view, true);
    }
    payload->sources.push_back(source);
  }
  payload->region = translator.makeLaneBlock(payload->isLanewise ? regionLanes : 0, [&] {
    SmallVector<Slot> left;
    for (auto [i, argument] : llvm::enumerate(block.getArguments())) {
      Slot slot = translator.define(argument);
      size_t count = sources.size();
      (i < count ? payload->sources[i].left : payload->sources[i - count].right) = slot.offset;
      if (i < count)
        left.push_back(slot);
    }
    translator.translateRegion(block, left);
  });
  translator.emit(op, isScan ? runScan : runReduce, results, operands, Flow::Custom).payload = payload;
  for (Value argument : block.getArguments())
    translator.releaseValue(argument);
}

static void translateReduce(Translator &translator, tile::ReduceOp op) {
  translateCombine(translator, op, op.getAxis(), op.getCombine().front(), false, false);
}
static void translateScan(Translator &translator, tile::ScanOp op) {
  translateCombine(translator, op, op.getAxis(), op.getCombine().front(), true, op.getReverse());
}

static void translateMap(Translator &translator, tile::MapOp op) {
  mlir::Block &block = op.getBody().front();
  auto *payload = translator.payload<MapPayload>();
  payload->pack = op.getPack();
  uint32_t count = translator.countOf(op.getSources().front().getType());
  payload->groups = count / payload->pack;
  payload->isLanewise = isLanewise(block);
  SmallVector<Slot> operands = translator.slotsOf(op.getSources()), results;
  for (Value result : op.getResults())
    results.push_back(translator.define(result));
  uint32_t lanes = payload->isLanewise ? payload->groups : 1;
  SmallVector<Slot> yields;
  for (size_t i = 0; i < results.size() * payload->pack; ++i) {
    Slot result = results[i / payload->pack];
    yields.push_back(translator.temporary(result.element, lanes));
    payload->yields.push_back(
        {result.offset, yields.back().offset, uint32_t(byteSize(result.element)), uint32_t(i % payload->pack)});
  }
  payload->region = translator.makeLaneBlock(payload->isLanewise ? lanes : 0, [&] {
    for (auto [i, argument] : llvm::enumerate(block.getArguments())) {
      Slot slot = translator.define(argument), tile = operands[i / payload->pack];
      payload->arguments.push_back(
          {tile.offset, slot.offset, uint32_t(byteSize(slot.element)), uint32_t(i % payload->pack)});
    }
    translator.translateRegion(block, yields);
  });
  translator.emit(op, runMap, results, operands, Flow::Custom).payload = payload;
  for (Value argument : block.getArguments())
    translator.releaseValue(argument);
}

static void translateSort(Translator &translator, tile::SortOp op) {
  Slot source = translator.slotOf(op.getSource()), result = translator.define(op.getResult());
  auto *payload = translator.payload<SortPayload>();
  payload->element = source.element;
  payload->extent = uint32_t(tile::shapeOf(op.getSource().getType()).back());
  payload->rows = source.count / payload->extent;
  payload->count = op.getCount();
  payload->isDescending = op.getDescending();
  payload->isUnsigned = op.getIsUnsigned();
  translator.emit(op, runSort, result, source, Flow::Mix).payload = payload;
}

static void translateHistogram(Translator &translator, tile::HistogramOp op) {
  SmallVector<Slot> operands = translator.slotsOf(op->getOperands());
  auto *payload = translator.payload<HistogramPayload>();
  payload->source = operands[0];
  payload->hasMask = bool(op.getMask());
  payload->bins = translator.define(op.getResult());
  translator.emit(op, runHistogram, payload->bins, operands, Flow::Histogram).payload = payload;
}

void addReduceOps(OpTable &table) {
  addOp<tile::ReduceOp, translateReduce>(table);
  addOp<tile::ScanOp, translateScan>(table);
  addOp<tile::MapOp, translateMap>(table);
  addOp<tile::SortOp, translateSort>(table);
  addOp<tile::HistogramOp, translateHistogram>(table);
}

} // namespace nereid::interp
