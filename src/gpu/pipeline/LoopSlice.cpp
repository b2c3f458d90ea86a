#include "gpu/pipeline/LoopSlice.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace nereid::gpu {

bool LoopSlice::add(ValueRange roots) {
  llvm::SetVector<Operation *> moreOps = ops;
  llvm::SetVector<unsigned> moreArguments = arguments;
  for (Value root : roots)
    if (root && !follow(root, moreOps, moreArguments))
      return false;
  ops = moreOps, arguments = moreArguments;
  return true;
}

bool isFixedMemory(scf::ForOp loop) {
  return !loop.getBody()
              ->walk([](Operation *op) {
                return op->hasTrait<tile::Atomic>() || isa<tile::BarrierOp>(op) ? WalkResult::interrupt()
                                                                                : WalkResult::advance();
              })
              .wasInterrupted();
}

// Loads of numbers and of rows.
static bool isShortLoad(Operation *op) {
  auto load = dyn_cast<tile::LoadOp>(op);
  auto type = load ? dyn_cast<RankedTensorType>(load.getType()) : RankedTensorType();
  return load && !load.getIsVolatile() && (!type || type.getRank() == 1);
}

// Ops that take more time or registers than what they would bring early, or shared memory.
static bool isCostly(Operation *op) { return op->hasTrait<tile::AcrossElements>(); }

// A branch that only computes (which tile comes next), whose ops can be run once more for another iteration.
static bool isCheapBranch(Operation *op) {
  return isa<scf::IfOp>(op) && !op->walk([](Operation *inner) {
                                    return isCostly(inner) ? WalkResult::interrupt() : WalkResult::advance();
                                  }).wasInterrupted();
}

// What an op takes, inside its regions too.
static llvm::SetVector<Value> inputsOf(Operation *op) {
  llvm::SetVector<Value> inputs(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), inputs);
  return inputs;
}

bool LoopSlice::follow(Value value, llvm::SetVector<Operation *> &into, llvm::SetVector<unsigned> &carried) const {
  scf::ForOp from = loop;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != from.getBody() || argument == from.getInductionVar())
      return true;
    unsigned index = argument.getArgNumber() - 1;
    return !carried.insert(index) || follow(from.getYieldedValues()[index], into, carried);
  }
  Operation *op = value.getDefiningOp();
  if (!from.getBody()->findAncestorOpInBlock(*op))
    return true;
  bool isLoad = isShortLoad(op) && isFixedMemory(from);
  bool isWhole = !op->getNumRegions() || isCheapBranch(op);
  if (op->getBlock() != from.getBody() || !isWhole || (!isLoad && !isMemoryEffectFree(op)) || isCostly(op))
    return false;
  if (!into.insert(op))
    return true;
  return llvm::all_of(inputsOf(op), [&](Value operand) { return follow(operand, into, carried); });
}

bool LoopSlice::isOnlyFor(Value value) const {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    Operation *place = loop->getRegion(0).findAncestorOpInRegion(*user);
    return place && ops.contains(place);
  });
}

llvm::SmallVector<Value> LoopSlice::starts() const {
  llvm::SmallVector<Value> values;
  scf::ForOp from = loop;
  for (unsigned argument : arguments)
    values.push_back(from.getInitArgs()[argument]);
  return values;
}

tile::LoadOp cloneLoad(OpBuilder &builder, tile::LoadOp from, IRMapping &mapping, Value when) {
  Location loc = from.getLoc();
  Value mask = when;
  if (auto type = dyn_cast<RankedTensorType>(from.getType()))
    mask = tile::SplatOp::create(builder, loc, RankedTensorType::get(type.getShape(), when.getType()), when);
  if (from.getMask()) {
    Value given = mapping.lookupOrDefault(from.getMask());
    if (given.getType() != mask.getType())
      given = tile::SplatOp::create(builder, loc, mask.getType(), given);
    mask = arith::AndIOp::create(builder, loc, mask, given);
  }
  auto load = cast<tile::LoadOp>(builder.clone(*from, mapping));
  load.getMaskMutable().assign(mask);
  return load;
}

IRMapping LoopSlice::clone(OpBuilder &builder, scf::ForOp from, Value index,
                           llvm::SmallVectorImpl<Value> &carried) const {
  IRMapping mapping;
  mapping.map(from.getInductionVar(), index);
  for (auto [i, argument] : llvm::enumerate(arguments))
    mapping.map(from.getRegionIterArg(argument), carried[i]);
  Value when;
  for (Operation &op : *from.getBody()) {
    if (!ops.contains(&op))
      continue;
    auto load = dyn_cast<tile::LoadOp>(op);
    if (load && !when)
      when = isIteration(builder, from, index);
    if (load)
      cloneLoad(builder, load, mapping, when);
    else
      builder.clone(op, mapping);
  }
  for (auto [i, argument] : llvm::enumerate(arguments))
    carried[i] = mapping.lookupOrDefault(from.getYieldedValues()[argument]);
  return mapping;
}

Value isIteration(OpBuilder &builder, scf::ForOp loop, Value index) {
  auto predicate = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  return arith::CmpIOp::create(builder, loop.getLoc(), predicate, index, loop.getUpperBound());
}

} // namespace nereid::gpu
