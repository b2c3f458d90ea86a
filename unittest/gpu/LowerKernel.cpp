#include "LowerKernel.h"

#include "dialect/Tile.h"
#include "gpu/Compile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include "llvm/IR/Verifier.h"

namespace nereid::gpu {

LoweredKernel::LoweredKernel(const std::string &text, const Options &options, bool isPlanned) : options(options) {
  mlir::MLIRContext mlirContext;
  mlirContext.loadDialect<tile::TileDialect, warp::WarpDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect,
                          mlir::scf::SCFDialect>();
  mlir::ScopedDiagnosticHandler handler(&mlirContext, [&](mlir::Diagnostic &diagnostic) {
    problem += diagnostic.str() + "\n";
    return mlir::success();
  });
  auto parsed = mlir::parseSourceString<mlir::ModuleOp>(text, &mlirContext);
  if (!parsed)
    return;
  mlir::func::FuncOp kernel = *parsed->getOps<mlir::func::FuncOp>().begin();
  if (!isPlanned)
    if (auto planned = plan(kernel, this->options); !planned) {
      problem = planned.error().message;
      return;
    }
  module = std::make_unique<llvm::Module>("kernel", context);
  cuda::Artifact artifact;
  Lowering lowering(kernel, this->options, *module, artifact);
  if (!lowering.run()) {
    problem = lowering.failure.message;
    return;
  }
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(*module, &stream))
    return;
  function = lowering.function;
  sharedBytes = artifact.sharedBytes;
  isGood = true;
}

bool LoweredKernel::run(std::vector<uint8_t> &global) {
  SimtMachine machine(*function, options.numWarps * 32, sharedBytes, global);
  bool isRight = machine.run({SimtMachine::kGlobalStart});
  problem = machine.problem;
  barriers = machine.barriers;
  return isRight;
}

std::string LoweredKernel::llvmText() const {
  std::string text;
  llvm::raw_string_ostream(text) << *module;
  return text;
}

} // namespace nereid::gpu
