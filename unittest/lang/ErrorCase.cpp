#include "ErrorCase.h"

#include "KernelSignature.h"

#include "lang/Loader.h"

#include <filesystem>
#include <fstream>
#include <map>

namespace nereid::test {

static constexpr std::string_view kTitle = "# --- ";
static constexpr std::string_view kSeverities[] = {"error: ", "warning: ", "note: "};

// `#      ^~~~ error: …`, `#~~~ error: …` (from the first column on), or `#   note: …` without a place.
static bool isExpectation(std::string_view line) {
  if (line.empty() || line[0] != '#')
    return false;
  size_t at = line.find_first_not_of(" ^~", 1);
  if (at == std::string_view::npos || at < 2)
    return false;
  for (std::string_view severity : kSeverities)
    if (line.substr(at).starts_with(severity))
      return true;
  return line.substr(at).starts_with("elsewhere: ");
}

std::vector<ErrorCase> readErrorCases(const std::string &path) {
  std::vector<ErrorCase> cases;
  std::vector<std::string> prefix;
  std::ifstream stream(path);
  unsigned number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.starts_with(kTitle))
      cases.push_back({path, line.substr(kTitle.size()), number, prefix, {}});
    (cases.empty() ? prefix : cases.back().lines).push_back(line);
  }
  return cases;
}

std::string ErrorCase::signature() const {
  constexpr std::string_view kMark = "# sig: ";
  for (const std::string &each : lines)
    if (each.starts_with(kMark))
      return each.substr(kMark.size());
  return "";
}

std::multiset<std::string> messagesOf(const std::vector<std::string> &lines) {
  std::multiset<std::string> messages;
  for (const std::string &line : lines)
    if (isExpectation(line))
      messages.insert(line.substr(line.find_first_not_of("# ^~")));
  return messages;
}

bool ErrorCase::isAtAnyPlace() const { return std::find(lines.begin(), lines.end(), "# at any place") != lines.end(); }

bool ErrorCase::isAccepted() const { return std::find(lines.begin(), lines.end(), "# accepted") != lines.end(); }

std::string ErrorCase::text() const {
  std::string text;
  for (const std::string &each : prefix)
    text += each + "\n";
  text.append(line - 1 - prefix.size(), '\n');
  for (const std::string &each : lines)
    text += each + "\n";
  return text;
}

Diagnostics ErrorCase::compile(const std::string &importPath) const {
  compiler::CompilerOptions options;
  options.loader.importPaths = {importPath};
  compiler::Compiler compiler(options);
  std::shared_ptr<lang::Module> module = compiler.loadText(file, text());
  if (!module || compiler.diagnostics().hasErrors())
    return compiler.takeDiagnostics();
  std::vector<lang::Loader::JitEntry> entries = compiler.loader().jitFunctions(*module);
  if (entries.empty()) {
    compiler.diagnostics().error("the case has no kernel");
    return compiler.takeDiagnostics();
  }
  std::string problem;
  std::vector<lang::ArgumentSpec> arguments = parseSignature(*entries.back().function, signature(), problem);
  lang::EmitOptions emitOptions;
  emitOptions.debug = true;         // assertions are part of the kernel
  emitOptions.strictExtents = true; // what Triton refuses
  if (problem.empty())
    compiler.compile(*entries.back().function, arguments, emitOptions);
  else
    compiler.diagnostics().error(problem);
  return compiler.takeDiagnostics();
}

static std::string_view severityWord(Severity severity) {
  switch (severity) {
  case Severity::Error: return "error: ";
  case Severity::Warning: return "warning: ";
  default: return "note: ";
  }
}

namespace {

// Expectation lines by the line of the file that they follow.
class Annotations {
public:
  Annotations(const ErrorCase &errorCase, unsigned lastLine) : errorCase(errorCase), lastLine(lastLine) {}

  void add(const Diagnostic &diagnostic, unsigned owner) {
    unsigned line = owner;
    std::string text = std::string(severityWord(diagnostic.severity)) + diagnostic.message;
    if (!diagnostic.source)
      text = "#   " + text;
    else if (diagnostic.source->name() != errorCase.file)
      text = "#   elsewhere: " + std::filesystem::path(diagnostic.source->name()).filename().string() + ": " + text;
    else
      text = underlined(diagnostic, line) + text;
    lines[line].push_back(text);
    for (const Diagnostic &note : diagnostic.notes)
      add(note, line);
  }

  std::map<unsigned, std::vector<std::string>> lines;

private:
  std::string underlined(const Diagnostic &diagnostic, unsigned &line) {
    LineColumn at = diagnostic.source->position(diagnostic.range.begin);
    if (at.line < errorCase.line || at.line > lastLine)
      return "#   elsewhere: line " + std::to_string(at.line) + ": ";
    line = at.line;
    size_t rest = diagnostic.source->line(at.line).size() + 1 -
                  std::min<size_t>(at.column, diagnostic.source->line(at.line).size() + 1);
    size_t length = std::max<size_t>(1, std::min<size_t>(diagnostic.range.end - diagnostic.range.begin, rest));
    std::string mark = "#" + std::string(at.column, ' ');
    mark.resize(at.column - 1);
    mark += at.column == 1 ? "#" : "^";
    return mark + std::string(length - 1, '~') + " ";
  }

  const ErrorCase &errorCase;
  unsigned lastLine;
};

} // namespace

std::vector<std::string> ErrorCase::annotate(const Diagnostics &said) const {
  Annotations annotations(*this, line + lines.size() - 1);
  for (const Diagnostic &diagnostic : said.all())
    annotations.add(diagnostic, line);
  std::vector<std::string> result;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!isExpectation(lines[i]))
      result.push_back(lines[i]);
    for (const std::string &expectation : annotations.lines[line + i])
      result.push_back(expectation);
  }
  return result;
}

} // namespace nereid::test
