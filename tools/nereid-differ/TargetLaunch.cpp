#include "TargetLaunch.h"

#include "codegen/RunPasses.h"
#include "compiler/Compile.h"
#include "cpu/ArrayKernels.h"
#include "interp/Interp.h"
#include "jit/CpuDevice.h"
#include "jit/CudaDevice.h"
#include "jit/Evaluate.h"
#include "jit/Specialize.h"

#include "transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

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

namespace {

// What a launch is made of, for devices that have no back end.
struct Bound {
  jit::Binding binding;
  jit::Specialization specialization;
  std::array<uint32_t, 3> grid;
};

Result<Bound> specialized(jit::KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                          const std::vector<Argument> &arguments, const jit::Settings &settings) {
  Result<jit::Binding> binding = bindArguments(module, kernel, arguments, settings);
  if (!binding)
    return binding.error();
  Result<std::array<uint32_t, 3>> grid = jit::evaluateGrid(module, *binding, settings);
  if (!grid)
    return grid.error();
  Result<jit::Specialization> specialization = jit::specialize(*binding);
  if (!specialization)
    return specialization.error();
  return Bound{std::move(*binding), std::move(*specialization), *grid};
}

} // namespace

std::string targetOf(const std::string &device) { return device.starts_with("cpu:") ? device.substr(4) : ""; }

Result<jit::Launched> launchForTarget(jit::KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                                      const std::vector<Argument> &arguments, const jit::Settings &settings,
                                      const std::string &name) {
  std::optional<cpu::Target> target = cpu::findTarget(name);
  if (!target || !target->runsHere())
    return Error{Status::BadInput, "error: this machine is no processor `" + name + "`\n"};
  Result<Bound> bound = specialized(module, kernel, arguments, settings);
  if (!bound)
    return bound.error();
  const auto &[binding, specialization, grid] = *bound;
  compiler::TileModule tile = module.compiler.compile(*kernel, specialization.specs, binding.options);
  if (!tile.module)
    return module.takeError();
  Result<cpu::Artifact> artifact =
      compiler::compileCpu(std::move(tile), *target, {.mayOverlap = jit::mayOverlap(specialization)});
  if (!artifact)
    return artifact.error();
  Result<jit::LoadedKernelRef> loaded =
      cpu::LoadedKernel::load(std::move(*artifact), {.resolve = cpu::findArrayKernel});
  if (!loaded)
    return loaded.error();
  return jit::runOnCpu(module, **loaded, specialization, grid, settings);
}

static constexpr llvm::StringLiteral kEmitted = "emitted";

bool isEmitted(const std::string &device) {
  return device == kEmitted || llvm::StringRef(device).starts_with((kEmitted + ":").str());
}

// Adds the passes of a device `emitted:PASS+PASS…`; false where one is none.
static bool addPasses(mlir::OpPassManager &manager, llvm::StringRef device) {
  static const bool areRegistered = [] {
    mlir::registerTransformsPasses();
    transforms::registerPasses();
    return true;
  }();
  llvm::SmallVector<llvm::StringRef> names;
  device.drop_front(kEmitted.size()).ltrim(':').split(names, '+', -1, /*KeepEmpty=*/false);
  return areRegistered && llvm::all_of(names, [&](llvm::StringRef name) {
           const mlir::PassInfo *pass = mlir::PassInfo::lookup(name);
           return pass && mlir::succeeded(pass->addToPipeline(manager, "", [](auto &) { return mlir::failure(); }));
         });
}

bool hasPasses(const std::string &device) {
  mlir::OpPassManager manager(mlir::ModuleOp::getOperationName(), mlir::OpPassManager::Nesting::Implicit);
  return addPasses(manager, device);
}

static Result<void> runPasses(mlir::func::FuncOp kernel, const std::string &device) {
  mlir::PassManager manager(kernel->getContext(), mlir::ModuleOp::getOperationName(),
                            mlir::PassManager::Nesting::Implicit);
  addPasses(manager, device);
  return codegen::runPasses(manager, kernel);
}

Result<jit::Launched> launchEmitted(jit::KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                                    const std::vector<Argument> &arguments, const jit::Settings &settings) {
  Result<Bound> bound = specialized(module, kernel, arguments, settings);
  if (!bound)
    return bound.error();
  compiler::Compiler &compiler = module.compiler;
  compiler::TileModule tile{lang::emitKernel(compiler.context(), compiler.session(), *kernel,
                                             bound->specialization.specs, bound->binding.options)};
  if (!tile.module)
    return module.takeError();
  if (Result<void> done = runPasses(tile.kernel(), settings.device); !done)
    return done.error();
  runtime::Failure failure;
  std::shared_ptr<const interp::Program> program = interp::translate(tile.kernel(), failure);
  if (!program)
    return Error{Status::BadInput, failure.message};
  interp::LaunchOptions options;
  options.grid = bound->grid, options.threads = settings.threads, options.shuffleSeed = settings.shuffleSeed;
  interp::LaunchResult result = interp::run(*program, bound->specialization.arguments, options);
  if (result.failure)
    return Error{Status::CheckFailed, result.failure.message};
  return jit::Launched{.grid = bound->grid};
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
