// TileFuzzer.cpp: bytes as tile IR: what is parsed and verified goes through the passes of all targets and is printed; that
// text is parsed again.
// libraries: nereidCompiler
#include "ReadAndPrint.h"
#include "TokenMutator.h"

#include "compiler/Pipeline.h"

#include "mlir/Pass/PassManager.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  readAndPrint(data, size, [](mlir::ModuleOp module) {
    mlir::PassManager passes(module.getContext());
    nereid::compiler::addTilePasses(passes);
    return mlir::succeeded(passes.run(module));
  });
  return 0;
}
