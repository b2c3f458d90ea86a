// StageText.h: the text of one stage, and for every line of it where in the source it comes from.
#pragma once

#include "view/Places.h"

namespace llvm {
class Module;
}

namespace nereid::view {

struct StageText {
  std::string name;             // ptx
  std::string title;            // in words
  std::string text;             // empty: there is none, and
  std::string missing;          // says why
  std::vector<uint32_t> places; // one for each line: a number of Places
};

// IR of MLIR, as it prints itself.
StageText textOf(mlir::ModuleOp module, Places &places);
// LLVM IR whose debug locations are numbers, without what is only debug information.
StageText textOf(const llvm::Module &module, const Places &places);
// PTX, or assembly of a CPU, with `.loc` lines whose lines are numbers; those and debug sections are left out.
StageText textOfAssembly(const std::string &text, const Places &places);
// What `nvdisasm -g` prints: `//## File "view", line 17` stands before instructions.
StageText textOfDisassembly(const std::string &text, const Places &places);

} // namespace nereid::view
