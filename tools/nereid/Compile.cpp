// Compile.cpp: `nereid compile`: the stages of a kernel as text.
#include "LaunchWords.h"

#include "jit/Launch.h"
#include "jit/Signature.h"
#include "syntax/Parser.h"

#include <algorithm>
#include <array>
#include <fstream>

namespace nereid::tool {

namespace {

constexpr std::array<std::string_view, 2> kStages{"ast", "tile"};
constexpr std::array<std::string_view, 7> kLaterStages{"gpu", "llvm", "ptx", "asm", "obj", "cubin", "header"};

int write(const std::string &text, const Words &words, Console &console) {
  std::optional<std::string> path = words.value("--output");
  if (!path || *path == "-") {
    console.out << text;
    return kFine;
  }
  std::ofstream file(*path, std::ios::binary);
  file << text;
  file.close();
  if (!file)
    return fail(console, "`" + *path + "` cannot be written", {}, kEnvironment);
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

int emitTile(const KernelName &name, const Words &words, Console &console) {
  auto warps = words.integer("--num-warps", 0, 1, 64, console);
  auto stages = words.integer("--num-stages", 0, 1, 64, console);
  auto config = words.integer("--config", 0, 0, 1 << 20, console);
  if (!warps || !stages || !config)
    return kBadInput;
  jit::Settings settings;
  settings.numWarps = static_cast<int>(*warps);
  settings.numStages = static_cast<int>(*stages);
  settings.config = static_cast<unsigned>(*config);
  settings.debug = words.has("--debug");
  std::optional<compiler::CompilerOptions> options = readCompilerOptions(words, console);
  if (!options)
    return kBadInput;
  auto module = jit::KernelModule::load(name.file, *options);
  if (!module)
    return report(console, module.error());
  auto kernel = (*module)->find(name.kernel);
  if (!kernel)
    return report(console, kernel.error());
  auto signature = jit::parseSignature(**module, words.value("--signature").value_or(""));
  if (!signature)
    return report(console, signature.error());
  Result<std::string> text = jit::compileText(**module, *kernel, std::move(*signature), settings);
  if (!text)
    return report(console, text.error());
  console.err << (*module)->compiler.takeDiagnostics().render(); // warnings
  return write(*text, words, console);
}

int runCompile(const Words &words, Console &console) {
  if (words.operands.empty())
    return fail(console, "no file is given", {"write `nereid compile FILE.py -n KERNEL -s SIGNATURE`"});
  if (words.operands.size() > 1)
    return fail(console, "`nereid compile` takes one file, but `" + words.operands[1].substr(0, 80) + "` is given too");
  std::string stage = words.value("--emit").value_or("tile");
  KernelName name = splitKernelName(words.operands[0]);
  if (auto kernel = words.value("--name"))
    name.kernel = *kernel;
  if (stage == "ast")
    return emitAst(name.file, words, console);
  if (stage == "tile")
    return emitTile(name, words, console);
  if (std::ranges::find(kLaterStages, stage) != kLaterStages.end())
    return fail(console, "this version cannot emit `" + stage + "`", {"it emits `ast` and `tile`"}, kEnvironment);
  return fail(console, "there is no stage `" + stage.substr(0, 80) + "`",
              suggestion(stage, {kStages.begin(), kStages.end()}));
}

constexpr Option kOptions[] = {
    {"--name", "KERNEL", "which kernel; not needed where the file has one", "-n"},
    {"--signature", "SIGNATURE", "the arguments' types and constants", "-s"},
    {"--emit", "STAGE", "ast: the syntax tree, as Python's ast.dump prints it; tile: verified tile IR (default)"},
    {"--output", "FILE", "write there instead of to standard output", "-o"},
    kTargetOption,
    kImportOption,
    kConfigOption,
    kWarpsOption,
    kStagesOption,
    {"--debug", "", "keep device_assert and `assert`"},
};

constexpr std::string_view kHelpText =
    "Compiles a kernel and prints one stage. The signature is Triton's ahead-of-time form, one entry for each "
    "parameter:\n"
    "\"*fp32:16, *fp32, i32:16, 1024\", or NAME=TYPE and NAME=VALUE pairs: \"x=*fp32:16, n=i32, BLOCK=1024\". `:16` "
    "says that 16\n"
    "divides the value or the address. A descriptor is `tensordesc<fp16[64,64]>`. Other entries are Python constants.\n"
    "Parameters that are not given come from the kernel's autotune configuration, its heuristics and its defaults.\n";

} // namespace

constinit const Verb kCompile{"compile",
                              "compile a kernel and print a stage",
                              "compile FILE.py[:KERNEL] -s SIGNATURE [options]",
                              kHelpText,
                              kOptions,
                              runCompile};

} // namespace nereid::tool
