#include "jit/Launch.h"

#include "jit/Backend.h"
#include "jit/Evaluate.h"
#include "jit/Report.h"
#include "jit/SpecializedTile.h"
#include "jit/tune/Tune.h"
#include "runtime/profile/Recorder.h"

namespace nereid::jit {

// For NEREID_CHECK=1: nobody has asked for findings, so they are an error.
static Result<Launched> launchChecked(KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                                      const std::vector<Argument> &arguments, Settings settings) {
  settings.check = true;
  settings.device = interpreterBackend().name();
  Result<Launched> launched = launch(module, kernel, arguments, settings);
  if (!launched || !hasErrors(launched->reports))
    return launched;
  return Error{Status::CheckFailed, launched->output + renderReports(module, launched->reports)};
}

Result<Launched> launch(KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                        const std::vector<Argument> &arguments, const Settings &settings, LaunchedCode *code) {
  // The checker and other observers are the interpreter's, unless another device is asked for by name.
  bool isWatched = settings.check || settings.observer;
  Result<std::string> device =
      isWatched && settings.device.empty() ? std::string(interpreterBackend().name()) : chooseDevice(settings.device);
  if (!device)
    return device.error();
  const Backend *backend = findBackend(*device);
  bool isInterpreter = backend == &interpreterBackend();
  if (settings.check && !isInterpreter)
    return Error{Status::BadInput, "error: the checker runs on `interp`, not on `" + *device + "`\n"};
  if (settings.observer && !isInterpreter)
    return Error{Status::BadInput, "error: a launch is watched on `interp`, not on `" + *device + "`\n"};
  if (checksEveryLaunch() && !isWatched && backend->sharesMemory())
    return launchChecked(module, kernel, arguments, settings);
  Result<std::vector<NamedHostValue>> values = hostValues(module, arguments);
  if (!values)
    return values.error();
  Result<Binding> binding = bind(module, kernel, std::move(*values), settings);
  if (!binding)
    return binding.error();
  if (!isInterpreter && binding->usesConfig && !settings.config && kernel->autotune->configs.size() > 1) {
    Stopwatch watch;
    Result<ChosenConfig> chosen = bestConfig(module, kernel, arguments, settings);
    if (!chosen)
      return chosen.error();
    double milliseconds = watch.milliseconds();
    Settings tuned = settings;
    tuned.config = chosen->config;
    Result<Launched> launched = launch(module, kernel, arguments, tuned, code);
    if (launched && !chosen->isKept)
      launched->tuneMilliseconds = milliseconds;
    return launched;
  }
  Result<std::array<uint32_t, 3>> grid = evaluateGrid(module, *binding, settings);
  if (!grid)
    return grid.error();
  return launchBound(module, *binding, *device, *grid, settings, code);
}

// What of the arguments a profile shows.
static void describeArguments(profile::Launch &launch, const Binding &binding) {
  if (binding.kernel->module && binding.kernel->module->source)
    launch.setSource(binding.kernel->module->source->name(), binding.kernel->name);
  for (size_t i = 0; i < binding.values.size() && i < binding.kernel->parameters.size(); ++i) {
    const HostValue &value = binding.values[i];
    const lang::Parameter &parameter = binding.kernel->parameters[i];
    if (value.tensor) {
      launch.addArgument(parameter.name, "*" + std::string(nameOf(value.tensor->dtype()))).shape =
          value.tensor->shape();
      continue;
    }
    bool isTuple = value.kind == HostValue::Kind::Tuple;
    launch.addArgument(parameter.name, isTuple                 ? "tuple"
                                       : parameter.isConstexpr ? "constexpr"
                                                               : "number")
        .value = isTuple ? std::to_string(value.items.size()) + " values" : toString(value.constant).substr(0, 80);
  }
}

Result<Launched> launchBound(KernelModule &module, const Binding &binding, const std::string &device,
                             const std::array<uint32_t, 3> &grid, const Settings &settings, LaunchedCode *code) {
  Result<Specialization> specialization = specialize(binding);
  if (!specialization)
    return specialization.error();
  const Backend *backend = findBackend(device);
  if (!backend)
    return noDevice(device);
  profile::Launch recorded(binding.kernel->name);
  if (recorded.isOutermost())
    describeArguments(recorded, binding);
  return backend->launch({module, binding, std::move(*specialization), device, grid, settings}, code);
}

Result<std::string> compileText(KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                                std::vector<NamedHostValue> arguments, const Settings &settings) {
  Result<SpecializedTile> specialized = compileTile(module, kernel, std::move(arguments), settings);
  return specialized ? specialized->tile.text() : Result<std::string>(specialized.error());
}

} // namespace nereid::jit
