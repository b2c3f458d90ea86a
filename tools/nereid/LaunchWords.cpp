#include "LaunchWords.h"

#include "Devices.h"

#include "jit/Backend.h"
#include "jit/CudaDevice.h"
#include "runtime/Memory.h"
#include "runtime/TensorSpec.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
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

static std::optional<Argument::Value> parseInteger(std::string text) {
  std::erase(text, '_');
  bool isNegative = text.starts_with('-');
  std::string_view digits = std::string_view(text).substr(isNegative || text.starts_with('+'));
  int base = digits.starts_with("0x") || digits.starts_with("0X") ? 16 : 10;
  if (base == 16)
    digits.remove_prefix(2);
  uint64_t value = 0;
  auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (problem != std::errc() || end != digits.data() + digits.size())
    return std::nullopt;
  constexpr uint64_t kTop = uint64_t(1) << 63;
  if (isNegative)
    return value <= kTop ? std::optional<Argument::Value>(static_cast<int64_t>(-value)) : std::nullopt;
  return value < kTop ? Argument::Value(static_cast<int64_t>(value)) : Argument::Value(value);
}

Argument::Value parseScalar(const std::string &text) {
  if (text == "true" || text == "True")
    return true;
  if (text == "false" || text == "False")
    return false;
  if (text == "None" || text == "none")
    return std::monostate{};
  if (auto integer = parseInteger(text))
    return *integer;
  // An integer too large for 64 bits is left to Python's rules: as a float it would silently lose digits.
  if (text.find_first_not_of("+-_0123456789") == std::string::npos)
    return Expression{text};
  double number = 0;
  std::string_view digits = std::string_view(text).substr(text.starts_with('+'));
  auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (problem == std::errc() && end == digits.data() + digits.size())
    return number;
  return Expression{text};
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

bool isIdentifier(std::string_view text) {
  bool startsWell = !text.empty() && !(text[0] >= '0' && text[0] <= '9');
  return startsWell && std::ranges::all_of(text, [](unsigned char c) {
           return c == '_' || c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
         });
}

// x=randn:f16[128,64]@[32,32]: the block of a descriptor, taken off the end of the text.
std::optional<Shape> takeBlock(std::string &text, Console &console, bool &isWrong) {
  size_t at = text.rfind("@[");
  if (at == std::string::npos || !text.ends_with(']'))
    return std::nullopt;
  Shape block;
  std::string_view rest = std::string_view(text).substr(at + 2, text.size() - at - 3);
  while (!rest.empty()) {
    size_t comma = std::min(rest.find(','), rest.size());
    int64_t extent = 0;
    auto [end, problem] = std::from_chars(rest.data(), rest.data() + comma, extent);
    if (problem != std::errc() || end != rest.data() + comma) {
      fail(console, "`" + text.substr(0, 80) + "`: the extents of a block are numbers");
      isWrong = true;
      return std::nullopt;
    }
    block.push_back(extent);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  text.resize(at);
  return block;
}

class ArgumentReader {
public:
  ArgumentReader(LaunchWords &launch, uint64_t seed, Console &console) : launch(launch), seed(seed), console(console) {}

  int read(std::span<const std::string> operands) {
    for (const std::string &operand : operands) {
      size_t equals = operand.find('=');
      if (equals == std::string::npos || !isIdentifier(operand.substr(0, equals)))
        return fail(console, "`" + operand.substr(0, 80) + "` is not an argument; write NAME=VALUE");
      std::string value = operand.substr(equals + 1);
      if (value.empty())
        return fail(console, "`" + operand.substr(0, 80) + "` has no value");
      launch.arguments.emplace_back(operand.substr(0, equals), nullptr);
      texts.push_back(value);
      if (!runtime::looksLikeTensor(value))
        launch.arguments.back().value = parseScalar(value);
    }
    // Tensors come last: their extents may be the integers among the arguments.
    for (size_t i = 0; i < texts.size(); ++i)
      if (runtime::looksLikeTensor(texts[i]))
        if (int status = readTensor(launch.arguments[i], texts[i]))
          return status;
    return kFine;
  }

private:
  int readTensor(Argument &argument, std::string text) {
    bool isWrong = false;
    std::optional<Shape> block = takeBlock(text, console, isWrong);
    if (isWrong)
      return kBadInput;
    Result<runtime::TensorSpec> spec = runtime::parseTensorSpec(text);
    if (!spec)
      return fail(console, "argument `" + argument.name + "`: " + spec.error().message);
    auto lookup = [&](std::string_view name) { return extentOf(name); };
    Result<Tensor> tensor = runtime::makeTensor(*spec, argument.name, seed, lookup, budget);
    if (!tensor)
      return fail(console, "argument `" + argument.name + "`: " + tensor.error().message, {},
                  static_cast<int>(tensor.error().status));
    launch.tensors.push_back({argument.name, *tensor});
    if (spec->fill == runtime::TensorSpec::Fill::Undefined)
      launch.settings.empty.push_back(argument.name);
    if (block)
      argument.value = Descriptor{*tensor, *block};
    else
      argument.value = *tensor;
    return kFine;
  }

  std::optional<int64_t> extentOf(std::string_view name) const {
    for (const Argument &argument : launch.arguments)
      if (const int64_t *value = std::get_if<int64_t>(&argument.value); value && argument.name == name)
        return *value;
    return std::nullopt;
  }

  LaunchWords &launch;
  uint64_t seed;
  Console &console;
  std::vector<std::string> texts;
  uint64_t budget = runtime::memoryLimit();
};

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
  ArgumentReader reader(launch, seed, console);
  if (int problem = reader.read(std::span(words.operands).subspan(1)))
    return give(problem);
  if (launch.settings.gridExpression.empty())
    return give(fail(console, "no grid is given", {gridAdvice(launch)}));
  return launch;
}

} // namespace nereid::tool
