// WarpFuzzer.cpp: bytes as planned tile IR with ops of the warp dialect: parsed, verified, folded, printed and parsed again.
// libraries: nereidWarp
#include "ReadAndPrint.h"
#include "TokenMutator.h"

#include "gpu/dialect/Warp.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  readAndPrint<nereid::warp::WarpDialect>(data, size, [](mlir::ModuleOp module) {
    mlir::PassManager passes(module.getContext());
    passes.addPass(mlir::createCanonicalizerPass());
    passes.addPass(mlir::createCSEPass());
    return mlir::succeeded(passes.run(module));
  });
  return 0;
}
