#include "gpu/pipeline/ProducerSlice.h"

#include "gpu/memory/OrderMemory.h"
#include "gpu/memory/TensorMaps.h"

using namespace mlir;

namespace nereid::gpu {

ProducerSlice::ProducerSlice(func::FuncOp kernel, ArrayRef<scf::ForOp> innermost)
    : kernel(kernel), loops(innermost.begin(), innermost.end()) {
  for (scf::ForOp loop : loops)
    for (scf::ForOp each = loop; each; each = each->getParentOfType<scf::ForOp>())
      carried[each];
  for (auto &[op, arguments] : carried)
    for (Value bound : op->getOperands().take_front(3)) // lower, upper and step
      areBoundsKnown &= need(bound);
}

bool ProducerSlice::add(tile::DescLoadOp block) {
  if (!areBoundsKnown || !llvm::all_of(block.getIndices(), [&](Value index) { return need(index); }))
    return false;
  auto make = block.getDesc().getDefiningOp<tile::MakeDescOp>();
  return !make || llvm::all_of(make->getOperands(), [&](Value operand) { return need(operand); });
}

bool ProducerSlice::add(const TileRows &tile) {
  tile::LoadOp load = tile.load;
  return areBoundsKnown && isUnchanged(memoryRoot(load.getPtr())) &&
         llvm::all_of(ArrayRef<Value>{tile.pointer, tile.stride, tile.rowCount, tile.rowLength},
                      [&](Value value) { return !value || need(value); });
}

bool ProducerSlice::isUnchanged(Value root) {
  auto result = kernel.walk([&](Operation *op) {
    std::optional<tile::Access> access = tile::accessOf(op);
    if (!access || !access->writes)
      return WalkResult::advance();
    Value written;
    if (access->isByPointer())
      written = memoryRoot(access->address);
    else if (std::optional<DescribedTensor> tensor = tensorOf(access->address))
      written = memoryRoot(tensor->base);
    return !written || written == root ? WalkResult::interrupt() : WalkResult::advance();
  });
  return root && !result.wasInterrupted();
}

bool ProducerSlice::need(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto from = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!from)
      return isa<func::FuncOp>(argument.getOwner()->getParentOp());
    auto place = carried.find(from);
    if (place == carried.end())
      return false;
    if (argument == from.getInductionVar())
      return true;
    unsigned index = argument.getArgNumber() - 1;
    if (!place->second.insert(index))
      return true;
    return !isa<RankedTensorType>(value.getType()) && need(from.getInitArgs()[index]) &&
           need(from.getYieldedValues()[index]);
  }
  Operation *op = value.getDefiningOp();
  if (ops.contains(op))
    return true;
  // Beside the loops there is plain arithmetic only, and numbers from memory that the kernel does not change: which expert a
  // tile belongs to.
  Operation *parent = op->getParentOp();
  bool isInside = isa<func::FuncOp>(parent) || carried.contains(parent);
  auto load = dyn_cast<tile::LoadOp>(op);
  bool isNumber = load && !load.getIsVolatile() && isUnchanged(memoryRoot(load.getPtr()));
  if (!isInside || op->getNumRegions() || !(isNumber || isMemoryEffectFree(op)) ||
      isa<RankedTensorType>(value.getType()))
    return false;
  ops.insert(op);
  return llvm::all_of(op->getOperands(), [&](Value operand) { return need(operand); });
}

void ProducerSlice::emit(OpBuilder &builder, llvm::SmallVector<Value> state, Iteration iteration) {
  emitBlock(builder, kernel.getBody().front(), state, iteration);
}

void ProducerSlice::emitBlock(OpBuilder &builder, Block &block, llvm::SmallVector<Value> &state, Iteration iteration) {
  for (Operation &op : block)
    if (carried.contains(&op))
      emitLoop(builder, cast<scf::ForOp>(op), state, iteration);
    else if (ops.contains(&op))
      builder.clone(op, mapping);
}

void ProducerSlice::emitLoop(OpBuilder &builder, scf::ForOp from, llvm::SmallVector<Value> &state,
                             Iteration iteration) {
  const llvm::SetVector<unsigned> &arguments = carried[from];
  llvm::SmallVector<Value> inits;
  for (unsigned argument : arguments)
    inits.push_back(mapping.lookupOrDefault(from.getInitArgs()[argument]));
  inits.append(state);
  auto to = scf::ForOp::create(builder, from.getLoc(), mapping.lookupOrDefault(from.getLowerBound()),
                               mapping.lookupOrDefault(from.getUpperBound()), mapping.lookupOrDefault(from.getStep()),
                               inits, nullptr, from.getUnsignedCmp());
  mapping.map(from.getInductionVar(), to.getInductionVar());
  for (auto [i, argument] : llvm::enumerate(arguments))
    mapping.map(from.getRegionIterArg(argument), to.getRegionIterArg(unsigned(i)));
  auto inside = to.getRegionIterArgs().take_back(state.size());
  llvm::SmallVector<Value> current(inside.begin(), inside.end());
  OpBuilder::InsertionGuard guard(builder);
  Block *body = to.getBody();
  if (!body->empty() && body->back().hasTrait<OpTrait::IsTerminator>())
    body->back().erase();
  builder.setInsertionPointToEnd(body);
  emitBlock(builder, *from.getBody(), current, iteration);
  if (llvm::is_contained(loops, from))
    current = iteration(builder, mapping, from, current);
  llvm::SmallVector<Value> yields;
  for (unsigned argument : arguments)
    yields.push_back(mapping.lookupOrDefault(from.getYieldedValues()[argument]));
  yields.append(current);
  scf::YieldOp::create(builder, from.getLoc(), yields);
  auto results = to.getResults().take_back(state.size());
  state.assign(results.begin(), results.end());
}

} // namespace nereid::gpu
