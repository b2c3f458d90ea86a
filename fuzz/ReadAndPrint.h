// ReadAndPrint.h: bytes as IR: what is parsed and verified is changed, verified again and printed; that text is parsed again.
#pragma once

#include "dialect/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include "llvm/ADT/StringExtras.h"

#include <cstdlib>

// MLIR's parser makes room for as many results as the number in `%a#N` says, whatever it is.
inline bool namesFarResult(llvm::StringRef text) {
  for (size_t at = text.find('#'); at != llvm::StringRef::npos; at = text.find('#', at + 1))
    if (text.substr(at + 1).take_while(llvm::isDigit).size() > 5)
      return true;
  return false;
}

// `change` says whether it could do its work on a module.
template <class... MoreDialects, class Change> void readAndPrint(const uint8_t *data, size_t size, Change change) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<MoreDialects..., nereid::tile::TileDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                      mlir::scf::SCFDialect, mlir::func::FuncDialect, mlir::ub::UBDialect>();
  mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &) { return mlir::success(); });
  std::string text(reinterpret_cast<const char *>(data), size); // the parser reads the zero behind it, too
  if (namesFarResult(text))
    return;
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return;
  if (!change(*module) || mlir::failed(mlir::verify(*module)))
    std::abort();
  text.clear();
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  if (!mlir::parseSourceString<mlir::ModuleOp>(text, &context))
    std::abort();
}
