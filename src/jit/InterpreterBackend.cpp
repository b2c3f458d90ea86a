// InterpreterBackend.cpp: tile IR run as it is, which is what it means; and under the checker.
#include "compiler/Pipeline.h"
#include "interp/Interp.h"
#include "interp/Program.h"
#include "jit/Backend.h"
#include "jit/Report.h"
#include "jit/SpecializedTile.h"
#include "runtime/profile/Recorder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>

namespace nereid::jit {

namespace {

// The interpreter on the code of a GPU's first passes, where it compares what the analysis says of values with them.
constexpr std::string_view kClaims = "interp:claims";

using ProgramRef = std::shared_ptr<const interp::Program>;

Result<ProgramRef> translate(LaunchRequest &request, std::string &warnings) {
  std::shared_ptr<const runtime::LoadedCode> &kept =
      request.module.compiledKernels[request.device + "|" + keyOf(request.binding, request.specialization)];
  if (kept)
    return std::static_pointer_cast<const interp::Program>(kept);
  Result<TileCode> compiled = emitTile(request.module, request.binding, request.specialization);
  if (!compiled)
    return compiled.error();
  warnings = std::move(compiled->warnings);
  if (request.device == kClaims)
    if (Result<void> planned = compiler::planForClaims(compiled->tile.kernel()); !planned)
      return planned.error();
  runtime::Failure failure;
  ProgramRef program = interp::translate(compiled->tile.kernel(), failure);
  if (!program)
    return Error{Status::BadInput, renderFailure(request.module, failure)};
  kept = program;
  return program;
}

// What a tensor's descriptor says of it follows in arguments of its own, where blocks have become pointers.
std::vector<runtime::Argument> argumentsFor(const interp::Program &program, const Specialization &specialization) {
  std::vector<runtime::Argument> arguments = specialization.arguments;
  for (size_t i = 0; i < arguments.size(); ++i)
    if (program.parameters[i].rank == 0)
      arguments[i].shape.clear(), arguments[i].strides.clear();
  return arguments;
}

interp::LaunchOptions launchOptions(const LaunchRequest &request) {
  const Settings &settings = request.settings;
  interp::LaunchOptions options;
  options.grid = request.grid;
  options.threads = settings.threads;
  options.shuffleSeed = settings.shuffleSeed;
  options.limits = settings.limits;
  options.observer = settings.observer;
  options.allocations = request.specialization.allocations;
  for (const Tensor &tensor : settings.reachable)
    options.allocations.push_back({"memory reached by address", tensor.data(), tensor.spanBytes(),
                                   static_cast<unsigned>(bytesOf(tensor.dtype())), tensor.shape(), tensor.strides()});
  if (settings.check) {
    options.check.emplace();
    options.check->notFinite = settings.checkFinite;
    options.check->unwritten = settings.checkUnwritten;
    for (runtime::Allocation &tensor : options.allocations)
      tensor.isEmpty = std::ranges::find(settings.empty, tensor.name) != settings.empty.end();
  }
  return options;
}

Status statusOf(runtime::Failure::Kind kind) {
  using Kind = runtime::Failure::Kind;
  if (kind == Kind::Cancelled)
    return Status::Interrupted;
  return kind == Kind::BadLaunch || kind == Kind::Unsupported ? Status::BadInput : Status::CheckFailed;
}

class InterpreterBackend : public Backend {
public:
  std::string_view name() const override { return "interp"; }
  std::string_view description() const override { return "the interpreter: the reference meaning of every operation"; }
  bool isNamed(std::string_view device) const override { return device == name() || device == kClaims; }
  compiler::Target::Kind kind() const override { return compiler::Target::Kind::Interpreter; }

  Result<std::string> emit(const EmitRequest &request, std::string &) const override {
    return compileText(request.module, request.kernel, request.signature, request.settings);
  }

  Result<Launched> launch(LaunchRequest request, LaunchedCode *) const override {
    Launched launched{.grid = request.grid};
    Stopwatch translation;
    Result<ProgramRef> program = translate(request, launched.warnings);
    if (!program)
      return program.error();
    launched.compileMilliseconds = translation.milliseconds();
    interp::LaunchOptions options = launchOptions(request);
    options.output = [&](std::string_view text) { launched.output += text; };
    if (uint64_t(request.grid[0]) * request.grid[1] * request.grid[2] == 0)
      return launched; // an empty grid runs nothing, as on a GPU
    const cpu::Limits &limits = request.settings.limits;
    if (limits.host)
      limits.host->begin();
    profile::Launch *recorded = profile::isOn() ? profile::Launch::current() : nullptr;
    profile::Time begin = recorded ? profile::now() : 0;
    Stopwatch watch;
    interp::LaunchResult result = interp::run(**program, argumentsFor(**program, request.specialization), options);
    if (recorded) {
      recorded->setGrid(name(), request.grid);
      recorded->ran(begin, profile::now());
    }
    if (limits.host)
      limits.host->end();
    launched.runMilliseconds = watch.milliseconds();
    launched.programs = result.programsRun;
    launched.reports = std::move(result.reports);
    if (result.failure)
      return Error{statusOf(result.failure.kind), launched.output + renderFailure(request.module, result.failure)};
    return launched;
  }
};

} // namespace

const Backend &interpreterBackend() {
  static const InterpreterBackend backend;
  return backend;
}

} // namespace nereid::jit
