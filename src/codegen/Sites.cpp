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

runtime::Site::Value printedValue(tile::PrintOp op, size_t argument) {
  mlir::Type type = op.getArgs()[argument].getType(), element = mlir::getElementTypeOrSelf(type);
  bool isSigned = argument >= op.getIsSigned().size() || op.getIsSigned()[argument];
  runtime::Site::Value value{.type = {}, .shape = tile::shapeOf(type).vec()};
  if (mlir::isa<tile::PtrType>(element))
    value.type = "ptr";
  else if (element.isInteger())
    value.type = (isSigned || element.isInteger(1) ? "i" : "u") + std::to_string(element.getIntOrFloatBitWidth());
  else
    llvm::raw_string_ostream(value.type) << element;
  return value;
}

Error errorAt(mlir::Operation *op, const std::string &message) {
  std::string place;
  if (mlir::FileLineColRange range = innermost(op->getLoc()))
    place = range.getFilename().str() + ":" + std::to_string(range.getStartLine()) + ":" +
            std::to_string(range.getStartColumn()) + ": ";
  return {Status::BadInput, place + "error: " + message + "\n"};
}

} // namespace nereid::codegen
