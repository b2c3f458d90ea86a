#include "jit/Launch.h"

#include "interp/Interp.h"
#include "jit/CpuDevice.h"
#include "jit/CudaDevice.h"
#include "jit/Evaluate.h"
#include "jit/Report.h"
#include "jit/SpecializedTile.h"
#include "jit/tune/Tune.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>

namespace nereid::jit {

static Result<std::shared_ptr<const interp::Program>> compile(KernelModule &module, const Binding &binding,
                                                              const Specialization &specialization) {
  std::string key = std::to_string(reinterpret_cast<uintptr_t>(binding.kernel.get())) + "|" + specialization.key;
  auto found = module.programs.find(key);
  if (found != module.programs.end())
    return found->second;
  compiler::TileModule compiled = module.compiler.compile(*binding.kernel, specialization.specs, binding.options);
  if (!compiled.module)
    return module.takeError();
  runtime::Failure failure;
  std::shared_ptr<const interp::Program> program = interp::translate(compiled.kernel(), failure);
  if (!program)
    return Error{Status::BadInput, renderFailure(module, failure)};
  module.programs[key] = program;
  return program;
}

static interp::LaunchOptions launchOptions(const Settings &settings, const Specialization &specialization) {
  interp::LaunchOptions options;
  options.threads = settings.threads;
  options.shuffleSeed = settings.shuffleSeed;
  options.limits = settings.limits;
  options.allocations = specialization.allocations;
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

static Result<Launched> launchOnInterpreter(KernelModule &module, const Binding &binding,
                                            const Specialization &specialization, const std::array<uint32_t, 3> &grid,
                                            const Settings &settings) {
  Result<std::shared_ptr<const interp::Program>> program = compile(module, binding, specialization);
  if (!program)
    return program.error();
  Launched launched{.grid = grid};
  launched.warnings = module.compiler.takeDiagnostics().render();
  interp::LaunchOptions options = launchOptions(settings, specialization);
  options.grid = grid;
  options.output = [&](std::string_view text) { launched.output += text; };
  if (uint64_t(grid[0]) * grid[1] * grid[2] == 0)
    return launched; // an empty grid runs nothing, as on a GPU
  if (settings.limits.host)
    settings.limits.host->begin();
  interp::LaunchResult result = interp::run(**program, specialization.arguments, options);
  if (settings.limits.host)
    settings.limits.host->end();
  launched.programs = result.programsRun;
  launched.reports = std::move(result.reports);
  if (result.failure) {
    using Kind = runtime::Failure::Kind;
    Kind kind = result.failure.kind;
    Status status = kind == Kind::Cancelled                                ? Status::Interrupted
                    : kind == Kind::BadLaunch || kind == Kind::Unsupported ? Status::BadInput
                                                                           : Status::CheckFailed;
    return Error{status, launched.output + renderFailure(module, result.failure)};
  }
  return launched;
}

static Result<Launched> launchOnCpu(KernelModule &module, const Binding &binding, Specialization specialization,
                                    const std::array<uint32_t, 3> &grid, const Settings &settings, LaunchedCode *code) {
  Result<CpuKernel> found = findCpuKernel(module, binding, specialization);
  if (!found)
    return found.error();
  Result<Launched> launched = runOnCpu(module, *found->kernel, specialization, grid, settings);
  if (launched) {
    launched->warnings = std::move(found->warnings);
    launched->compileMilliseconds = found->milliseconds;
    launched->isCached = found->isCached;
  }
  if (code)
    *code = {std::move(found->kernel), nullptr, std::move(specialization)};
  return launched;
}

static Result<Launched> launchOnCuda(KernelModule &module, const Binding &binding, Specialization specialization,
                                     const std::array<uint32_t, 3> &grid, const std::string &name,
                                     const Settings &settings, LaunchedCode *code) {
  Result<cuda::Device *> device = findCudaDevice(name);
  if (!device)
    return device.error();
  Result<CudaKernel> found = findCudaKernel(module, binding, specialization, **device);
  if (!found)
    return found.error();
  Result<Launched> launched = runOnCuda(module, *found->kernel, specialization, grid, settings);
  if (launched) {
    launched->warnings = std::move(found->warnings);
    launched->compileMilliseconds = found->milliseconds;
    launched->isCached = found->isCached;
  }
  if (code)
    *code = {nullptr, std::move(found->kernel), std::move(specialization)};
  return launched;
}

// For NEREID_CHECK=1: nobody has asked for findings, so they are an error.
static Result<Launched> launchChecked(KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                                      const std::vector<Argument> &arguments, Settings settings) {
  settings.check = true;
  settings.device = "interp";
  Result<Launched> launched = launch(module, kernel, arguments, settings);
  if (!launched || !hasErrors(launched->reports))
    return launched;
  return Error{Status::CheckFailed, launched->output + renderReports(module, launched->reports)};
}

Result<Launched> launch(KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                        const std::vector<Argument> &arguments, const Settings &settings, LaunchedCode *code) {
  // The checker is the interpreter's, unless another device is asked for by name.
  Result<std::string> device =
      settings.check && settings.device.empty() ? std::string("interp") : chooseDevice(settings.device);
  if (!device)
    return device.error();
  if (settings.check && *device != "interp")
    return Error{Status::BadInput, "error: the checker runs on `interp`, not on `" + *device + "`\n"};
  if (checksEveryLaunch() && !settings.check && !isCudaName(*device))
    return launchChecked(module, kernel, arguments, settings);
  Result<std::vector<NamedHostValue>> values = hostValues(module, arguments);
  if (!values)
    return values.error();
  Result<Binding> binding = bind(module, kernel, std::move(*values), settings);
  if (!binding)
    return binding.error();
  if (*device != "interp" && binding->usesConfig && !settings.config && kernel->autotune->configs.size() > 1) {
    Result<unsigned> config = bestConfig(module, kernel, arguments, settings);
    if (!config)
      return config.error();
    Settings tuned = settings;
    tuned.config = *config;
    return launch(module, kernel, arguments, tuned, code);
  }
  Result<std::array<uint32_t, 3>> grid = evaluateGrid(module, *binding, settings);
  if (!grid)
    return grid.error();
  return launchBound(module, *binding, *device, *grid, settings, code);
}

Result<Launched> launchBound(KernelModule &module, const Binding &binding, const std::string &device,
                             const std::array<uint32_t, 3> &grid, const Settings &settings, LaunchedCode *code) {
  Result<Specialization> specialization = specialize(binding);
  if (!specialization)
    return specialization.error();
  if (device == "cpu")
    return launchOnCpu(module, binding, std::move(*specialization), grid, settings, code);
  if (isCudaName(device))
    return launchOnCuda(module, binding, std::move(*specialization), grid, device, settings, code);
  return launchOnInterpreter(module, binding, *specialization, grid, settings);
}

Result<std::string> compileText(KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                                std::vector<NamedHostValue> arguments, const Settings &settings) {
  Result<SpecializedTile> specialized = compileTile(module, kernel, std::move(arguments), settings);
  return specialized ? specialized->tile.text() : Result<std::string>(specialized.error());
}

} // namespace nereid::jit
