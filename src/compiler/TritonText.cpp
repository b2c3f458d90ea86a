// TritonText.cpp: a copy of the module in Triton's ops and types, printed as Triton prints: layouts have short names in front, ops
// their place in the source behind them.
#include "compiler/TritonText.h"

#include "compiler/TritonOps.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace nereid::compiler {

// The attribute at the start of a text, with its brackets.
static StringRef attributeAt(StringRef text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '<' ? 1 : text[i] == '>' ? -1 : 0;
    if (text[i] == '>' && depth == 0)
      return text.take_front(i + 1);
  }
  return text;
}

// `#ttg.linear<{…}>` becomes `#linear`, the next other one `#linear1`; their lines stand in front of the text.
static std::string withShortNames(StringRef text) {
  llvm::MapVector<StringRef, std::string> names;
  std::map<std::string, unsigned> counts;
  std::string body;
  while (!text.empty()) {
    size_t at = text.find("#ttg.");
    body += text.take_front(at);
    if (at == StringRef::npos)
      break;
    text = text.drop_front(at);
    StringRef layout =
        text.starts_with("#ttg.shared_memory") ? text.take_front(strlen("#ttg.shared_memory")) : attributeAt(text);
    std::string &name = names[layout];
    if (name.empty()) {
      std::string kind = layout.starts_with("#ttg.shared_memory") ? "#smem"
                         : layout.starts_with("#ttg.linear")      ? "#linear"
                                                                  : "#shared";
      unsigned number = counts[kind]++;
      name = number ? kind + std::to_string(number) : kind;
    }
    body += name;
    text = text.drop_front(layout.size());
  }
  std::string result;
  for (auto &[layout, name] : names)
    result += name + " = " + layout.str() + "\n";
  return result + body;
}

static void replaceAll(std::string &text, StringRef from, StringRef to) {
  for (size_t at = 0; (at = text.find(from.str(), at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to.str());
}

std::string tritonText(const TileModule &tile, int numWarps) {
  OwningOpRef<ModuleOp> copy(ModuleOp(*tile.module).clone());
  MLIRContext *context = copy->getContext();
  bool wasAllowed = context->allowsUnregisteredDialects();
  context->allowUnregisteredDialects(true);
  writeAsTriton(*copy, numWarps);
  std::string text;
  llvm::raw_string_ostream stream(text);
  copy->print(stream, OpPrintingFlags().assumeVerified().printNameLocAsPrefix().enableDebugInfo());
  context->allowUnregisteredDialects(wasAllowed);
  replaceAll(text, "  func.func private @", "  tt.func private @");
  replaceAll(text, "  func.func @", "  tt.func public @");
  return withShortNames(text);
}

} // namespace nereid::compiler
