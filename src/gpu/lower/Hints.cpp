// Hints.cpp: what the program says about itself: assumptions, how a loop may be changed, which grids depend on it.
#include "gpu/lower/Lowering.h"

using namespace mlir;

namespace nereid::gpu {

template <> void Lowering::lower(tile::AssumeOp op) {
  if (!isTile(op.getCondition().getType()))
    builder.CreateAssumption(get(op.getCondition()));
}

template <> void Lowering::lower(tile::GridDependencyOp op) {
  if (!options.target.hasDependentGrids)
    return; // grids run one after the other
  if (op.getLaunch())
    instructions.startDependentGrids();
  else
    instructions.waitForEarlierGrids();
}

// The branch back to the start of a loop whose code must stay where it is.
void Lowering::keepCodeInside(llvm::Instruction *branch) {
  llvm::Metadata *option = llvm::MDNode::get(context, llvm::MDString::get(context, "llvm.licm.disable"));
  llvm::MDNode *loop = llvm::MDNode::getDistinct(context, {nullptr, option});
  loop->replaceOperandWith(0, loop);
  branch->setMetadata(llvm::LLVMContext::MD_loop, loop);
}

void addHintOps(OpTable &table) { table.add<tile::AssumeOp, tile::GridDependencyOp>(); }

} // namespace nereid::gpu
