// Divide.cpp: division of a tile by one number. `/` of fp32 may be off by 2 units in the last place on a GPU (`div_rn` may
// not), so one reciprocal serves all elements. It is taken of a number near 1 in size: neither it nor a quotient that is
// in range leaves the range on the way.
#include "gpu/lower/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace nereid::gpu {

bool Lowering::lowerDivisionByScalar(Operation *op) {
  auto division = dyn_cast<arith::DivFOp>(op);
  if (!division || !isTile(division.getType()) || !getElementTypeOrSelf(division.getType()).isF32())
    return false;
  auto divisor = division.getRhs().getDefiningOp<tile::SplatOp>();
  if (!divisor)
    return false;
  llvm::Value *tile = get(division.getLhs()), *number = get(divisor.getSource());
  llvm::Type *type = builder.getFloatTy();
  auto constant = [&](double value) { return llvm::ConstantFP::get(type, value); };
  llvm::Value *size = builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, number);
  llvm::Value *isLarge = builder.CreateFCmpOGT(size, constant(0x1p64));
  llvm::Value *isSmall = builder.CreateFCmpOLT(size, constant(0x1p-64));
  llvm::Value *scale = builder.CreateSelect(isLarge, constant(0x1p-64), constant(1));
  scale = builder.CreateSelect(isSmall, constant(0x1p64), scale);
  llvm::Value *reciprocal = instructions.reciprocal(builder.CreateFMul(number, scale));
  unsigned count = llvm::cast<llvm::FixedVectorType>(tile->getType())->getNumElements();
  set(division, builder.CreateFMul(builder.CreateFMul(tile, splat(scale, count)), splat(reciprocal, count)));
  return true;
}

} // namespace nereid::gpu
