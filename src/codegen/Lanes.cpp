#include "codegen/Lanes.h"

namespace nereid::codegen {

llvm::Value *mapLanes(llvm::IRBuilderBase &builder, Operands operands,
                      llvm::function_ref<llvm::Value *(Operands)> function) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(operands[0]->getType());
  if (!vector)
    return function(operands);
  llvm::Value *result = nullptr;
  for (unsigned lane = 0; lane < vector->getNumElements(); ++lane) {
    llvm::SmallVector<llvm::Value *> scalars;
    for (llvm::Value *operand : operands)
      scalars.push_back(builder.CreateExtractElement(operand, lane));
    llvm::Value *value = function(scalars);
    if (!result)
      result = llvm::PoisonValue::get(llvm::FixedVectorType::get(value->getType(), vector->getNumElements()));
    result = builder.CreateInsertElement(result, value, lane);
  }
  return result;
}

} // namespace nereid::codegen
