#include "codegen/TilePasses.h"

#include "mlir/Pass/Pass.h"

namespace nereid::codegen {

void registerTilePasses() {
  mlir::registerPass(createInlineCallsPass);
  mlir::registerPass(createCarryDescriptorsPass);
  mlir::registerPass([] { return createExpandDescriptorsPass(); });
}

} // namespace nereid::codegen
