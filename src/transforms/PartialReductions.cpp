// PartialReductions.cpp: a loop that reduces the rows of a tile in every iteration, only to combine the result with what it
// carries, carries partial results instead: one row of `lanes` of them for each row. The iterations then work on whole
// vectors, and the step from many lanes to one is done once, behind the loop.
//
//   before  scf.for … iter_args(%sum = %start) {
//             %row = tile.reduce %x {axis = 1} : tensor<32x128xf32> -> tensor<32xf32> { addf }
//             %next = arith.addf %sum, %row
//             scf.yield %next }
//   after   %many = scf.for … iter_args(%sums = -0.0) {
//             %strips = tile.reshape %x : tensor<32x128xf32> -> tensor<32x8x16xf32>
//             %part = tile.reduce %strips {axis = 1} : … -> tensor<32x16xf32> { addf }
//             %next = arith.addf %sums, %part
//             scf.yield %next }
//           %all = tile.reduce %many {axis = 1} : tensor<32x16xf32> -> tensor<32xf32> { addf }
//           %sum = arith.addf %start, %all
//
// Where a thread holds a few neighbours of a row (a GPU), these are reduced in the iteration instead: strips of
// tensor<32x32x4xf32> along their last axis, which leave tensor<32x32xf32>, and the lanes of a row talk to each other
// only behind the loop.
//
// Sums of floats are bracketed in another way by this, as a reduction is free to. Rows that do not lie along memory are
// left alone: their lanes are rows already. So are tiles of one row, where there is little to gain.
#include "transforms/Passes.h"

#include "analysis/AxisInfo.h"
#include "dialect/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::transforms {

namespace {

// What changes nothing when `op` combines it with anything; null for ops that have no such number, or whose order counts.
Attribute identityOf(Operation &op, Type type) {
  if (auto number = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = number.getFloatSemantics();
    auto attribute = [&](const APFloat &value) -> Attribute { return FloatAttr::get(number, value); };
    return llvm::TypeSwitch<Operation *, Attribute>(&op)
        .Case<arith::AddFOp>([&](auto) { return attribute(APFloat::getZero(semantics, true)); })
        .Case<arith::MaximumFOp>([&](auto) { return attribute(APFloat::getInf(semantics, true)); })
        .Case<arith::MinimumFOp>([&](auto) { return attribute(APFloat::getInf(semantics, false)); })
        .Case<arith::MaxNumFOp, arith::MinNumFOp>([&](auto) { return attribute(APFloat::getNaN(semantics)); })
        .Default([](auto) { return Attribute(); });
  }
  unsigned bits = type.getIntOrFloatBitWidth();
  auto attribute = [&](const APInt &value) -> Attribute { return IntegerAttr::get(type, value); };
  return llvm::TypeSwitch<Operation *, Attribute>(&op)
      .Case<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(
          [&](auto) { return attribute(APInt::getZero(bits)); })
      .Case<arith::AndIOp, arith::MinUIOp>([&](auto) { return attribute(APInt::getAllOnes(bits)); })
      .Case<arith::MaxSIOp>([&](auto) { return attribute(APInt::getSignedMinValue(bits)); })
      .Case<arith::MinSIOp>([&](auto) { return attribute(APInt::getSignedMaxValue(bits)); })
      .Default([](auto) { return Attribute(); });
}

// The one op that `block` combines its two arguments with, or null.
Operation *combineOf(Block &block) {
  if (block.getNumArguments() != 2 || block.getOperations().size() != 2)
    return nullptr;
  Operation &op = block.front();
  bool takesBoth = op.getNumOperands() == 2 && op.getNumResults() == 1 && op.getOperand(0) != op.getOperand(1) &&
                   llvm::is_contained(block.getArguments(), op.getOperand(0)) &&
                   llvm::is_contained(block.getArguments(), op.getOperand(1));
  return takesBoth && block.getTerminator()->getOperand(0) == op.getResult(0) ? &op : nullptr;
}

// A value that a loop carries and combines with a reduction in every iteration.
struct Folded {
  scf::ForOp loop;
  unsigned position;
  Operation *fold;
  tile::ReduceOp reduce;
  Attribute identity;
};

// `folded.loop` does nothing else with the value at `position` and with the reduction.
bool findFold(Folded &folded) {
  BlockArgument carried = folded.loop.getRegionIterArg(folded.position);
  Operation *fold = folded.loop.getYieldedValues()[folded.position].getDefiningOp();
  if (!fold || fold->getBlock() != carried.getOwner() || fold->getNumOperands() != 2 || !fold->hasOneUse() ||
      !carried.hasOneUse() || !llvm::is_contained(fold->getOperands(), carried))
    return false;
  Value other = fold->getOperand(fold->getOperand(0) == carried ? 1 : 0);
  auto reduce = other.getDefiningOp<tile::ReduceOp>();
  if (!reduce || reduce->getBlock() != fold->getBlock() || reduce.getNumResults() != 1 || !other.hasOneUse())
    return false;
  Operation *combine = combineOf(reduce.getCombine().front());
  Type type = getElementTypeOrSelf(other.getType());
  if (!combine || combine->getName() != fold->getName() || !type.isIntOrFloat() || type.getIntOrFloatBitWidth() < 32)
    return false;
  folded.fold = fold;
  folded.reduce = reduce;
  folded.identity = identityOf(*combine, type);
  return bool(folded.identity);
}

// The tile is computed from what was loaded, element by element, and rows of that go on without a gap in memory for
// `lanes` elements at least.
bool liesAlongRows(Value tile, unsigned axis, int64_t lanes, const analysis::AxisInfoAnalysis &axes) {
  bool found = false;
  SmallVector<Value> work{tile};
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op)
      continue;
    if (auto load = dyn_cast<tile::LoadOp>(op)) {
      auto type = dyn_cast<RankedTensorType>(load.getPtr().getType());
      if (!type || type.getRank() != cast<RankedTensorType>(tile.getType()).getRank())
        continue;
      if (axes.of(load.getPtr()).contiguity[axis] < lanes)
        return false;
      found = true;
    } else if (op->hasTrait<OpTrait::Elementwise>()) {
      work.append(op->operand_begin(), op->operand_end());
    }
  }
  return found;
}

// How a row of `extent` elements is cut, and which axis of [.., count, length] is reduced in the iterations.
struct Strips {
  int64_t count, length;
  bool reducesWithin;

  int64_t left() const { return reducesWithin ? count : length; }
};

bool isWorthIt(Folded folded, int64_t lanes, const analysis::AxisInfoAnalysis &axes) {
  Value source = folded.reduce.getSources().front();
  auto type = cast<RankedTensorType>(source.getType());
  unsigned axis = folded.reduce.getAxis();
  return type.getRank() > 1 && axis + 1 == type.getRank() && type.getShape()[axis] >= 2 * lanes &&
         type.getShape()[axis] % lanes == 0 && liesAlongRows(source, axis, lanes, axes);
}

tile::ReduceOp reduceLike(OpBuilder &builder, tile::ReduceOp op, Value source, unsigned axis, Type result) {
  auto made = tile::ReduceOp::create(builder, op.getLoc(), TypeRange(result), ValueRange(source), axis);
  IRMapping mapping;
  op.getCombine().cloneInto(&made.getCombine(), mapping);
  return made;
}

void carryPartials(const Folded &folded, const Strips &cut) {
  auto [loop, position, fold, reduce, identity] = folded;
  Value source = reduce.getSources().front(), init = loop.getInitArgs()[position];
  unsigned axis = reduce.getAxis();
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<int64_t> strips(type.getShape()), partial(type.getShape());
  strips[axis] = cut.count;
  strips.push_back(cut.length);
  partial[axis] = cut.left();
  auto partialType = RankedTensorType::get(partial, type.getElementType());

  OpBuilder builder(reduce);
  Value strip = tile::ReshapeOp::create(builder, reduce.getLoc(), RankedTensorType::get(strips, type.getElementType()),
                                        source, false);
  Value part = reduceLike(builder, reduce, strip, cut.reducesWithin ? axis + 1 : axis, partialType).getResult(0);
  reduce.getResult(0).replaceAllUsesWith(part);
  loop.getRegionIterArg(position).setType(partialType);
  fold->getResult(0).setType(partialType);

  builder.setInsertionPoint(loop);
  loop.getInitArgsMutable()[position].set(
      arith::ConstantOp::create(builder, fold->getLoc(), DenseElementsAttr::get(partialType, identity)));
  builder.setInsertionPointAfter(loop);
  OpResult many = loop->getResult(position);
  many.setType(partialType);
  Value all = reduceLike(builder, reduce, many, axis, init.getType()).getResult(0);
  IRMapping mapping;
  mapping.map(fold->getOperand(0), init);
  mapping.map(fold->getOperand(1), all);
  if (fold->getOperand(1) == loop.getRegionIterArg(position)) {
    mapping.map(fold->getOperand(1), init);
    mapping.map(fold->getOperand(0), all);
  }
  Operation *last = builder.clone(*fold, mapping);
  last->getResult(0).setType(init.getType());
  many.replaceAllUsesExcept(last->getResult(0), all.getDefiningOp());
  reduce.erase();
}

struct PartialReductionsPass : PassWrapper<PartialReductionsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PartialReductionsPass)
  explicit PartialReductionsPass(Partials partials = {}) { lanes = partials.lanes, bytes = partials.bytes; }
  PartialReductionsPass(const PartialReductionsPass &other) : PassWrapper(other) {}
  StringRef getArgument() const final { return "tile-partial-reductions"; }
  StringRef getDescription() const final { return "Carry partial results through loops that only combine reductions"; }

  void runOnOperation() final {
    SmallVector<Folded> all;
    getOperation().walk([&](scf::ForOp loop) {
      for (unsigned i = 0; i < loop.getNumResults(); ++i)
        if (Folded folded{loop, i, nullptr, {}, {}}; findFold(folded))
          all.push_back(folded);
    });
    if (all.empty())
      return;
    analysis::AxisInfoAnalysis axes(getOperation());
    llvm::erase_if(all, [&](const Folded &folded) { return !isWorthIt(folded, stripOf(folded), axes); });
    for (Folded &folded : all) {
      auto type = cast<RankedTensorType>(folded.reduce.getSources().front().getType());
      int64_t length = stripOf(folded);
      carryPartials(folded, {type.getShape().back() / length, length, bytes != 0});
    }
  }

  int64_t stripOf(Folded folded) {
    Type element = getElementTypeOrSelf(folded.reduce.getSources().front().getType());
    return bytes ? bytes * 8 / element.getIntOrFloatBitWidth() : lanes;
  }

  Option<unsigned> lanes{*this, "lanes", llvm::cl::desc("partial results for each row"), llvm::cl::init(16)};
  Option<unsigned> bytes{*this, "bytes", llvm::cl::desc("neighbours that a thread holds, instead of lanes"),
                         llvm::cl::init(0)};
};

} // namespace

std::unique_ptr<Pass> createPartialReductionsPass(Partials partials) {
  return std::make_unique<PartialReductionsPass>(partials);
}

} // namespace nereid::transforms
