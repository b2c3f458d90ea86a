#include "jit/count/CountJson.h"

#include "jit/count/Verdicts.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace nereid::jit {

namespace {

using interp::Counts;

llvm::json::Object objectOf(const Counts &counts, bool withZeros) {
  llvm::json::Object object;
  for (const interp::CounterRow &row : interp::counters())
    if (withZeros || counts.*row.value)
      object[llvm::StringRef(row.name)] = int64_t(counts.*row.value);
  return object;
}

// What is said about a line of the source.
template <class Said>
llvm::json::Object atLine(const Said &said, std::initializer_list<std::pair<const char *, llvm::json::Value>> facts) {
  llvm::json::Object object{{"file", llvm::json::fixUTF8(said.file)}, {"line", said.line}};
  for (const auto &[name, value] : facts)
    object[name] = value;
  return object;
}

llvm::json::Object objectOf(const CountedCode &code) {
  llvm::json::Array notes;
  for (const CountedCode::Note &note : code.notes())
    notes.push_back(atLine(note, {{"text", note.text}}));
  return llvm::json::Object{{"warps", code.facts.numWarps},
                            {"stages", code.facts.numStages},
                            {"threads", code.threads},
                            {"shared_bytes", code.sharedBytes},
                            {"registers", code.registers},
                            {"spill_bytes", code.spillBytes},
                            {"programs_on_a_multiprocessor", code.residentPrograms},
                            {"limited_by", code.limitedBy},
                            {"occupancy", code.occupancy},
                            {"programs_followed", code.walked ? int64_t(code.walked->walked) : 0},
                            {"branches_guessed", code.walked ? int64_t(code.walked->guesses) : 0},
                            {"notes", std::move(notes)},
                            {"remarks", llvm::json::fixUTF8(code.remarks)}};
}

llvm::json::Object objectOf(const Counted &counted, const std::string &kernel) {
  llvm::json::Array verdicts;
  for (const Verdict &verdict : verdictsOn(counted))
    verdicts.push_back(atLine(verdict, {{"message", verdict.message}, {"advice", verdict.advice}}));
  llvm::json::Value code = counted.code ? llvm::json::Value(objectOf(*counted.code)) : llvm::json::Value(nullptr);
  llvm::json::Array lines;
  for (const interp::LineCounts &line : counted.counts.lines)
    lines.push_back(atLine(line, {{"counts", objectOf(line.counts, false)}}));
  const Roofline &roofline = counted.roofline;
  const std::array<uint32_t, 3> &grid = counted.launched.grid;
  return llvm::json::Object{{"kernel", kernel},
                            {"target", counted.target},
                            {"device", counted.device.name},
                            {"grid", llvm::json::Array{grid[0], grid[1], grid[2]}},
                            {"total", objectOf(counted.counts.total, true)},
                            {"lines", std::move(lines)},
                            {"cache_hit_rate", counted.cacheHitRate()},
                            {"code", std::move(code)},
                            {"verdicts", std::move(verdicts)},
                            {"roofline", llvm::json::Object{{"seconds", roofline.seconds()},
                                                            {"bound", roofline.bound()},
                                                            {"memory_seconds", roofline.memory},
                                                            {"tensor_core_seconds", roofline.tensorCores},
                                                            {"arithmetic_seconds", roofline.arithmetic},
                                                            {"special_function_seconds", roofline.specialFunctions},
                                                            {"intensity", roofline.intensity}}}};
}

} // namespace

std::string toJson(const Counted &counted, const std::string &kernel) {
  return llvm::formatv("{0:2}", llvm::json::Value(objectOf(counted, kernel))).str();
}

} // namespace nereid::jit
