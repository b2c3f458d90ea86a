#include "codegen/LoopStep.h"

#include "dialect/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::codegen {

// A constant, or the number of programs: what steps of loops over tiles are.
static bool isPositive(Value value, bool isUnsigned) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return isUnsigned ? !number.isZero() : number.isStrictlyPositive();
  Operation *op = value.getDefiningOp();
  if (auto wider = dyn_cast_or_null<arith::ExtSIOp>(op))
    return isPositive(wider.getIn(), false);
  return isa_and_nonnull<tile::NumProgramsOp>(op);
}

bool mayStandStill(scf::ForOp loop) { return !isPositive(loop.getStep(), loop.getUnsignedCmp()); }

llvm::Value *standsStill(llvm::IRBuilder<> &builder, scf::ForOp loop, llvm::Value *step) {
  llvm::Value *zero = llvm::ConstantInt::get(step->getType(), 0);
  return loop.getUnsignedCmp() ? builder.CreateICmpEQ(step, zero) : builder.CreateICmpSLE(step, zero);
}

} // namespace nereid::codegen
