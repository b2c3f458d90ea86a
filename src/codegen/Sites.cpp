#include "codegen/Sites.h"

#include "codegen/LineTable.h"

namespace nereid::codegen {

static runtime::Site::Value printedValue(mlir::Type type, bool isSigned) {
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  runtime::Site::Value value{.type = {}, .shape = tile::shapeOf(type).vec()};
  if (mlir::isa<tile::PtrType>(element))
    value.type = "ptr";
  else if (element.isInteger())
    value.type = (isSigned || element.isInteger(1) ? "i" : "u") + std::to_string(element.getIntOrFloatBitWidth());
  else
    llvm::raw_string_ostream(value.type) << element;
  return value;
}

runtime::Site siteAt(mlir::Operation *op, runtime::Site::Kind kind, const std::string &text) {
  runtime::Site site{.kind = kind, .text = text};
  if (mlir::FileLineColRange range = innermost(op->getLoc())) {
    site.file = range.getFilename().str();
    site.line = range.getStartLine(), site.column = range.getStartColumn(), site.endColumn = range.getEndColumn();
  }
  if (auto print = mlir::dyn_cast<tile::PrintOp>(op)) {
    site.isHex = print.getHex();
    for (auto [i, value] : llvm::enumerate(print.getArgs()))
      site.values.push_back(printedValue(value.getType(), i >= print.getIsSigned().size() || print.getIsSigned()[i]));
  }
  return site;
}

Error errorAt(mlir::Operation *op, const std::string &message) {
  std::string place;
  if (mlir::FileLineColRange range = innermost(op->getLoc()))
    place = range.getFilename().str() + ":" + std::to_string(range.getStartLine()) + ":" +
            std::to_string(range.getStartColumn()) + ": ";
  return {Status::BadInput, place + "error: " + message + "\n"};
}

} // namespace nereid::codegen
