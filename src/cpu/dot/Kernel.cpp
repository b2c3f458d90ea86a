// Kernel.cpp: the internal function for products of packed operands of one shape.
#include "cpu/dot/Kernel.h"

#include "llvm/ADT/Twine.h"
#include "llvm/IR/Module.h"

namespace nereid::cpu {

static std::string nameOf(const DotPlan &plan, const KernelSpec &spec) {
  return ("nereid.dot.kernel." + llvm::Twine(int(plan.unit)) + "." + llvm::Twine(spec.m) + "x" + llvm::Twine(spec.n) +
          "x" + llvm::Twine(plan.units) + "." + llvm::Twine(spec.lhs.extentStride) + "." +
          llvm::Twine(spec.lhs.depthStride))
      .str();
}

llvm::Function *kernelFunction(llvm::Module &module, const Target &target, const DotPlan &plan,
                               const KernelSpec &spec) {
  std::string name = nameOf(plan, spec);
  if (llvm::Function *function = module.getFunction(name))
    return function;
  llvm::IRBuilder<> builder(module.getContext());
  llvm::Type *pointer = builder.getPtrTy();
  auto *type = llvm::FunctionType::get(builder.getVoidTy(), {pointer, pointer, pointer}, false);
  auto *function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, module);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  for (unsigned i = 0; i < 3; ++i)
    function->addParamAttr(i, llvm::Attribute::NoAlias);
  builder.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", function));
  emitVectorKernel(builder, target, plan, spec, {function->getArg(0), function->getArg(1), function->getArg(2)});
  builder.CreateRetVoid();
  return function;
}

} // namespace nereid::cpu
