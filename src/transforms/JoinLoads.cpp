// JoinLoads.cpp: in a loop with products, a tile that both branches of a condition load from the same pointers is loaded once, under a mask
// that holds what the branches differ in: `if start + BLOCK <= n:` load all, else those below n. What is loaded in a branch cannot run
// ahead of the loop, nor come to where a product reads it without threads that wait.
//
//   before  %t = scf.if %all { %a = tile.load %p; yield %a } else { %b = tile.load %p mask %m; yield %b }
//   after   %any = arith.ori splat(%all), %m
//           %t = tile.load %p mask %any
#include "transforms/Passes.h"

#include "dialect/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace nereid::transforms {

namespace {

// What a load needs that is computed in its branch, if it may be computed in front of the condition.
class Needs {
public:
  explicit Needs(scf::IfOp branches) : branches(branches) {}

  bool add(Value value) {
    Operation *op = value ? value.getDefiningOp() : nullptr;
    if (!op || !branches->isProperAncestor(op) || ops.contains(op))
      return true;
    bool mayMove = isPure(op) && op->getNumRegions() == 0 && ops.size() < kMost;
    if (!mayMove || !llvm::all_of(op->getOperands(), [&](Value operand) { return add(operand); }))
      return false;
    ops.insert(op); // behind those that it needs
    return true;
  }
  void move() {
    for (Operation *op : ops)
      op->moveBefore(branches);
  }

private:
  static constexpr size_t kMost = 64;
  scf::IfOp branches;
  llvm::SetVector<Operation *> ops;
};

bool onlyReads(Block *block) {
  return llvm::all_of(*block, [](Operation &op) {
    auto load = dyn_cast<tile::LoadOp>(op);
    return (load && !load.getIsVolatile()) || isMemoryEffectFree(&op);
  });
}

class LoadJoiner {
public:
  explicit LoadJoiner(scf::IfOp branches) : branches(branches), builder(branches) {}

  void run() {
    for (unsigned index = 0; index < branches.getNumResults(); ++index)
      join(index);
  }

private:
  tile::LoadOp loadOf(Block *block, unsigned index) {
    auto load = block->getTerminator()->getOperand(index).getDefiningOp<tile::LoadOp>();
    return load && load->getBlock() == block && isa<RankedTensorType>(load.getType()) ? load : tile::LoadOp();
  }

  void join(unsigned index) {
    tile::LoadOp first = loadOf(branches.thenBlock(), index), second = loadOf(branches.elseBlock(), index);
    if (!first || !second || first.getPtr() != second.getPtr() || first.getCache() != second.getCache() ||
        first.getEvict() != second.getEvict() || (!first.getMask() && !second.getMask()))
      return;
    Needs needs(branches);
    for (Value needed : {first.getMask(), second.getMask(), first.getOther(), second.getOther(), first.getPtr()})
      if (!needs.add(needed))
        return;
    needs.move();
    auto type = cast<RankedTensorType>(first.getType());
    Value mask = maskOf(first.getMask(), second.getMask(), type);
    Value loaded = tile::LoadOp::create(builder, first.getLoc(), type, first.getPtr(), mask, otherOf(first, second),
                                        first.getCache(), first.getEvict(), false);
    for (tile::LoadOp load : {first, second}) {
      load.replaceAllUsesWith(loaded);
      load.erase();
    }
    branches.getResult(index).replaceAllUsesWith(loaded);
  }

  Value splat(Value truth, Type like) { return tile::SplatOp::create(builder, branches.getLoc(), like, truth); }

  Value maskOf(Value first, Value second, RankedTensorType type) {
    Location loc = branches.getLoc();
    Value isFirst = branches.getCondition();
    if (first && second)
      return arith::SelectOp::create(builder, loc, isFirst, first, second);
    auto truths = RankedTensorType::get(type.getShape(), builder.getI1Type());
    if (second)
      return arith::OrIOp::create(builder, loc, splat(isFirst, truths), second);
    Value yes = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
    return arith::OrIOp::create(builder, loc, splat(arith::XOrIOp::create(builder, loc, isFirst, yes), truths), first);
  }

  // A branch without a mask has no other lanes; without an `other` it says nothing of them.
  Value otherOf(tile::LoadOp first, tile::LoadOp second) {
    Value a = first.getOther(), b = second.getOther();
    if (!a || !b || a == b)
      return a ? a : b;
    return arith::SelectOp::create(builder, branches.getLoc(), branches.getCondition(), a, b);
  }

  scf::IfOp branches;
  OpBuilder builder;
};

struct JoinLoadsPass : PassWrapper<JoinLoadsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(JoinLoadsPass)
  StringRef getArgument() const final { return "tile-join-loads"; }
  StringRef getDescription() const final { return "Load once what both branches of a condition load for a product"; }
  void runOnOperation() final {
    getOperation().walk([](scf::IfOp branches) {
      auto loop = branches->getParentOfType<scf::ForOp>();
      bool hasProduct = loop && loop->walk([](tile::DotOp) { return WalkResult::interrupt(); }).wasInterrupted();
      if (hasProduct && branches.elseBlock() && onlyReads(branches.thenBlock()) && onlyReads(branches.elseBlock()))
        LoadJoiner(branches).run();
    });
  }
};

} // namespace

std::unique_ptr<Pass> createJoinLoadsPass() { return std::make_unique<JoinLoadsPass>(); }

} // namespace nereid::transforms
