// SplitSigns.cpp: sizes that are 0 or more, which no kernel says of its arguments. Where accesses are wider for it, the kernel is there twice,
// and looks at the numbers that it was given: remainders of runs below zero are no runs, and a wide access would read other elements.
//
//   before  %at = (%run + 64 * %n * %x) % (512 * %n);  %v = tile.load %p + %at
//   after   scf.if %n >= 0 { %m = max(%n, 0);  %at = (%run + 64 * %m * %x) % (512 * %m);  %v = tile.load %p + %at }
//           else           { as before }
//
// Kernels with products stay as they are: theirs are long, and their loads are copies ahead.
#include "transforms/Passes.h"

#include "analysis/AxisInfo.h"
#include "dialect/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"

#include <optional>

using namespace mlir;

namespace nereid::transforms {

namespace {

constexpr unsigned kMostOpsTwice = 1000; // of a kernel that is there twice

// How many bytes an access moves at once, along the axis on which these are most.
int64_t widthOf(const analysis::AxisInfoAnalysis &axes, Value pointers, Value mask) {
  constexpr int64_t kWidest = 16;
  Type pointee = cast<tile::PtrType>(getElementTypeOrSelf(pointers.getType())).getPointee();
  int64_t bytes = pointee.isIntOrFloat() ? std::max(1u, pointee.getIntOrFloatBitWidth() / 8) : 8;
  const analysis::AxisInfo &info = axes.of(pointers);
  bool isCut = mask && isa<RankedTensorType>(mask.getType());
  int64_t widest = bytes;
  for (unsigned axis = 0; axis < info.rank(); ++axis) {
    int64_t together = std::min(info.contiguity[axis], isCut ? axes.of(mask).constancy[axis] : kWidest);
    widest = std::max(widest, std::min({kWidest, together * bytes, info.divisibility[axis]}));
  }
  return widest;
}

SmallVector<int64_t> widthsOf(func::FuncOp kernel) {
  analysis::AxisInfoAnalysis axes(kernel);
  SmallVector<int64_t> widths;
  kernel.walk([&](Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op); load && isa<RankedTensorType>(load.getPtr().getType()))
      widths.push_back(widthOf(axes, load.getPtr(), load.getMask()));
    if (auto store = dyn_cast<tile::StoreOp>(op); store && isa<RankedTensorType>(store.getPtr().getType()))
      widths.push_back(widthOf(axes, store.getPtr(), store.getMask()));
  });
  return widths;
}

// Whether a run is divided of which the analysis does not know that it is not below zero.
bool dividesUnknownRuns(func::FuncOp kernel) {
  std::optional<analysis::AxisInfoAnalysis> axes; // most kernels divide no tiles, and need none
  return kernel
      .walk([&](Operation *op) {
        if (!isa<arith::DivSIOp, arith::RemSIOp>(op) || !isa<RankedTensorType>(op->getResult(0).getType()))
          return WalkResult::advance();
        if (!axes)
          axes.emplace(kernel);
        const analysis::AxisInfo &info = axes->of(op->getOperand(0));
        bool isRun = llvm::any_of(info.contiguity, [](int64_t length) { return length > 1; });
        return isRun && !info.isNonNegative ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool isSmall(func::FuncOp kernel) {
  unsigned ops = 0;
  bool hasProducts = false;
  kernel.walk([&](Operation *op) {
    ++ops;
    hasProducts |= isa<tile::DotOp>(op);
  });
  return ops <= kMostOpsTwice && !hasProducts && llvm::hasSingleElement(kernel.getBody());
}

// An argument, and what takes its place.
struct Size {
  BlockArgument argument;
  Operation *largest; // of the argument and 0

  static Size of(BlockArgument argument, OpBuilder &builder) {
    Value zero = arith::ConstantIntOp::create(builder, argument.getLoc(), argument.getType(), 0);
    auto largest = arith::MaxSIOp::create(builder, argument.getLoc(), argument, zero);
    return {argument, largest};
  }
  void put() { argument.replaceAllUsesExcept(largest->getResult(0), largest); }
  void takeBack() { largest->getResult(0).replaceAllUsesWith(argument); }
};

// Those of which wider accesses come.
SmallVector<Size> sizesThatWiden(func::FuncOp kernel) {
  SmallVector<int64_t> before = widthsOf(kernel);
  OpBuilder builder(kernel.getBody());
  SmallVector<Size> sizes, needed;
  for (BlockArgument argument : kernel.getArguments())
    if (argument.getType().isInteger(32) || argument.getType().isInteger(64))
      sizes.push_back(Size::of(argument, builder));
  for (Size &size : sizes)
    size.put();
  SmallVector<int64_t> widest = widthsOf(kernel);
  for (Size &size : sizes) {
    size.takeBack();
    if (widest == before || widthsOf(kernel) == widest) {
      size.largest->erase();
      continue;
    }
    size.put();
    needed.push_back(size);
  }
  for (Size &size : needed)
    size.takeBack();
  return needed;
}

void splitSigns(func::FuncOp kernel) {
  if (!isSmall(kernel) || !dividesUnknownRuns(kernel))
    return;
  SmallVector<Size> sizes = sizesThatWiden(kernel);
  if (sizes.empty())
    return;
  Block &body = kernel.getBody().front();
  Operation *end = body.getTerminator();
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator())
    if (llvm::none_of(sizes, [&](const Size &size) { return size.largest == &op; }))
      ops.push_back(&op);
  OpBuilder builder(end);
  Value are;
  for (const Size &size : sizes) {
    Value zero = arith::ConstantIntOp::create(builder, end->getLoc(), size.argument.getType(), 0);
    size.largest->moveBefore(end);
    size.largest->setOperand(1, zero);
    Value is = arith::CmpIOp::create(builder, end->getLoc(), arith::CmpIPredicate::sge, size.argument, zero);
    are = are ? arith::AndIOp::create(builder, end->getLoc(), are, is).getResult() : is;
  }
  auto split = scf::IfOp::create(builder, end->getLoc(), are, /*withElseRegion=*/true);
  IRMapping mapping;
  for (const Size &size : sizes)
    mapping.map(size.argument, size.largest->getResult(0));
  builder.setInsertionPointToStart(split.thenBlock());
  for (Operation *op : ops)
    builder.clone(*op, mapping);
  for (Operation *op : ops)
    op->moveBefore(split.elseBlock()->getTerminator());
}

struct SplitSignsPass : PassWrapper<SplitSignsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SplitSignsPass)
  StringRef getArgument() const final { return "tile-split-signs"; }
  StringRef getDescription() const final { return "Look at the sign of sizes of which wider accesses come"; }
  void getDependentDialects(DialectRegistry &dialects) const final {
    dialects.insert<arith::ArithDialect, scf::SCFDialect>();
  }
  void runOnOperation() final { splitSigns(getOperation()); }
};

} // namespace

std::unique_ptr<Pass> createSplitSignsPass() { return std::make_unique<SplitSignsPass>(); }

} // namespace nereid::transforms
