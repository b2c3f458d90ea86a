#include "codegen/Sites.h"

#include "codegen/LineTable.h"

namespace nereid::codegen {

runtime::Site siteAt(mlir::Operation *op, runtime::Site::Kind kind, const std::string &text) {
  runtime::Site site{.kind = kind, .text = text};
  if (mlir::FileLineColRange range = innermost(op->getLoc())) {
    site.file = range.getFilename().str();
    site.line = range.getStartLine(), site.column = range.getStartColumn(), site.endColumn = range.getEndColumn();
  }
  return site;
}

} // namespace nereid::codegen
