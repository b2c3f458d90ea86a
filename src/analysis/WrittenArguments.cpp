// WrittenArguments.cpp: every value holds the set of arguments that its address may come from; sets grow along the ops,
// around loops, out of branches and into called functions until nothing changes.
#include "analysis/WrittenArguments.h"

#include "dialect/Tile.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

#include "llvm/ADT/BitVector.h"

using namespace mlir;

namespace nereid::analysis {

namespace {

class Origins {
public:
  explicit Origins(func::FuncOp kernel) : kernel(kernel), count(kernel.getNumArguments()) {
    for (BlockArgument argument : kernel.getArguments()) {
      llvm::BitVector self(count);
      self.set(argument.getArgNumber());
      origins[argument] = self;
    }
    auto module = kernel->getParentOfType<ModuleOp>();
    do {
      isChanged = false;
      module.walk([&](Operation *op) { visit(op); });
    } while (isChanged);
  }

  void addWritten(Value value, llvm::BitVector &written) const {
    if (auto found = origins.find(value); found != origins.end())
      written |= found->second;
  }

private:
  void flow(Value from, Value to) {
    auto found = origins.find(from);
    // One bit is no address.
    if (found == origins.end() || getElementTypeOrSelf(to.getType()).isInteger(1))
      return;
    llvm::BitVector source = found->second; // a copy: the table may move
    llvm::BitVector &target = origins.try_emplace(to, count).first->second;
    if (source.test(target)) {
      target |= source;
      isChanged = true;
    }
  }
  void flow(ValueRange from, ValueRange to) {
    for (auto [source, target] : llvm::zip(from, to))
      flow(source, target);
  }
  void flowAll(ValueRange from, ValueRange to) {
    for (Value source : from)
      for (Value target : to)
        flow(source, target);
  }

  void visit(Operation *op) {
    if (auto branch = dyn_cast<RegionBranchOpInterface>(op))
      return visitBranch(branch);
    if (auto call = dyn_cast<func::CallOp>(op))
      return visitCall(call);
    // What is read is no address of an argument, as far as we know; what stands for lanes that are not read may be.
    if (auto load = dyn_cast<tile::LoadOp>(op))
      return load.getOther() ? flow(load.getOther(), load.getResult()) : void();
    if (tile::accessOf(op))
      return;
    flowAll(op->getOperands(), op->getResults());
    for (Region &region : op->getRegions()) // regions of scalars: reductions, maps
      for (Block &block : region) {
        flowAll(op->getOperands(), block.getArguments());
        if (block.mightHaveTerminator())
          flowAll(block.getTerminator()->getOperands(), op->getResults());
      }
  }

  void visitBranch(RegionBranchOpInterface branch) {
    SmallVector<RegionSuccessor> successors;
    branch.getEntrySuccessorRegions(SmallVector<Attribute>(branch->getNumOperands()), successors);
    for (const RegionSuccessor &successor : successors)
      flow(branch.getEntrySuccessorOperands(successor), successor.getSuccessorInputs());
    for (Region &region : branch->getRegions())
      for (Block &block : region)
        if (auto end = dyn_cast<RegionBranchTerminatorOpInterface>(block.getTerminator())) {
          SmallVector<RegionSuccessor> next;
          end.getSuccessorRegions(SmallVector<Attribute>(end->getNumOperands()), next);
          for (const RegionSuccessor &successor : next)
            flow(end.getSuccessorOperands(successor), successor.getSuccessorInputs());
        }
  }

  void visitCall(func::CallOp call) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
    if (!callee || callee.isDeclaration())
      return;
    flow(call.getOperands(), callee.getArguments());
    callee.walk([&](func::ReturnOp end) { flow(end.getOperands(), call.getResults()); });
  }

  func::FuncOp kernel;
  unsigned count;
  bool isChanged = false;
  llvm::DenseMap<Value, llvm::BitVector> origins;
};

// The addresses that an op may write to.
SmallVector<Value> writtenAddresses(Operation *op) {
  using Addresses = SmallVector<Value>;
  if (std::optional<tile::Access> access = tile::accessOf(op))
    return access->writes ? Addresses{access->address} : Addresses();
  if (op->hasTrait<tile::ForeignCode>() && !isMemoryEffectFree(op))
    return Addresses(op->getOperands());
  return {};
}

} // namespace

std::vector<bool> writtenArguments(func::FuncOp kernel) {
  Origins origins(kernel);
  llvm::BitVector written(kernel.getNumArguments());
  kernel->getParentOfType<ModuleOp>().walk([&](Operation *op) {
    for (Value address : writtenAddresses(op))
      origins.addWritten(address, written);
  });
  std::vector<bool> result(written.size());
  for (unsigned i : written.set_bits())
    result[i] = true;
  return result;
}

} // namespace nereid::analysis
