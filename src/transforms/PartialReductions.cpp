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
// Sums of floats are bracketed in another way by this, as a reduction is free to. Rows that do not lie along memory are
// left alone: their lanes are rows already. So are tiles of one row, where there is little to gain.
#include "transforms/Passes.h"

#include "analysis/AxisInfo.h"
#include "dialect/Tile.h"
#include "transforms/FoldedReductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace nereid::transforms {

namespace {

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

bool isWorthIt(const Folded &folded, int64_t lanes, const analysis::AxisInfoAnalysis &axes) {
  tile::ReduceOp reduce = folded.reduce;
  Value source = reduce.getSources().front();
  auto type = cast<RankedTensorType>(source.getType());
  unsigned axis = reduce.getAxis();
  return type.getRank() > 1 && axis + 1 == type.getRank() && type.getShape()[axis] >= 2 * lanes &&
         type.getShape()[axis] % lanes == 0 && liesAlongRows(source, axis, lanes, axes);
}

void carryPartials(const Folded &folded, int64_t lanes) {
  tile::ReduceOp reduce = folded.reduce;
  Value source = reduce.getSources().front();
  Type result = reduce.getResult(0).getType();
  unsigned axis = reduce.getAxis();
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<int64_t> strips(type.getShape()), partial(type.getShape());
  strips[axis] /= lanes;
  strips.push_back(lanes);
  partial[axis] = lanes;
  OpBuilder builder(reduce);
  Value strip = tile::ReshapeOp::create(builder, reduce.getLoc(), RankedTensorType::get(strips, type.getElementType()),
                                        source, false);
  Value part = reduceLike(builder, reduce, strip, axis, RankedTensorType::get(partial, type.getElementType()));
  OpBuilder behind(folded.loop->getContext());
  behind.setInsertionPointAfter(folded.loop);
  carryParts(folded, part, behind, [&](Value parts) { return reduceLike(behind, reduce, parts, axis, result); });
}

struct PartialReductionsPass : PassWrapper<PartialReductionsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PartialReductionsPass)
  explicit PartialReductionsPass(unsigned count) { lanes = count; }
  PartialReductionsPass(const PartialReductionsPass &other) : PassWrapper(other) {}
  StringRef getArgument() const final { return "tile-partial-reductions"; }
  StringRef getDescription() const final { return "Carry partial results through loops that only combine reductions"; }

  void runOnOperation() final {
    SmallVector<Folded> all = foldedReductions(getOperation());
    if (all.empty())
      return;
    analysis::AxisInfoAnalysis axes(getOperation());
    llvm::erase_if(all, [&](const Folded &folded) { return !isWorthIt(folded, lanes, axes); });
    for (const Folded &folded : all)
      carryPartials(folded, lanes);
  }

  Option<unsigned> lanes{*this, "lanes", llvm::cl::desc("partial results for each row"), llvm::cl::init(16)};
};

} // namespace

std::unique_ptr<Pass> createPartialReductionsPass(unsigned lanes) {
  return std::make_unique<PartialReductionsPass>(lanes);
}

} // namespace nereid::transforms
