#include "compiler/TritonWalk.h"

#include "compiler/TritonOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

using namespace mlir;

namespace nereid::compiler {

static uint64_t numberOf(const void *thing) { return reinterpret_cast<uint64_t>(thing); }

static TritonOp describe(Operation *op) {
  TritonOp result;
  StringRef name = op->getName().getStringRef();
  result.name = name.consume_front("func.") ? ("tt." + name).str() : name.str();
  for (Value operand : op->getOperands())
    result.operands.push_back(numberOf(operand.getAsOpaquePointer()));
  for (Value value : op->getResults())
    result.results.push_back(numberOf(value.getAsOpaquePointer()));
  for (Region &region : op->getRegions())
    result.regions.push_back(numberOf(&region));
  if (Block *block = op->getBlock()) {
    result.block = numberOf(block), result.blockRegion = numberOf(block->getParent());
    for (BlockArgument argument : block->getArguments())
      result.blockArguments.push_back(numberOf(argument.getAsOpaquePointer()));
  }
  if (auto symbol = op->getAttrOfType<StringAttr>("sym_name"))
    result.symbol = symbol.str();
  result.isPure = op->hasAttr("isPure");
  return result;
}

std::vector<TritonOp> tritonOps(const TileModule &tile) {
  OwningOpRef<ModuleOp> copy(ModuleOp(*tile.module).clone());
  MLIRContext *context = copy->getContext();
  bool wasAllowed = context->allowsUnregisteredDialects();
  context->allowUnregisteredDialects(true); // Triton's ops are known to nobody here
  writeAsTriton(*copy);
  std::vector<TritonOp> result;
  copy->walk([&](Operation *op) { result.push_back(describe(op)); });
  context->allowUnregisteredDialects(wasAllowed);
  return result;
}

} // namespace nereid::compiler
