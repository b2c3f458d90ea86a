// Compile.cpp: `nereid compile`: the stages of a kernel as text, and as files for programs that run it.
#include "LaunchWords.h"
#include "Summary.h"

#include "jit/Backend.h"
#include "jit/Signature.h"
#include "runtime/WriteFile.h"
#include "syntax/Parser.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <variant>

namespace nereid::tool {

namespace {

int write(const std::string &text, const Words &words, Console &console) {
  std::string stage = words.value("--emit").value_or("tile"), path = words.value("--output").value_or("-");
  bool isBytes = stage == "obj" || stage == "cubin", isFile = path != "-";
  if (words.has("--json") && isBytes && !isFile)
    return fail(console, "`--json` cannot hold the bytes of `--emit " + stage + "`", {"name a file with `--output`"});
  if (isFile)
    if (int problem = runtime::writeFile(path, {text}))
      return fail(console, "`" + path.substr(0, 200) + "` cannot be written: " + std::strerror(problem), {},
                  kEnvironment);
  if (words.has("--json"))
    console.out << llvm::formatv("{0:2}", llvm::json::Value(llvm::json::Object{
                                              {"stage", stage},
                                              {"bytes", int64_t(text.size())},
                                              {"output", isFile ? llvm::json::Value(jsonText(path)) : nullptr},
                                              {"text", isFile ? nullptr : llvm::json::Value(jsonText(text))},
                                          }))
                       .str()
                << "\n";
  else if (!isFile)
    console.out << text;
  return kFine;
}

int emitAst(const std::string &path, const Words &words, Console &console) {
  Diagnostics diagnostics;
  SourceRef source = syntax::readSource(path, diagnostics);
  if (!source) {
    console.err << diagnostics.render();
    return kBadInput;
  }
  syntax::ParsedFile file = syntax::parseFile(source, diagnostics);
  console.err << diagnostics.render();
  if (diagnostics.hasErrors())
    return kBadInput;
  return write(syntax::dumpAst(file) + "\n", words, console);
}

// What the words say of one kernel.
struct Request {
  jit::Settings settings;
  std::shared_ptr<jit::KernelModule> module;
  std::shared_ptr<lang::Function> kernel;
  std::vector<jit::NamedHostValue> signature;
};

std::optional<jit::Settings> readSettings(const Words &words, Console &console) {
  auto warps = words.integer("--num-warps", 0, 1, 64, console);
  auto stages = words.integer("--num-stages", 0, 1, 64, console);
  auto config = words.integer("--config", 0, 0, 1 << 20, console);
  if (!warps || !stages || !config)
    return std::nullopt;
  jit::Settings settings;
  settings.shape.numWarps = static_cast<int>(*warps);
  settings.shape.numStages = static_cast<int>(*stages);
  if (words.has("--config"))
    settings.config = static_cast<unsigned>(*config);
  settings.debug = words.has("--debug");
  settings.strictExtents = words.has("--strict-triton");
  settings.remarks = words.has("--remarks");
  if (!readCodeChoices(words, console, settings.choices))
    return std::nullopt;
  return settings;
}

// Gives the exit status where something is wrong.
std::variant<Request, int> readRequest(const KernelName &name, const Words &words, Console &console,
                                       const std::string &usualTarget) {
  std::optional<jit::Settings> settings = readSettings(words, console);
  std::optional<compiler::CompilerOptions> options;
  if (settings)
    options = readCompilerOptions(words, console, usualTarget);
  if (!options)
    return kBadInput;
  settings->dotPrecision = jit::usualDotPrecision(options->target.platform == lang::Platform::Cpu ? "cpu" : "cuda");
  auto module = jit::KernelModule::load(name.file, *options);
  if (!module)
    return report(console, module.error());
  auto kernel = (*module)->find(name.kernel);
  if (!kernel)
    return report(console, kernel.error());
  auto signature = jit::parseSignature(**module, words.value("--signature").value_or(""));
  if (!signature)
    return report(console, signature.error());
  return Request{*settings, *module, *kernel, std::move(*signature)};
}

int finish(const Result<std::string> &text, Request &request, const Words &words, Console &console) {
  if (!text)
    return report(console, text.error());
  console.err << request.module->compiler.takeDiagnostics().render(); // warnings
  return write(*text, words, console);
}

// Three C expressions with commas between.
std::optional<std::array<std::string, 3>> readGrid(const Words &words, Console &console) {
  std::array<std::string, 3> grid;
  std::optional<std::string> text = words.value("--grid");
  if (!text)
    return grid;
  size_t begin = 0, axis = 0;
  int depth = 0;
  bool isBalanced = true;
  for (size_t i = 0; i <= text->size(); ++i) {
    char c = i < text->size() ? (*text)[i] : ',';
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    isBalanced &= depth >= 0;
    if (c != ',' || (depth && i < text->size()))
      continue;
    if (axis < 3)
      grid[axis] = text->substr(begin, i - begin);
    ++axis, begin = i + 1;
  }
  if (axis != 3 || !isBalanced || depth || std::ranges::any_of(grid, [](const std::string &size) {
        return size.find_first_not_of(' ') == std::string::npos;
      })) {
    fail(console, "`--grid` takes three sizes, such as \"(n + 1023) / 1024, 1, 1\"");
    return std::nullopt;
  }
  return grid;
}

// What a stage is made for: a GPU where one is named, or where a CPU has no such stage.
std::optional<compiler::Target> readStageTarget(const compiler::StageRow &stage, const Words &words, Console &console) {
  std::string name = words.value("--target").value_or(stage.isForCpu ? "cpu" : "sm_90a");
  std::optional<compiler::Target> target = compiler::findTarget(name);
  if (target && ((target->gpu && stage.isForGpu) || (target->cpu && stage.isForCpu)))
    return target;
  if (stage.isForCpu) // its own features may be what is wrong
    fail(console, "there is no CPU `" + name.substr(0, 80) + "` to compile for",
         {"there are `native`, `x86-64`, `x86-64-v2`, `x86-64-v3`, `x86-64-v4`, `sapphirerapids` and `aarch64`; more "
          "features of x86-64 follow as in `x86-64-v3+avxvnni`"});
  else if (readTarget(words, console, name))
    fail(console, "this stage is for a GPU, but the target is `" + name.substr(0, 80) + "`",
         {"there are `sm_80`, `sm_90a` and their like"});
  return std::nullopt;
}

int emitStage(const KernelName &name, const compiler::StageRow &stage, const Words &words, Console &console) {
  std::optional<compiler::Target> target = compiler::findTarget("interp");
  if (stage.stage != compiler::Stage::Tile)
    target = readStageTarget(stage, words, console);
  std::optional<std::array<std::string, 3>> grid = readGrid(words, console);
  if (!target || !grid)
    return kBadInput;
  auto request = readRequest(name, words, console, target->name);
  if (const int *status = std::get_if<int>(&request))
    return *status;
  Request &given = std::get<Request>(request);
  jit::EmitRequest wanted{*given.module,
                          given.kernel,
                          given.signature,
                          given.settings,
                          *target,
                          stage.stage,
                          words.value("--out-name").value_or(""),
                          *grid};
  std::string remarks;
  Result<std::string> text = jit::findBackend(*target)->emit(wanted, remarks);
  console.err << remarks;
  return finish(text, given, words, console);
}

bool isCName(std::string_view text) {
  auto isLetter = [](char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !text.empty() && isLetter(text[0]) &&
         std::ranges::all_of(text, [&](char c) { return isLetter(c) || (c >= '0' && c <= '9'); });
}

std::vector<std::string> stageChoices() {
  std::vector<std::string> names;
  for (const compiler::StageRow &known : compiler::stages())
    names.emplace_back(known.name);
  return names;
}

int runCompile(const Words &words, Console &console) {
  if (words.operands.empty())
    return fail(console, "no file is given", {"write `nereid compile FILE.py -n KERNEL -s SIGNATURE`"});
  if (words.operands.size() > 1)
    return fail(console, "`nereid compile` takes one file, but `" + words.operands[1].substr(0, 80) + "` is given too");
  if (std::string name = words.value("--out-name").value_or("kernel"); !isCName(name))
    return fail(console, "`--out-name` takes the name of a C function, not `" + name.substr(0, 80) + "`");
  std::string stage = words.value("--emit").value_or("tile");
  KernelName name = splitKernelName(words.operands[0]);
  if (auto kernel = words.value("--name"))
    name.kernel = *kernel;
  const compiler::StageRow *row = compiler::findStage(stage);
  if (!row)
    return fail(console, "there is no stage `" + stage.substr(0, 80) + "`", suggestion(stage, stageChoices()));
  return row->stage == compiler::Stage::Ast ? emitAst(name.file, words, console)
                                            : emitStage(name, *row, words, console);
}

constexpr Option kCompileOptions[] = {
    {"--name", "KERNEL", "which kernel; not needed where the file has one", "-n"},
    {"--signature", "SIGNATURE", "the arguments' types and constants", "-s"},
    {"--emit",
     "STAGE",
     "ast: the syntax tree, as Python's ast.dump prints it; tile: verified tile IR (default); for a CPU llvm, asm, obj "
     "(an object file) and header (its C header); for a GPU gpu (planned tile IR), ttgir (the same in Triton's words), "
     "llvm, ptx, cubin, "
     "source (C with the machine code inside) and header",
     {},
     stageChoices},
    {"--output", "FILE", "write there instead of to standard output", "-o"},
    {"--out-name", "NAME", "the name of the header's function (KERNEL_launch; for a GPU KERNEL)"},
    {"--grid", "X, Y, Z",
     "for a GPU's source and header: C expressions of the parameters; without them the function takes the grid"},
    kTargetOption,
    kImportOption,
    kStrictOption,
    kConfigOption,
    kWarpsOption,
    kStagesOption,
    kRegistersOption,
    kFusionOption,
    {"--remarks", "",
     "for a GPU (ptx, cubin): say which loops are not pipelined and which products lack wgmma, and why"},
    {"--debug", "", "keep device_assert and `assert`"},
    kJsonOption,
};

constexpr std::string_view kCompileHelp =
    "Compiles a kernel and prints one stage. The signature is Triton's ahead-of-time form, one entry for each "
    "parameter:\n"
    "\"*fp32:16, *fp32, i32:16, 1024\", or NAME=TYPE and NAME=VALUE pairs: \"x=*fp32:16, n=i32, BLOCK=1024\". `:16` "
    "says that 16\n"
    "divides the value or the address. A descriptor is `tensordesc<fp16[64,64]>`. Other entries are Python constants.\n"
    "The object and the header of the same signature and target make a C function that programs link with "
    "libnereid-rt.\n"
    "Parameters that are not given come from the kernel's autotune configuration, its heuristics and its defaults.\n";

} // namespace

constinit const Verb kCompile{"compile",
                              "compile a kernel and print a stage",
                              "compile FILE.py[:KERNEL] -s SIGNATURE [options]",
                              kCompileHelp,
                              kCompileOptions,
                              runCompile};

} // namespace nereid::tool
