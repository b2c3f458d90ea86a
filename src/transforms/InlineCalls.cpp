// InlineCalls.cpp: kernels hold the bodies of the functions that they call; what nobody calls then is gone.
//
//   before  func.func @kernel(%x: i32) { %y = call @up(%x) … }     func.func private @up(%x: i32) -> i32 { … }
//   after   func.func @kernel(%x: i32) { %y = arith.addi %x, %one … }
#include "transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace nereid::transforms {

namespace {

void inlineCalls(ModuleOp module, func::FuncOp kernel) {
  while (true) {
    func::CallOp call;
    kernel.walk([&](func::CallOp found) {
      call = found;
      return WalkResult::interrupt();
    });
    if (!call)
      return;
    auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
    OpBuilder builder(call);
    IRMapping mapping;
    Block &body = callee.getBody().front();
    mapping.map(body.getArguments(), call.getOperands());
    for (Operation &op : body.without_terminator())
      builder.clone(op, mapping);
    for (auto [result, value] : llvm::zip(call.getResults(), body.getTerminator()->getOperands()))
      result.replaceAllUsesWith(mapping.lookupOrDefault(value));
    call.erase();
  }
}

struct InlineCallsPass : PassWrapper<InlineCallsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InlineCallsPass)
  StringRef getArgument() const final { return "tile-inline-calls"; }
  StringRef getDescription() const final { return "Put the bodies of called functions in the place of their calls"; }
  void runOnOperation() final {
    auto functions = llvm::to_vector(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      if (!function.isPrivate())
        inlineCalls(getOperation(), function);
    for (func::FuncOp function : functions)
      if (function.isPrivate() && !function.isExternal())
        function.erase();
  }
};

} // namespace

std::unique_ptr<Pass> createInlineCallsPass() { return std::make_unique<InlineCallsPass>(); }

} // namespace nereid::transforms
