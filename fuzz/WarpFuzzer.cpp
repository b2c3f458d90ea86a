// WarpFuzzer.cpp: bytes as planned tile IR with ops of the warp dialect: parsed, verified, folded, printed and parsed again.
// libraries: nereidGpu nereidTransforms
// sources: src/gpu/dialect/Warp.cpp src/layout/LinearLayout.cpp src/layout/LayoutText.cpp
#include "TokenMutator.h"

#include "dialect/Tile.h"
#include "gpu/dialect/Warp.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<nereid::warp::WarpDialect, nereid::tile::TileDialect, mlir::arith::ArithDialect,
                      mlir::math::MathDialect, mlir::scf::SCFDialect, mlir::func::FuncDialect, mlir::ub::UBDialect>();
  mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &) { return mlir::success(); });
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>(llvm::StringRef(reinterpret_cast<const char *>(data), size), &context);
  if (!module)
    return 0;
  mlir::PassManager passes(&context);
  passes.addPass(mlir::createCanonicalizerPass());
  passes.addPass(mlir::createCSEPass());
  if (mlir::failed(passes.run(*module)) || mlir::failed(mlir::verify(*module)))
    std::abort();
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  if (!mlir::parseSourceString<mlir::ModuleOp>(text, &context))
    std::abort();
  return 0;
}
