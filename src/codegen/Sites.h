// Sites.h: where in the source an op that can print or fail comes from.
#pragma once

#include "mlir/IR/Operation.h"

#include "runtime/Site.h"

namespace nereid::codegen {

runtime::Site siteAt(mlir::Operation *op, runtime::Site::Kind kind, const std::string &text);

} // namespace nereid::codegen
