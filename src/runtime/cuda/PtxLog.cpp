#include "runtime/cuda/PtxLog.h"

#include <charconv>
#include <vector>

namespace nereid::cuda {

namespace {

std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string_view trimmed(std::string_view text) {
  size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos)
    return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

uint32_t takeNumber(std::string_view &text) {
  text = trimmed(text);
  uint32_t value = 0;
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return problem == std::errc() ? value : 0;
}

// The number behind a text; 0: there is none.
uint32_t numberAfter(std::string_view line, std::string_view text) {
  size_t at = line.find(text);
  if (at == std::string_view::npos)
    return 0;
  line.remove_prefix(at + text.size());
  return takeNumber(line);
}

// A product whose tile does not fit into the registers of a thread.
std::string explained(std::string_view message) {
  uint32_t present = numberAfter(message, "Insufficient registers ("),
           needed = numberAfter(message, "register target of ");
  if (!present || !needed)
    return std::string(message);
  return "a thread has " + std::to_string(present) + " registers, and this takes " + std::to_string(needed) +
         " or more: smaller tiles or fewer warps do";
}

// `.loc FILE LINE COLUMN` above the line, and the `.file` that it names.
void findSource(const std::vector<std::string_view> &lines, PtxProblem &problem) {
  uint32_t file = 0;
  for (size_t i = problem.ptxLine; i-- > 0 && !file;) {
    std::string_view line = trimmed(lines[i]);
    if (line.starts_with(".entry") || line.starts_with(".visible") || line.starts_with(".func"))
      return; // the marks above belong to another function
    if (!line.starts_with(".loc"))
      continue;
    line.remove_prefix(4);
    file = takeNumber(line), problem.line = takeNumber(line), problem.column = takeNumber(line);
  }
  for (std::string_view line : lines) {
    line = trimmed(line);
    if (!line.starts_with(".file"))
      continue;
    line.remove_prefix(5);
    if (takeNumber(line) != file)
      continue;
    size_t begin = line.find('"'), end = line.rfind('"');
    if (begin < end)
      problem.file = line.substr(begin + 1, end - begin - 1);
  }
}

} // namespace

PtxProblem readPtxLog(std::string_view log, std::string_view ptx) {
  PtxProblem problem;
  for (std::string_view line : linesOf(log)) {
    size_t at = line.find("error");
    if (at == std::string_view::npos)
      at = line.find("fatal");
    if (at == std::string_view::npos)
      continue;
    size_t colon = line.find(':', at);
    problem.message = explained(trimmed(colon == std::string_view::npos ? line : line.substr(colon + 1)));
    problem.ptxLine = numberAfter(line, ", line ");
    if (!problem.ptxLine)
      problem.ptxLine = numberAfter(line, " at line ");
    break;
  }
  if (problem.message.empty())
    problem.message = trimmed(log.substr(0, 400));
  std::vector<std::string_view> lines = linesOf(ptx);
  if (problem.ptxLine == 0 || problem.ptxLine > lines.size())
    return problem;
  constexpr size_t kLongest = 120; // a product names all of its registers
  std::string_view text = trimmed(lines[problem.ptxLine - 1]);
  problem.ptxText = text.size() > kLongest ? std::string(text.substr(0, kLongest)) + " …" : std::string(text);
  findSource(lines, problem);
  return problem;
}

std::string remarksOf(std::string_view log) {
  std::string text;
  for (std::string_view line : linesOf(log)) {
    bool isLoss = line.find("Potential Performance Loss") != std::string_view::npos;
    bool isSpill = line.find("spill stores") != std::string_view::npos &&
                   line.find(" 0 bytes spill stores, 0 bytes spill loads") == std::string_view::npos;
    if (isLoss || isSpill || line.find("warning") != std::string_view::npos)
      text += std::string(trimmed(line)) + "\n";
  }
  return text;
}

// The number in front of a text, at the first place where one stands there: remarks speak of registers, too.
static uint32_t numberBefore(std::string_view log, std::string_view text) {
  for (size_t end = log.find(text); end != std::string_view::npos; end = log.find(text, end + 1)) {
    size_t begin = log.find_last_not_of("0123456789", end - 1) + 1;
    if (std::string_view digits = log.substr(begin, end - begin); !digits.empty())
      return takeNumber(digits);
  }
  return 0;
}

Resources resourcesOf(std::string_view log) {
  // Without spills, what a thread addresses in local memory is its stack frame.
  return {.registers = numberBefore(log, " registers"),
          .localBytes = numberBefore(log, " bytes stack frame"),
          .sharedBytes = numberBefore(log, " bytes smem")};
}

std::string describe(const PtxProblem &problem, std::string_view kernel) {
  std::string text = "error: the PTX of `" + std::string(kernel) + "` cannot be assembled: " + problem.message + "\n";
  if (problem.line)
    text = problem.file + ":" + std::to_string(problem.line) + ":" + std::to_string(problem.column) + ": " + text;
  if (problem.ptxLine)
    text += "note: line " + std::to_string(problem.ptxLine) + " of the PTX: `" + problem.ptxText + "`\n";
  return text;
}

} // namespace nereid::cuda
