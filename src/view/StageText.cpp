#include "view/StageText.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/OperationSupport.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/AssemblyAnnotationWriter.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormattedStream.h"

#include <algorithm>
#include <charconv>

namespace nereid::view {

static size_t countLines(const std::string &text) { return size_t(std::ranges::count(text, '\n')); }

StageText textOf(mlir::ModuleOp module, Places &places) {
  StageText stage;
  mlir::AsmState::LocationMap lines;
  {
    llvm::raw_string_ostream stream(stage.text);
    mlir::AsmState state(module, mlir::OpPrintingFlags().assumeVerified(), &lines);
    module->print(stream, state);
  }
  if (!stage.text.ends_with('\n'))
    stage.text += '\n';
  stage.places.resize(countLines(stage.text));
  for (auto [op, where] : lines)
    if (where.first >= 1 && where.first <= stage.places.size())
      stage.places[where.first - 1] = places.numberOf(op->getLoc());
  return stage;
}

namespace {

// Hears where each instruction is printed.
class LineRecorder : public llvm::AssemblyAnnotationWriter {
public:
  void emitInstructionAnnot(const llvm::Instruction *instruction, llvm::formatted_raw_ostream &stream) override {
    if (const llvm::DILocation *location = instruction->getDebugLoc())
      lines.push_back({stream.getLine(), location->getLine()});
  }
  std::vector<std::pair<unsigned, unsigned>> lines; // of the text, of the location
};

// Adds a line to a text, with its place.
void append(StageText &stage, llvm::StringRef line, uint32_t place) {
  stage.text.append(line.data(), line.size());
  stage.text += '\n';
  stage.places.push_back(place);
}

bool isDebugMetadata(llvm::StringRef line) {
  return line.starts_with("!") &&
         (line.contains("!DI") || line.contains("llvm.dbg.cu") || line.contains("\"Debug Info Version\""));
}

// `ret void, !dbg !7` and `define void @f() !dbg !3 {` as they are without debug information.
std::string withoutDebugMarks(llvm::StringRef line) {
  size_t mark = line.find(" !dbg !");
  if (mark == llvm::StringRef::npos)
    return line.str();
  llvm::StringRef before = line.substr(0, mark), after = line.substr(mark + 7);
  before.consume_back(",");
  return (before + after.drop_while(llvm::isDigit)).str();
}

} // namespace

StageText textOf(const llvm::Module &module, const Places &places) {
  std::string whole;
  LineRecorder recorder;
  {
    llvm::raw_string_ostream stream(whole);
    module.print(stream, &recorder);
  }
  std::vector<uint32_t> placeOfLine(countLines(whole) + 2);
  for (auto [line, number] : recorder.lines)
    if (line < placeOfLine.size() && places.has(number))
      placeOfLine[line] = number;
  StageText stage;
  llvm::StringRef rest(whole);
  for (size_t at = 0; !rest.empty(); ++at) {
    auto [line, after] = rest.split('\n');
    rest = after;
    if (isDebugMetadata(line))
      continue;
    append(stage, withoutDebugMarks(line), placeOfLine[at]);
  }
  return stage;
}

// The line of `.loc 1 17 3 …`.
static std::optional<uint32_t> lineOfLoc(llvm::StringRef line) {
  line = line.ltrim();
  if (!line.consume_front(".loc"))
    return std::nullopt;
  unsigned file = 0, number = 0;
  line = line.ltrim();
  if (line.consumeInteger(10, file))
    return std::nullopt;
  line = line.ltrim();
  if (line.consumeInteger(10, number))
    return std::nullopt;
  return number;
}

// Directives that say nothing about the code.
static bool isNoise(llvm::StringRef line) {
  line = line.ltrim();
  return line.starts_with(".file") || line.starts_with(".cfi_") || line.starts_with(".Ltmp") ||
         line.starts_with(".addrsig") || line.starts_with(".ident") || line.starts_with("$L__tmp");
}

StageText textOfAssembly(const std::string &text, const Places &places) {
  StageText stage;
  uint32_t current = 0;
  bool isInDebugSection = false;
  for (llvm::StringRef rest(text); !rest.empty();) {
    auto [line, after] = rest.split('\n');
    rest = after;
    llvm::StringRef word = line.ltrim();
    if (word.starts_with(".section") || word.starts_with(".text")) {
      isInDebugSection = word.contains(".debug_");
      current = 0;
    }
    if (isInDebugSection || isNoise(line))
      continue;
    if (std::optional<uint32_t> number = lineOfLoc(line)) {
      current = places.has(*number) ? *number : 0;
      continue;
    }
    bool isCode = !word.empty() && !word.starts_with(".") && !word.starts_with("//") && !word.starts_with("#");
    bool isLabel = word.split(' ').first.rtrim().ends_with(":");
    if (line == "}" || word.starts_with(".Lfunc_end"))
      current = 0;
    append(stage, line, isCode && !isLabel && line != "}" && line != "{" ? current : 0);
  }
  return stage;
}

StageText textOfDisassembly(const std::string &text, const Places &places) {
  StageText stage;
  uint32_t current = 0;
  for (llvm::StringRef rest(text); !rest.empty();) {
    auto [line, after] = rest.split('\n');
    rest = after;
    llvm::StringRef word = line.ltrim();
    if (word.starts_with("//##")) {
      llvm::StringRef number = word.split("line ").second;
      unsigned value = 0;
      current = !number.consumeInteger(10, value) && places.has(value) ? value : 0;
      continue;
    }
    if (!word.starts_with("nvdisasm warning"))
      append(stage, line, word.starts_with("/*") ? current : 0);
  }
  return stage;
}

} // namespace nereid::view
