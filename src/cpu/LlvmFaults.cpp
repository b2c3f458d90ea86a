#include "cpu/LlvmFaults.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"

#include <optional>

using namespace llvm;

namespace nereid::cpu {

void disableFaultyPasses() {
  auto &options = cl::getRegisteredOptions();
  auto found = options.find("x86-disable-avoid-SFB");
  if (found != options.end())
    found->second->addOccurrence(0, found->first, "true");
}

// The only lane of a constant mask; nothing for other masks.
static std::optional<unsigned> onlyLane(Value *value) {
  auto *mask = dyn_cast<Constant>(value);
  auto *type = dyn_cast<FixedVectorType>(value->getType());
  std::optional<unsigned> lane;
  if (!mask || !type)
    return lane;
  for (unsigned i = 0; i < type->getNumElements(); ++i) {
    auto *bit = dyn_cast_or_null<ConstantInt>(mask->getAggregateElement(i));
    if (!bit || (bit->isOne() && lane))
      return std::nullopt;
    if (bit->isOne())
      lane = i;
  }
  return lane;
}

void rewriteFaultyStores(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : make_early_inc_range(instructions(function))) {
      auto *call = dyn_cast<IntrinsicInst>(&instruction);
      if (!call || call->getIntrinsicID() != Intrinsic::masked_store)
        continue;
      std::optional<unsigned> lane = onlyLane(call->getArgOperand(2));
      if (!lane)
        continue;
      IRBuilder<> builder(call);
      Value *element = builder.CreateExtractElement(call->getArgOperand(0), *lane);
      Value *address = builder.CreateConstGEP1_64(element->getType(), call->getArgOperand(1), *lane);
      uint64_t offset = *lane * module.getDataLayout().getTypeStoreSize(element->getType()).getFixedValue();
      builder.CreateAlignedStore(element, address, commonAlignment(call->getParamAlign(1).valueOrOne(), offset));
      call->eraseFromParent();
    }
}

} // namespace nereid::cpu
