// Sites.h: where in the source an op that can print or fail, here or when it runs, comes from.
#pragma once

#include "dialect/Tile.h"
#include "nereid/result.hpp"
#include "runtime/Site.h"

namespace nereid::codegen {

// Of a print with what the run time must know of its arguments.
runtime::Site siteAt(mlir::Operation *op, runtime::Site::Kind kind, const std::string &text);

// An op that cannot be compiled.
Error errorAt(mlir::Operation *op, const std::string &message);

} // namespace nereid::codegen
