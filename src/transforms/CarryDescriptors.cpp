// CarryDescriptors.cpp: a loop or a branch that passes a descriptor on passes its base, its extents and its strides instead.
//
//   before  scf.for … iter_args(%d = %first) {
//             tile.desc_load %d
//             %next = tile.make_desc %p …
//             scf.yield %next }
//   after   scf.for … iter_args(%base = %b, %extent = %e, %stride = %s) {
//             %d = tile.make_desc %base …
//             tile.desc_load %d
//             scf.yield %p, … }
//
// In between, the parts of a descriptor are the results of a cast, which is folded when its operand has become a make_desc.
// What is left of the carried descriptor itself nobody reads, so that canonicalization removes it.
#include "transforms/Passes.h"

#include "dialect/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace nereid::transforms {

namespace {

bool isDescriptor(Value value) { return isa<tile::DescType>(value.getType()); }

// The padding of a descriptor, which is the same on every way to it.
class PaddingFinder {
public:
  // False when two ways differ, or one of them is not known.
  bool visit(Value desc) {
    if (!seen.insert(desc).second)
      return true;
    if (auto make = desc.getDefiningOp<tile::MakeDescOp>())
      return join(make.getPadding());
    if (auto select = desc.getDefiningOp<arith::SelectOp>())
      return visit(select.getTrueValue()) && visit(select.getFalseValue());
    if (auto result = dyn_cast<OpResult>(desc)) {
      if (auto branch = dyn_cast<scf::IfOp>(result.getOwner()))
        return visit(branch.thenYield().getOperand(result.getResultNumber())) &&
               visit(branch.elseYield().getOperand(result.getResultNumber()));
      if (auto loop = dyn_cast<scf::ForOp>(result.getOwner()))
        return visitCarried(loop, result.getResultNumber());
      auto loop = dyn_cast<scf::WhileOp>(result.getOwner());
      return loop && visit(loop.getConditionOp().getArgs()[result.getResultNumber()]);
    }
    auto argument = cast<BlockArgument>(desc);
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto function = dyn_cast<func::FuncOp>(parent))
      return join(function.getArgAttr(argument.getArgNumber(), "tile.nan_padding") ? tile::Padding::NaN
                                                                                   : tile::Padding::Zero);
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      return visitCarried(loop, argument.getArgNumber() - loop.getNumInductionVars());
    auto loop = dyn_cast<scf::WhileOp>(parent);
    if (!loop)
      return false;
    unsigned i = argument.getArgNumber();
    return argument.getOwner() == loop.getAfterBody()
               ? visit(loop.getConditionOp().getArgs()[i])
               : visit(loop.getInits()[i]) && visit(loop.getYieldOp().getOperand(i));
  }
  std::optional<tile::Padding> found;

private:
  bool visitCarried(scf::ForOp loop, unsigned i) {
    return visit(loop.getInitArgs()[i]) && visit(loop.getYieldedValues()[i]);
  }
  bool join(tile::Padding padding) {
    bool agrees = !found || *found == padding;
    found = padding;
    return agrees;
  }
  llvm::DenseSet<Value> seen;
};

SmallVector<Type> partTypes(tile::DescType type) {
  MLIRContext *context = type.getContext();
  SmallVector<Type> types{tile::PtrType::get(type.getBlock().getElementType())};
  types.append(type.getBlock().getRank(), IntegerType::get(context, 32));
  types.append(type.getBlock().getRank(), IntegerType::get(context, 64));
  return types;
}

SmallVector<Value> partsOf(OpBuilder &builder, Location loc, Value desc) {
  auto cast =
      UnrealizedConversionCastOp::create(builder, loc, partTypes(mlir::cast<tile::DescType>(desc.getType())), desc);
  return SmallVector<Value>(cast.getResults());
}

Value fromParts(OpBuilder &builder, Location loc, Type type, ValueRange parts, tile::Padding padding) {
  size_t rank = mlir::cast<tile::DescType>(type).getBlock().getRank();
  return tile::MakeDescOp::create(builder, loc, type, parts[0], parts.slice(1, rank), parts.slice(1 + rank, rank),
                                  padding);
}

void carryParts(scf::ForOp loop, IRRewriter &rewriter) {
  for (unsigned i = 0; i < loop.getNumResults(); ++i) {
    PaddingFinder finder;
    if (!isDescriptor(loop.getResult(i)) || !finder.visit(loop.getResult(i)))
      continue;
    Location loc = loop.getLoc();
    rewriter.setInsertionPoint(loop);
    SmallVector<Value> inits = partsOf(rewriter, loc, loop.getInitArgs()[i]);
    unsigned before = loop.getNumResults();
    auto yields = [&](OpBuilder &builder, Location at, ArrayRef<BlockArgument>) {
      return partsOf(builder, at, loop.getYieldedValues()[i]);
    };
    auto changed = loop.replaceWithAdditionalYields(rewriter, inits, false, yields);
    if (failed(changed))
      continue;
    loop = cast<scf::ForOp>(changed->getOperation());
    Type type = loop.getResult(i).getType();
    rewriter.setInsertionPointToStart(loop.getBody());
    Value inside = fromParts(rewriter, loc, type, loop.getRegionIterArgs().drop_front(before), *finder.found);
    loop.getRegionIterArg(i).replaceAllUsesWith(inside);
    rewriter.setInsertionPointAfter(loop);
    loop.getResult(i).replaceAllUsesWith(
        fromParts(rewriter, loc, type, loop.getResults().drop_front(before), *finder.found));
    (*loop.getYieldedValuesMutable())[i].set(loop.getRegionIterArg(i));
  }
}

void carryParts(scf::IfOp branch, IRRewriter &rewriter) {
  for (unsigned i = 0; i < branch.getNumResults(); ++i) {
    PaddingFinder finder;
    if (!isDescriptor(branch.getResult(i)) || !finder.visit(branch.getResult(i)))
      continue;
    Type type = branch.getResult(i).getType();
    SmallVector<Type> types(branch.getResultTypes());
    types.append(partTypes(cast<tile::DescType>(type)));
    rewriter.setInsertionPoint(branch);
    auto changed = scf::IfOp::create(rewriter, branch.getLoc(), types, branch.getCondition(), true, true);
    changed->setAttrs(branch->getAttrs());
    for (auto [from, to] : llvm::zip(branch->getRegions(), changed->getRegions())) {
      to.takeBody(from);
      auto yield = cast<scf::YieldOp>(to.front().getTerminator());
      rewriter.setInsertionPoint(yield);
      SmallVector<Value> parts = partsOf(rewriter, yield.getLoc(), yield.getOperand(i));
      yield.getResultsMutable().append(parts);
    }
    unsigned before = branch.getNumResults();
    rewriter.setInsertionPointAfter(changed);
    Value made = fromParts(rewriter, branch.getLoc(), type, changed.getResults().drop_front(before), *finder.found);
    for (unsigned j = 0; j < before; ++j)
      branch.getResult(j).replaceAllUsesWith(j == i ? made : changed.getResult(j));
    branch.erase();
    branch = changed;
  }
}

// The values, and behind them the parts of the descriptors among them.
SmallVector<Value> withParts(OpBuilder &builder, Location loc, ValueRange values) {
  SmallVector<Value> all(values);
  for (Value value : values)
    if (isDescriptor(value))
      all.append(partsOf(builder, loc, value));
  return all;
}

// The block, or what is behind a loop, gets the parts as new values: the descriptors are made of these there.
void makeFromParts(OpBuilder &builder, Location loc, ArrayRef<Value> values, ArrayRef<Value> parts,
                   ArrayRef<tile::Padding> paddings) {
  size_t next = 0, which = 0;
  for (Value value : values) {
    if (!isDescriptor(value))
      continue;
    size_t count = partTypes(cast<tile::DescType>(value.getType())).size();
    value.replaceAllUsesWith(fromParts(builder, loc, value.getType(), parts.slice(next, count), paddings[which++]));
    next += count;
  }
}

bool findPaddings(ValueRange values, SmallVector<tile::Padding> &paddings) {
  for (Value value : values) {
    PaddingFinder finder;
    if (!isDescriptor(value))
      continue;
    if (!finder.visit(value))
      return false;
    paddings.push_back(*finder.found);
  }
  return true;
}

void addParts(Block &block, Location loc, ArrayRef<tile::Padding> paddings) {
  SmallVector<Value> before(block.getArguments()), parts;
  for (Value value : before)
    if (auto type = dyn_cast<tile::DescType>(value.getType()))
      for (Type part : partTypes(type))
        parts.push_back(block.addArgument(part, loc));
  OpBuilder builder = OpBuilder::atBlockBegin(&block);
  makeFromParts(builder, loc, before, parts, paddings);
}

void carryParts(scf::WhileOp loop, IRRewriter &rewriter) {
  SmallVector<tile::Padding> atTest, inBody;
  if (!findPaddings(loop.getBeforeArguments(), atTest) || !findPaddings(loop.getAfterArguments(), inBody))
    return;
  Location loc = loop.getLoc();
  scf::ConditionOp condition = loop.getConditionOp();
  scf::YieldOp yield = loop.getYieldOp();
  rewriter.setInsertionPoint(condition);
  SmallVector<Value> handedOn = withParts(rewriter, loc, condition.getArgs());
  condition.getArgsMutable().assign(handedOn);
  rewriter.setInsertionPoint(yield);
  yield.getResultsMutable().assign(withParts(rewriter, loc, yield.getOperands()));
  rewriter.setInsertionPoint(loop);
  auto changed =
      scf::WhileOp::create(rewriter, loc, ValueRange(handedOn).getTypes(), withParts(rewriter, loc, loop.getInits()));
  changed->setAttrs(loop->getAttrs());
  changed.getBefore().takeBody(loop.getBefore());
  changed.getAfter().takeBody(loop.getAfter());
  addParts(*changed.getBeforeBody(), loc, atTest);
  addParts(*changed.getAfterBody(), loc, inBody);
  SmallVector<Value> results(changed.getResults().take_front(loop.getNumResults())),
      parts(changed.getResults().drop_front(loop.getNumResults()));
  loop.replaceAllUsesWith(results);
  loop.erase();
  rewriter.setInsertionPointAfter(changed);
  makeFromParts(rewriter, loc, results, parts, inBody);
}

void carryParts(arith::SelectOp select, IRRewriter &rewriter) {
  PaddingFinder finder;
  if (!isDescriptor(select.getResult()) || !finder.visit(select.getResult()))
    return;
  rewriter.setInsertionPoint(select);
  Location loc = select.getLoc();
  SmallVector<Value> parts;
  for (auto [yes, no] :
       llvm::zip(partsOf(rewriter, loc, select.getTrueValue()), partsOf(rewriter, loc, select.getFalseValue())))
    parts.push_back(arith::SelectOp::create(rewriter, loc, select.getCondition(), yes, no));
  select.getResult().replaceAllUsesWith(fromParts(rewriter, loc, select.getType(), parts, *finder.found));
  select.erase();
}

// The parts of an argument: it is itself the pointer, and its extents and strides follow it.
SmallVector<Value> partsOfArgument(BlockArgument argument, OpBuilder &builder, Location loc) {
  auto type = cast<tile::DescType>(argument.getType());
  SmallVector<Value> parts{
      tile::PtrCastOp::create(builder, loc, tile::PtrType::get(type.getBlock().getElementType()), argument)};
  for (int64_t i = 0; i < 2 * type.getBlock().getRank(); ++i)
    parts.push_back(argument.getOwner()->getArgument(argument.getArgNumber() + 1 + unsigned(i)));
  return parts;
}

void foldCasts(func::FuncOp kernel) {
  kernel.walk([](UnrealizedConversionCastOp cast) {
    if (cast.getNumOperands() != 1 || !isDescriptor(cast.getOperand(0)))
      return;
    OpBuilder builder(cast);
    if (auto make = cast.getOperand(0).getDefiningOp<tile::MakeDescOp>())
      cast.replaceAllUsesWith(make.getOperands());
    else if (auto argument = dyn_cast<BlockArgument>(cast.getOperand(0));
             argument && isa<func::FuncOp>(argument.getOwner()->getParentOp()))
      cast.replaceAllUsesWith(partsOfArgument(argument, builder, cast.getLoc()));
    if (cast.use_empty())
      cast.erase();
  });
}

// Afterwards every descriptor that is read is made where it is read from, or is an argument of the kernel; but for those
// whose padding depends on the way taken. Whether something has changed.
bool carryDescriptorParts(func::FuncOp kernel) {
  SmallVector<Operation *> work;
  kernel.walk([&](Operation *op) {
    bool passesOn = llvm::any_of(op->getResults(), isDescriptor) ||
                    (isa<scf::WhileOp>(op) && llvm::any_of(op->getOperands(), isDescriptor));
    if (isa<scf::ForOp, scf::WhileOp, scf::IfOp, arith::SelectOp>(op) && passesOn)
      work.push_back(op);
  });
  if (work.empty())
    return false;
  IRRewriter rewriter(kernel.getContext());
  for (Operation *op : work) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      carryParts(loop, rewriter);
    else if (auto loop = dyn_cast<scf::WhileOp>(op))
      carryParts(loop, rewriter);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      carryParts(branch, rewriter);
    else
      carryParts(cast<arith::SelectOp>(op), rewriter);
  }
  foldCasts(kernel);
  return true;
}

struct CarryDescriptorsPass : PassWrapper<CarryDescriptorsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CarryDescriptorsPass)
  StringRef getArgument() const final { return "tile-carry-descriptors"; }
  StringRef getDescription() const final { return "Pass on what descriptors consist of, not descriptors"; }
  void runOnOperation() final {
    if (!carryDescriptorParts(getOperation()))
      return;
    OpPassManager simplification(func::FuncOp::getOperationName());
    simplification.addPass(createCanonicalizerPass());
    (void)runPipeline(simplification, getOperation()); // what is left as it was is reported where it is expanded
  }
};

} // namespace

std::unique_ptr<Pass> createCarryDescriptorsPass() { return std::make_unique<CarryDescriptorsPass>(); }

} // namespace nereid::transforms
