#include "TargetLaunch.h"

#include "compiler/Compile.h"
#include "cpu/ArrayKernels.h"
#include "jit/CpuDevice.h"
#include "jit/CudaDevice.h"
#include "jit/Evaluate.h"
#include "jit/Specialize.h"

namespace nereid::differ {

bool hasTarget(const std::string &name) {
  std::optional<cpu::Target> target = cpu::findTarget(name);
  return target && target->runsHere();
}

static Result<jit::Binding> bindArguments(jit::KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                                          const std::vector<Argument> &arguments, const jit::Settings &settings) {
  Result<std::vector<jit::NamedHostValue>> values = jit::hostValues(module, arguments);
  if (!values)
    return values.error();
  return jit::bind(module, kernel, std::move(*values), settings);
}

std::string targetOf(const std::string &device) { return device.starts_with("cpu:") ? device.substr(4) : ""; }

Result<jit::Launched> launchForTarget(jit::KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                                      const std::vector<Argument> &arguments, const jit::Settings &settings,
                                      const std::string &name) {
  std::optional<cpu::Target> target = cpu::findTarget(name);
  if (!target || !target->runsHere())
    return Error{Status::BadInput, "error: this machine is no processor `" + name + "`\n"};
  Result<jit::Binding> binding = bindArguments(module, kernel, arguments, settings);
  if (!binding)
    return binding.error();
  Result<std::array<uint32_t, 3>> grid = jit::evaluateGrid(module, *binding, settings);
  Result<jit::Specialization> specialization = jit::specialize(*binding);
  if (!grid || !specialization)
    return grid ? specialization.error() : grid.error();
  compiler::TileModule tile = module.compiler.compile(*kernel, specialization->specs, binding->options);
  if (!tile.module)
    return module.takeError();
  Result<cpu::Artifact> artifact =
      compiler::compileCpu(std::move(tile), *target, {.mayOverlap = jit::mayOverlap(*specialization)});
  if (!artifact)
    return artifact.error();
  Result<jit::LoadedKernelRef> loaded =
      cpu::LoadedKernel::load(std::move(*artifact), {.resolve = cpu::findArrayKernel});
  if (!loaded)
    return loaded.error();
  return jit::runOnCpu(module, **loaded, *specialization, *grid, settings);
}

bool isCompiledOnly(const std::string &device) { return gpu::targetNamed(device) == device; }

Result<void> compileForGpu(jit::KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                           const std::vector<Argument> &arguments, const jit::Settings &settings, bool assembles) {
  Result<jit::Binding> binding = bindArguments(module, kernel, arguments, settings);
  if (!binding)
    return binding.error();
  Result<jit::Specialization> specialization = jit::specialize(*binding);
  if (!specialization)
    return specialization.error();
  if (!assembles)
    binding->choices.target = settings.device; // the driver's work, then
  Result<jit::CudaCode> code = jit::compileForCuda(module, {*binding, *specialization, settings.device});
  return code ? Result<void>() : code.error();
}

} // namespace nereid::differ
