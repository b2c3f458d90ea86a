// SplitExtents.cpp: tiles with an extent that is no power of two become several tiles that have none. 176 columns are 128, 32 and
// 16; loops and branches pass on all pieces; a sum along K goes through the pieces one after the other.
//
//   before  %s = tile.dot %q, %k, %zero : tensor<64x32xf16>, tensor<32x48xf16> -> tensor<64x48xf32>
//           %m = tile.reduce %s {axis = 1} … : (tensor<64x48xf32>) -> tensor<64xf32>
//   after   %s0 = tile.dot %q, %k0, %zero0 : tensor<64x32xf16>, tensor<32x32xf16> -> tensor<64x32xf32>
//           %s1 = tile.dot %q, %k1, %zero1 : tensor<64x32xf16>, tensor<32x16xf16> -> tensor<64x16xf32>
//           %m0 = tile.reduce %s0 …;  %m1 = tile.reduce %s1 …;  %m = arith.maxnumf %m0, %m1
//
// How an op works on pieces is said beside the op (dialect/ops/Pieces.h); here are loops and branches, and ops that work on each
// element by itself.
#include "transforms/Passes.h"

#include "dialect/ops/Pieces.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace nereid::transforms {

using tile::Cut;
using tile::isUneven;

static bool describesUneven(Type type) {
  auto desc = dyn_cast<tile::DescType>(type);
  return desc && isUneven(desc.getBlock());
}

// Tiles, or blocks in memory.
static bool touchesUneven(Operation *op) {
  auto isCut = [](Type type) { return isUneven(type); };
  std::optional<tile::Access> access = tile::accessOf(op);
  return llvm::any_of(op->getOperandTypes(), isCut) || llvm::any_of(op->getResultTypes(), isCut) ||
         (access && describesUneven(access->address.getType()));
}

static SmallVector<Type> pieceTypes(Type type) {
  if (!isUneven(type))
    return {type};
  Cut cut(tile::shapeOf(type));
  SmallVector<Type> types;
  for (size_t piece = 0; piece < cut.count(); ++piece)
    types.push_back(tile::withShape(type, cut.shapeAt(cut.placeOf(piece))));
  return types;
}

// The elements of a constant at a place.
static DenseElementsAttr partOf(DenseElementsAttr whole, const Cut &cut, ArrayRef<unsigned> place) {
  auto type = cast<ShapedType>(tile::withShape(whole.getType(), cut.shapeAt(place)));
  if (whole.isSplat())
    return whole.resizeSplat(type);
  ArrayRef<int64_t> shape = whole.getType().getShape();
  auto all = llvm::to_vector(whole.getValues<Attribute>());
  SmallVector<Attribute> elements;
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    int64_t left = i, offset = 0, stride = 1;
    for (size_t axis = shape.size(); axis-- > 0; stride *= shape[axis]) {
      const tile::Span &span = cut.axes[axis][place[axis]];
      offset += (span.start + left % span.extent) * stride;
      left /= span.extent;
    }
    elements.push_back(all[size_t(offset)]);
  }
  return DenseElementsAttr::get(type, elements);
}

// Where each place of the tiles is worked on by itself.
static bool isPlacewise(Operation *op) {
  std::optional<tile::Access> access = tile::accessOf(op);
  return op->hasTrait<OpTrait::Elementwise>() || op->hasTrait<tile::ByElement>() || isa<tile::GroupOpInterface>(op) ||
         (access && access->isByPointer()) || (op->getNumOperands() == 0 && op->getNumRegions() == 0);
}

namespace {

class Splitter {
public:
  explicit Splitter(func::FuncOp kernel) : kernel(kernel), pieces(kernel.getContext()) {}

  // False after an error at the op that cannot be split.
  bool run() {
    kernel.walk([&](tile::DotOp) { pieces.hasProducts = true; });
    if (!splitBlock(kernel.getBody().front()))
      return false;
    for (Operation *op : llvm::reverse(dead))
      op->erase();
    for (auto [block, argument] : llvm::reverse(deadArguments))
      block->eraseArgument(argument.getArgNumber());
    return true;
  }

private:
  bool splitBlock(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (split(&op))
        continue;
      op.emitError(pieces.problem.empty()
                       ? "`" + op.getName().getStringRef() +
                             "` takes tiles whose extents are powers of two alone, but on the interpreter"
                       : llvm::Twine(pieces.problem));
      return false;
    }
    return true;
  }

  bool split(Operation *op) {
    pieces.builder.setLoc(op->getLoc());
    pieces.builder.setInsertionPoint(op);
    if (isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op))
      return splitRegions(op);
    if (!touchesUneven(op))
      return true;
    if (op->hasTrait<OpTrait::IsTerminator>()) {
      op->setOperands(pieces.expanded(op->getOperands()));
      return true;
    }
    dead.push_back(op);
    if (tile::PieceRule rule = tile::pieceRuleOf(op))
      return rule(pieces, op);
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      return splitConstant(constant);
    return isPlacewise(op) && pieces.splitPlacewise(op);
  }

  bool splitConstant(arith::ConstantOp constant) {
    auto whole = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!whole)
      return false;
    Cut cut(whole.getType().getShape());
    SmallVector<Value> its;
    for (size_t piece = 0; piece < cut.count(); ++piece)
      its.push_back(arith::ConstantOp::create(pieces.builder, partOf(whole, cut, cut.placeOf(piece))));
    pieces.give(constant, its);
    return true;
  }

  // The same loop or branch, with pieces for what it takes and gives.
  bool splitRegions(Operation *op) {
    Operation *target = touchesUneven(op) ? expand(op) : op;
    for (Region &region : target->getRegions())
      for (Block &block : region) {
        expandArguments(block);
        if (!splitBlock(block))
          return false;
      }
    return true;
  }

  Operation *expand(Operation *op) {
    OperationState state(op->getLoc(), op->getName(), pieces.expanded(op->getOperands()), TypeRange(), op->getAttrs());
    for (Type type : op->getResultTypes())
      state.addTypes(pieceTypes(type));
    for (unsigned i = 0; i < op->getNumRegions(); ++i)
      state.addRegion();
    Operation *made = pieces.builder.create(state);
    for (auto [from, to] : llvm::zip(op->getRegions(), made->getRegions()))
      to.takeBody(from);
    unsigned next = 0;
    for (Value result : op->getResults()) {
      unsigned count = unsigned(pieceTypes(result.getType()).size());
      auto its = made->getResults().slice(next, count);
      pieces.give(result, SmallVector<Value>(its.begin(), its.end()));
      next += count;
    }
    dead.push_back(op);
    return made;
  }

  // The arguments that are cut stay, for what is rewritten later; their pieces stand behind them.
  void expandArguments(Block &block) {
    for (BlockArgument argument : llvm::to_vector(block.getArguments())) {
      if (!isUneven(argument.getType()))
        continue;
      SmallVector<Value> its;
      unsigned next = argument.getArgNumber() + 1;
      for (Type type : pieceTypes(argument.getType()))
        its.push_back(block.insertArgument(next++, type, argument.getLoc()));
      pieces.give(argument, its);
      deadArguments.push_back({&block, argument});
    }
  }

  func::FuncOp kernel;
  tile::Pieces pieces;
  SmallVector<Operation *> dead; // in order: an op stands before those that use it or are inside of it
  SmallVector<std::pair<Block *, BlockArgument>> deadArguments;
};

struct SplitExtentsPass : PassWrapper<SplitExtentsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SplitExtentsPass)
  StringRef getArgument() const final { return "tile-split-extents"; }
  StringRef getDescription() const final { return "Take tiles apart whose extents are no powers of two"; }
  void getDependentDialects(DialectRegistry &registry) const final { registry.insert<arith::ArithDialect>(); }
  void runOnOperation() final {
    auto isCut = [](Operation *op) { return touchesUneven(op) ? WalkResult::interrupt() : WalkResult::advance(); };
    if (!getOperation()->walk(isCut).wasInterrupted())
      return;
    // A piece of a block is described by the parts of its descriptor, which loops and branches must pass on as such.
    OpPassManager carry(func::FuncOp::getOperationName());
    carry.addPass(createCarryDescriptorsPass());
    if (failed(runPipeline(carry, getOperation())) || !Splitter(getOperation()).run())
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> createSplitExtentsPass() { return std::make_unique<SplitExtentsPass>(); }

} // namespace nereid::transforms
