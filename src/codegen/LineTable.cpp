#include "codegen/LineTable.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace nereid::codegen {

FileLineColRange innermost(Location loc) {
  while (true) {
    if (auto range = dyn_cast<FileLineColRange>(loc))
      return range;
    if (auto call = dyn_cast<CallSiteLoc>(loc)) {
      loc = call.getCallee();
    } else if (auto name = dyn_cast<NameLoc>(loc)) {
      loc = name.getChildLoc();
    } else if (auto fused = dyn_cast<FusedLoc>(loc); fused && !fused.getLocations().empty()) {
      loc = fused.getLocations().front();
    } else {
      return {};
    }
  }
}

llvm::DIFile *LineTable::fileOf(llvm::StringRef path) {
  // A debugger may run in another folder than the compiler did.
  llvm::SmallString<128> whole(path);
  llvm::sys::fs::make_absolute(whole);
  return builder.createFile(llvm::sys::path::filename(whole), llvm::sys::path::parent_path(whole));
}

LineTable::LineTable(llvm::Module &module, llvm::Function &function, Location where,
                     llvm::DICompileUnit::DebugEmissionKind kind)
    : builder(module) {
  FileLineColRange range = innermost(where);
  unsigned line = range ? range.getStartLine() : 1;
  llvm::StringRef path = range ? range.getFilename().getValue() : "kernel.py";
  mainFile = path;
  llvm::DIFile *file = fileOf(path);
  builder.createCompileUnit(llvm::dwarf::DW_LANG_C11, file, "nereid", true, "", 0, "", kind);
  auto *type = builder.createSubroutineType(builder.getOrCreateTypeArray({}));
  program = builder.createFunction(file, function.getName(), function.getName(), file, line, type, line,
                                   llvm::DINode::FlagPrototyped, llvm::DISubprogram::SPFlagDefinition);
  function.setSubprogram(program);
  if (!module.getModuleFlag("Debug Info Version"))
    module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
}

llvm::DebugLoc LineTable::at(Location loc) {
  FileLineColRange range = innermost(loc);
  llvm::LLVMContext &context = program->getContext();
  if (!range)
    return llvm::DILocation::get(context, 0, 0, program);
  llvm::DIScope *scope = program;
  if (range.getFilename().getValue() != mainFile) {
    llvm::DIScope *&other = scopes[range.getFilename().str()];
    if (!other)
      other = builder.createLexicalBlockFile(program, fileOf(range.getFilename().getValue()));
    scope = other;
  }
  return llvm::DILocation::get(context, range.getStartLine(), range.getStartColumn(), scope);
}

} // namespace nereid::codegen
