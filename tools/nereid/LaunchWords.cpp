#include "LaunchWords.h"

#include "Devices.h"
#include "Sizes.h"

#include "jit/Backend.h"
#include "jit/CudaDevice.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>

namespace nereid::tool {

KernelName splitKernelName(const std::string &word) {
  size_t colon = word.rfind(".py:");
  if (colon == std::string::npos)
    return {word, ""};
  return {word.substr(0, colon + 3), word.substr(colon + 4)};
}

int report(Console &console, const Error &error) {
  std::string text = error.message;
  if (!text.empty() && text.back() != '\n')
    text = "error: " + text + "\n";
  console.err << text;
  return error.status == Status::Interrupted ? kCheckFailed : static_cast<int>(error.status);
}

// The usual ones; there are more.
std::vector<std::string> targetChoices() {
  return {"interp",    "cpu",     "native",         "x86-64", "x86-64-v2", "x86-64-v3",
          "x86-64-v4", "aarch64", "sapphirerapids", "sm_80",  "sm_89",     "sm_90a"};
}

std::optional<compiler::Target> readTarget(const Words &words, Console &console, const std::string &usual) {
  std::string name = words.value("--target").value_or(usual);
  if (std::optional<compiler::Target> found = compiler::findTarget(name))
    return found;
  static constexpr std::string_view kGpuWords[] = {"cuda", "gpu", "nvidia", "ptx"};
  bool isGpu = std::ranges::find(kGpuWords, name) != std::end(kGpuWords);
  fail(console, "there is no target `" + name.substr(0, 80) + "`",
       {isGpu ? "a GPU is named by its architecture: `sm_80` (A100), `sm_89` (L4, RTX 40), `sm_90a` (H100, H200)"
              : "there are `interp`, `cpu`, `x86-64-v3`, `sm_80`, `sm_90a`, `gfx942` and their like"});
  return std::nullopt;
}

std::optional<compiler::CompilerOptions> readCompilerOptions(const Words &words, Console &console,
                                                             const std::string &usualTarget) {
  compiler::CompilerOptions options;
  options.loader.importPaths = words.values("--import-path");
  for (const std::string &folder : options.loader.importPaths)
    if (std::error_code problem; !std::filesystem::is_directory(folder, problem)) {
      fail(console, "`--import-path`: there is no folder `" + folder.substr(0, 200) + "`");
      return std::nullopt;
    }
  std::optional<compiler::Target> target = readTarget(words, console, usualTarget);
  if (!target)
    return std::nullopt;
  options.target = target->description();
  return options;
}

bool readCodeChoices(const Words &words, Console &console, gpu::CodeChoices &choices) {
  auto registers = words.integer("--maxnreg", 0, 16, 255, console);
  if (!registers)
    return false;
  choices.maxRegisters = static_cast<int>(*registers);
  choices.fusesFloats = !words.has("--no-fp-fusion");
  return true;
}

namespace {

// What to write for --grid, from the names of the kernel's own parameters where they tell.
std::string gridAdvice(const LaunchWords &launch) {
  std::string block, count;
  for (const lang::Parameter &parameter : launch.kernel->parameters)
    if (parameter.isConstexpr && block.empty() && parameter.name.find("BLOCK") != std::string::npos)
      block = parameter.name;
  for (const Argument &argument : launch.arguments)
    if (std::holds_alternative<int64_t>(argument.value) && count.empty() && argument.name != block)
      count = argument.name;
  if (block.empty() || count.empty())
    return "say how many programs to run, as in `--grid 64`, `--grid '(8, 4)'` or `--grid 'cdiv(n, BLOCK)'`";
  return "say how many programs to run; for one program for each block of `" + block + "` write `--grid 'cdiv(" +
         count + ", " + block + ")'`";
}

bool readTimeout(const Words &words, Console &console, double &seconds) {
  std::optional<std::string> text = words.value("--timeout");
  if (!text)
    return true;
  auto [end, problem] = std::from_chars(text->data(), text->data() + text->size(), seconds);
  if (problem == std::errc() && end == text->data() + text->size() && seconds > 0)
    return true;
  fail(console, "`--timeout` takes a number of seconds above 0, not `" + text->substr(0, 80) + "`");
  return false;
}

bool readSettings(const Words &words, Console &console, jit::Settings &settings, uint64_t &seed) {
  auto seedValue = words.integer("--seed", 0, 0, std::numeric_limits<int64_t>::max(), console);
  auto warps = words.integer("--num-warps", 0, 1, 64, console);
  auto stages = words.integer("--num-stages", 0, 1, 64, console);
  auto config = words.integer("--config", 0, 0, 1 << 20, console);
  auto threads = words.integer("--threads", 0, 1, 1024, console);
  if (!readTimeout(words, console, settings.limits.timeout))
    return false;
  if (!seedValue || !warps || !stages || !config || !threads || !readCodeChoices(words, console, settings.choices))
    return false;
  seed = static_cast<uint64_t>(*seedValue);
  settings.shape.numWarps = static_cast<int>(*warps);
  settings.shape.numStages = static_cast<int>(*stages);
  if (words.has("--config"))
    settings.config = static_cast<unsigned>(*config);
  settings.threads = static_cast<unsigned>(*threads);
  settings.strictExtents = words.has("--strict-triton");
  settings.programLimit = console.programLimit;
  settings.gridExpression = words.value("--grid").value_or("");
  return true;
}

} // namespace

// What kernel files see when they ask: the GPU that they will run on, where that is known; else a Hopper.
static std::string usualTarget(const Words &words) {
  std::optional<std::string> name = deviceNamed(words.value("--device"));
  if (!name || jit::findBackend(*name) != &jit::cudaBackend() || words.has("--target"))
    return "interp";
  Result<cuda::Device *> device = jit::findCudaDevice(*name); // that there is none is said by the launch
  return device ? (*device)->properties().target() : "interp";
}

std::optional<LaunchWords> readLaunch(const Words &words, Console &console, int &status) {
  auto give = [&](int value) {
    status = value;
    return std::nullopt;
  };
  if (words.operands.empty())
    return give(
        fail(console, "no kernel is given", {"write it as FILE.py:KERNEL, or FILE.py where the file has one kernel"}));
  LaunchWords launch;
  uint64_t seed = 0;
  if (!readSettings(words, console, launch.settings, seed))
    return give(kBadInput);
  std::optional<compiler::CompilerOptions> options = readCompilerOptions(words, console, usualTarget(words));
  if (!options)
    return give(kBadInput);
  KernelName name = splitKernelName(words.operands[0]);
  auto module = jit::KernelModule::load(name.file, *options);
  if (!module)
    return give(report(console, module.error()));
  launch.module = *module;
  auto kernel = launch.module->find(name.kernel);
  if (!kernel)
    return give(report(console, kernel.error()));
  launch.kernel = *kernel;
  std::optional<std::vector<std::string>> plain =
      Sizes(launch, console).plainWords(std::span(words.operands).subspan(1), words.values("--let"), status);
  if (!plain)
    return std::nullopt;
  Result<jit::ArgumentWords> arguments = jit::readArgumentWords(*plain, seed);
  if (!arguments)
    return give(report(console, arguments.error()));
  launch.arguments = std::move(arguments->arguments);
  launch.tensors = std::move(arguments->tensors);
  launch.settings.empty = std::move(arguments->empty);
  if (launch.settings.gridExpression.empty())
    return give(fail(console, "no grid is given", {gridAdvice(launch)}));
  return launch;
}

} // namespace nereid::tool
