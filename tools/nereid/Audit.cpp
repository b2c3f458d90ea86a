// Audit.cpp: `nereid audit`: which jit functions below a path can be compiled, and why the others cannot.
#include "LaunchWords.h"
#include "Summary.h"

#include "lang/Audit.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace nereid::tool {

namespace {

namespace fs = std::filesystem;

struct Row {
  std::string file, function, reason;
  unsigned line = 0;
};

struct Tally {
  size_t files = 0, functions = 0, supported = 0;
  std::vector<Row> unsupported;
  std::vector<Row> unreadable; // files that could not be loaded
};

// The Python files at or below a path, in order; hidden folders are left out and links are not followed.
void collectFiles(const fs::path &path, std::vector<std::string> &files) {
  std::error_code problem;
  if (!fs::is_directory(path, problem)) {
    files.push_back(path.string());
    return;
  }
  std::vector<std::string> found;
  fs::recursive_directory_iterator it(path, fs::directory_options::skip_permission_denied, problem), end;
  while (!problem && it != end) {
    std::string name = it->path().filename().string();
    std::error_code unknown; // a link to nowhere is no reason to stop
    if (it->is_directory(unknown) && name.starts_with('.'))
      it.disable_recursion_pending();
    else if (name.ends_with(".py") && it->is_regular_file(unknown))
      found.push_back(it->path().string());
    it.increment(problem);
  }
  std::ranges::sort(found);
  files.insert(files.end(), found.begin(), found.end());
}

// A file without the word `jit` has no jit function: most files of a repository end here. What is no ordinary file is
// left to the loader, which says so.
bool mentionsJit(const std::string &path) {
  constexpr uintmax_t kLargest = 1 << 26;
  std::error_code problem;
  if (!fs::is_regular_file(path, problem) || fs::file_size(path, problem) > kLargest)
    return true;
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return text.find("jit") != std::string::npos;
}

// Files share a compiler, so that what many of them import is loaded once. A new one now and then keeps memory and the
// bound on compile-time work from adding up.
class SharedCompiler {
public:
  explicit SharedCompiler(const compiler::CompilerOptions &options) : options(options) {}

  // The module of a file, or null with what is wrong in diagnostics(). A failure is believed of a fresh compiler only.
  std::shared_ptr<lang::Module> load(const std::string &path) {
    if (!current || files >= kFilesEach)
      renew();
    std::shared_ptr<lang::Module> module = tryLoad(path);
    if (module || files == 1)
      return module;
    renew();
    return tryLoad(path);
  }
  compiler::Compiler &compiler() { return *current; }

private:
  void renew() {
    current.reset();
    current = std::make_unique<compiler::Compiler>(options);
    files = 0;
  }
  std::shared_ptr<lang::Module> tryLoad(const std::string &path) {
    ++files;
    current->takeDiagnostics();
    std::shared_ptr<lang::Module> module = current->loadFile(path);
    return current->diagnostics().hasErrors() ? nullptr : module;
  }

  static constexpr unsigned kFilesEach = 64;
  const compiler::CompilerOptions &options;
  std::unique_ptr<compiler::Compiler> current;
  unsigned files = 0; // that the current one has loaded
};

void auditFile(const std::string &path, SharedCompiler &shared, Tally &tally) {
  ++tally.files;
  if (!mentionsJit(path))
    return;
  std::shared_ptr<lang::Module> module = shared.load(path);
  compiler::Compiler &compiler = shared.compiler();
  if (!module) {
    const Diagnostics &diagnostics = compiler.diagnostics();
    const Diagnostic *first = diagnostics.all().empty() ? nullptr : &diagnostics.all().front();
    SourceRef source = first ? first->source : nullptr; // it may be a file that this one imports
    unsigned line = source ? source->position(first->range.begin).line : 0;
    tally.unreadable.push_back(
        {source ? source->name() : path, "", first ? first->message : "it could not be loaded", line});
    return;
  }
  lang::Session::Together together(compiler.session()); // one budget for all functions of a file
  for (const lang::Loader::JitEntry &entry : compiler.loader().jitFunctions(*module)) {
    ++tally.functions;
    std::vector<lang::AuditProblem> problems = lang::auditFunction(compiler.session(), *entry.function);
    if (problems.empty()) {
      ++tally.supported;
      continue;
    }
    SourceRef source = entry.function->module->source;
    unsigned line = source ? source->position(problems[0].range.begin).line : 0;
    tally.unsupported.push_back({source ? source->name() : path, entry.name, problems[0].reason, line});
  }
}

void printText(const Tally &tally, Console &console) {
  for (const Row &row : tally.unsupported)
    console.out << console.paint(Tint::Strong, row.file + ":" + std::to_string(row.line)) << ": `" << row.function
                << "`: " << row.reason << "\n";
  for (const Row &row : tally.unreadable)
    console.err << row.file << ":" << row.line << ": not audited: " << row.reason << "\n";
  console.out << tally.functions << (tally.functions == 1 ? " function in " : " functions in ") << tally.files
              << (tally.files == 1 ? " file: " : " files: ") << tally.supported << " supported, "
              << tally.unsupported.size() << " not";
  if (tally.functions)
    console.out << llvm::formatv(" ({0:f1} %)",
                                 100.0 * static_cast<double>(tally.supported) / static_cast<double>(tally.functions))
                       .str();
  console.out << "\n";
}

void printJson(const Tally &tally, Console &console) {
  auto rows = [](const std::vector<Row> &list) {
    llvm::json::Array array;
    for (const Row &row : list)
      array.push_back(llvm::json::Object{{"file", jsonText(row.file)},
                                         {"line", row.line},
                                         {"function", row.function},
                                         {"reason", jsonText(row.reason)}});
    return array;
  };
  llvm::json::Object object{{"files", static_cast<int64_t>(tally.files)},
                            {"functions", static_cast<int64_t>(tally.functions)},
                            {"supported", static_cast<int64_t>(tally.supported)},
                            {"unsupported", rows(tally.unsupported)},
                            {"unreadable", rows(tally.unreadable)}};
  console.out << llvm::formatv("{0:2}", llvm::json::Value(std::move(object))).str() << "\n";
}

int runAudit(const Words &words, Console &console) {
  if (words.operands.empty())
    return fail(console, "no path is given", {"write `nereid audit PATH…`: files or folders"});
  std::vector<std::string> files;
  for (const std::string &path : words.operands) {
    std::error_code problem;
    if (!fs::exists(path, problem))
      return fail(console, "`" + path.substr(0, 200) + "`: there is no such file or folder");
    collectFiles(path, files);
  }
  std::optional<compiler::CompilerOptions> options = readCompilerOptions(words, console);
  if (!options)
    return kBadInput;
  SharedCompiler shared(*options);
  Tally tally;
  for (size_t i = 0; i < files.size(); ++i) {
    if (console.isTerminal && i % 32 == 0)
      console.err << "\r" << i << " of " << files.size() << " files" << std::flush;
    auditFile(files[i], shared, tally);
  }
  if (console.isTerminal)
    console.err << "\r\033[K" << std::flush;
  words.has("--json") ? printJson(tally, console) : printText(tally, console);
  // A single file that cannot be read is a wrong input; in a folder it is one file among many.
  if (files.size() == 1 && !tally.unreadable.empty())
    return kBadInput;
  return tally.unsupported.empty() ? kFine : kCheckFailed;
}

constexpr Option kAuditOptions[] = {kTargetOption, kImportOption, kJsonOption};

constexpr std::string_view kAuditHelp = "Looks at every `@triton.jit` function in files and folders and says which of "
                                        "them Nereid can compile, and for the\n"
                                        "others the first thing that it cannot, with its line. Nothing is executed. "
                                        "Exit status 1 when one is not supported.\n";

} // namespace

constinit const Verb kAudit{
    "audit", "which kernels below a path are supported", "audit PATH… [options]", kAuditHelp, kAuditOptions, runAudit};

} // namespace nereid::tool
