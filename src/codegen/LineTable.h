// LineTable.h: debug information: which source line each instruction comes from, for debuggers and profilers.
#pragma once

#include "mlir/IR/Location.h"

#include "llvm/IR/DIBuilder.h"

#include <map>

namespace nereid::codegen {

class LineTable {
public:
  LineTable(llvm::Module &module, llvm::Function &function, mlir::Location where,
            llvm::DICompileUnit::DebugEmissionKind kind);
  // The place of an op; that of the innermost function for inlined calls.
  llvm::DebugLoc at(mlir::Location loc);
  void finish() { builder.finalize(); }

private:
  llvm::DIFile *fileOf(llvm::StringRef path);
  llvm::DIBuilder builder;
  llvm::DISubprogram *program = nullptr;
  llvm::StringRef mainFile;
  std::map<std::string, llvm::DIScope *> scopes;
};

// The file, line and columns of a location, the innermost of a chain of calls.
mlir::FileLineColRange innermost(mlir::Location loc);

} // namespace nereid::codegen
