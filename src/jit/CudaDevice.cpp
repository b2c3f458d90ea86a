#include "jit/CudaDevice.h"

#include "codegen/RunPasses.h"
#include "compiler/Compile.h"
#include "compiler/Detach.h"
#include "jit/Report.h"
#include "jit/StagedTensors.h"
#include "runtime/cpu/Cores.h"
#include "runtime/cuda/Assemble.h"
#include "runtime/cuda/TensorMaps.h"
#include "support/Log.h"

#include <charconv>
#include <chrono>
#include <filesystem>
#include <future>
#include <pthread.h>
#include <semaphore>
#include <unistd.h>

namespace nereid::jit {

Result<cuda::Device *> findCudaDevice(std::string_view name) {
  Result<cuda::Driver *> driver = cuda::Driver::shared();
  if (!driver)
    return driver.error();
  if (name == "cuda")
    return (*driver)->current();
  std::string_view digits = name.substr(std::min<size_t>(name.size(), 5));
  int ordinal = 0;
  auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
  if (problem != std::errc() || end != digits.data() + digits.size())
    return Error{Status::BadInput,
                 "error: there is no device `" + std::string(name.substr(0, 80)) + "`; the first GPU is `cuda:0`\n"};
  return (*driver)->device(ordinal);
}

std::optional<Error> bugInPtx(const cuda::Artifact &artifact, const std::optional<cuda::PtxProblem> &problem) {
  if (!problem || !problem->ptxLine || artifact.hasForeignCode)
    return std::nullopt;
  return codegen::bugIn(artifact.name, cuda::describe(*problem, artifact.name));
}

Error renderPtxProblem(KernelModule &module, const std::string &kernel, const cuda::PtxProblem &problem) {
  if (!problem.line)
    return {Status::BadInput, cuda::describe(problem, kernel)};
  // The PTX names files in full; the source may have been given by a shorter name.
  std::string file = problem.file;
  std::error_code ignored;
  if (module.module().source && std::filesystem::equivalent(file, module.module().source->name(), ignored))
    file = module.module().source->name();
  runtime::Failure failure;
  failure.kind = runtime::Failure::Kind::Unsupported;
  failure.message = "the PTX for this line cannot be assembled: " + problem.message;
  failure.place = {file, problem.line, problem.column, 0, {}};
  return {Status::BadInput, renderFailure(module, failure) + "note: line " + std::to_string(problem.ptxLine) +
                                " of the PTX: `" + problem.ptxText + "`\n"};
}

CudaWork CudaWork::of(const CodeRequest &request, std::string warnings) {
  const lang::Function &kernel = *request.binding.kernel;
  CudaWork work{kernel.name,
                {},
                request.target,
                request.binding.options,
                request.binding.choices,
                request.specialization.usesTensorMaps,
                std::move(warnings)};
  for (const WordSource &source : request.specialization.sources)
    work.wordNames.push_back(source.parameter < 0 ? "" : kernel.parameters[static_cast<size_t>(source.parameter)].name);
  return work;
}

Result<CudaCode> generateCudaCode(compiler::TileModule tile, CudaWork work, std::optional<cuda::PtxProblem> &problem) {
  Result<cuda::Artifact> artifact = compiler::compileGpu(
      std::move(tile), gpu::targetOf(work.target),
      {.shape = work.options.shape, .choices = work.choices, .usesTensorMaps = work.usesTensorMaps});
  if (!artifact)
    return artifact.error();
  artifact->wordNames = std::move(work.wordNames);
  if (!work.choices.target.empty()) // perhaps not this device: the driver assembles PTX for whatever it is
    return CudaCode{std::move(*artifact), std::move(work.warnings), false};
  cuda::AssembleRequest request = compiler::assembleRequest(work.kernel, *artifact);
  request.options = work.choices.assemblerOptions;
  Result<cuda::Assembled> assembled = cuda::assemble(request, &problem);
  if (std::optional<Error> bug = bugInPtx(*artifact, problem)) {
    problem.reset();
    return *bug;
  }
  if (assembled) {
    artifact->image = std::move(assembled->image);
    artifact->remarks += assembled->remarks;
    artifact->resources = assembled->resources;
  } else if (assembled.error().status == Status::BadInput) {
    return assembled.error();
  } // else the driver assembles it
  return CudaCode{std::move(*artifact), std::move(work.warnings), false};
}

Result<CudaCode> compileForCuda(KernelModule &module, const CodeRequest &request) {
  Result<TileCode> tile = emitTile(module, request.binding, request.specialization);
  if (!tile)
    return tile.error();
  std::optional<cuda::PtxProblem> problem;
  Result<CudaCode> code =
      generateCudaCode(std::move(tile->tile), CudaWork::of(request, std::move(tile->warnings)), problem);
  if (problem)
    return renderPtxProblem(module, request.binding.kernel->name, *problem);
  return code;
}

// Code that another thread makes.
struct PendingCudaCode {
  std::optional<cuda::PtxProblem> problem;
  std::future<Result<CudaCode>> code;
  pid_t process = getpid(); // the child of a fork has no such thread
};

// As many at a time as there are cores: each takes its memory.
static std::counting_semaphore<> &compilingThreads() {
  static auto *threads = new std::counting_semaphore<>(static_cast<std::ptrdiff_t>(cpu::availableCores()));
  // The child of a fork has none of the threads that may hold some.
  static const int handler = pthread_atfork(nullptr, nullptr, [] {
    threads = new std::counting_semaphore<>(static_cast<std::ptrdiff_t>(cpu::availableCores()));
  });
  (void)handler;
  return *threads;
}

static std::string keyOf(const Binding &binding, const Specialization &specialization, const cuda::Device &device) {
  return "cuda|" + std::to_string(reinterpret_cast<uintptr_t>(&device)) + "|" + keyOf(binding, specialization);
}

static std::string targetOf(const Binding &binding, const cuda::Device &device) {
  return binding.choices.target.empty() ? device.properties().target() : binding.choices.target;
}

void prepareCudaKernel(KernelModule &module, const Binding &binding, const Specialization &specialization,
                       cuda::Device &device) {
  std::string key = keyOf(binding, specialization, device);
  if (module.compiledKernels.contains(key) || module.pendingCudaCode.contains(key))
    return;
  CodeRequest request{binding, specialization, targetOf(binding, device)};
  // Asked for as a launch would, so that what is on disk is not made again; here nobody waits for the answer.
  CompileCudaCode begin = [&](KernelModule &, const CodeRequest &asked) -> Result<CudaCode> {
    Result<TileCode> tile = emitTile(module, asked.binding, asked.specialization);
    if (!tile)
      return tile.error();
    auto pending = std::make_shared<PendingCudaCode>();
    pending->code = std::async(std::launch::async, [pending = pending.get(), text = compiler::detach(tile->tile),
                                                    work = CudaWork::of(asked, std::move(tile->warnings))] {
      compilingThreads().acquire();
      compiler::DetachedTile own = compiler::attach(text);
      Result<CudaCode> code = own.tile.module ? generateCudaCode(std::move(own.tile), work, pending->problem)
                                              : codegen::bugIn(work.kernel, "its IR cannot be read again");
      compilingThreads().release();
      return code;
    });
    module.pendingCudaCode[key] = pending;
    return Error{Status::Environment, "it is being compiled"};
  };
  (void)obtainCode(module, request, DiskCache::shared(), begin);
}

// From the thread that began it, else here.
static Result<CudaCode> compileOrWait(KernelModule &module, const CodeRequest &request, const std::string &key) {
  auto found = module.pendingCudaCode.find(key);
  if (found == module.pendingCudaCode.end())
    return compileForCuda(module, request);
  std::shared_ptr<PendingCudaCode> pending = std::move(found->second);
  module.pendingCudaCode.erase(found);
  if (pending->process != getpid()) {
    new std::shared_ptr<PendingCudaCode>(
        std::move(pending)); // kept for good: to free it would be to wait for the thread
    return compileForCuda(module, request);
  }
  Result<CudaCode> code = pending->code.get();
  return pending->problem ? renderPtxProblem(module, request.binding.kernel->name, *pending->problem) : code;
}

Result<CudaKernel> obtainCudaKernel(KernelModule &module, const CodeRequest &request, cuda::Device &device,
                                    const CompileCudaCode &compile) {
  auto start = std::chrono::steady_clock::now();
  for (bool anew : {false, true}) {
    Result<CudaCode> code = obtainCode(module, request, DiskCache::shared(), compile, anew);
    if (!code)
      return code.error();
    std::optional<cuda::PtxProblem> problem;
    Result<CudaKernelRef> loaded = cuda::LoadedKernel::load(device, code->artifact, &problem);
    double milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    if (loaded) {
      if (const std::string &remarks = (*loaded)->artifact().remarks; !remarks.empty())
        log(LogLevel::Info, "`" + request.binding.kernel->name + "`: " + remarks);
      return CudaKernel{*loaded, std::move(code->warnings), milliseconds, code->isCached};
    }
    if (std::optional<Error> bug = bugInPtx(code->artifact, problem))
      return *bug;
    if (problem)
      return renderPtxProblem(module, request.binding.kernel->name, *problem);
    // Whole by its checksum and yet no code for this GPU: whoever wrote it, it is written anew.
    if (!code->isCached || loaded.error().status != Status::Environment)
      return loaded.error();
  }
  return Error{Status::Environment, "error: the cache gives what the GPU cannot load\n"};
}

static Result<CudaKernel> findVariant(KernelModule &module, const Binding &binding,
                                      const Specialization &specialization, cuda::Device &device) {
  std::string key = keyOf(binding, specialization, device);
  if (auto known = module.compiledKernels.find(key); known != module.compiledKernels.end())
    return CudaKernel{.kernel = std::static_pointer_cast<const cuda::LoadedKernel>(known->second)};
  CodeRequest request{binding, specialization, targetOf(binding, device)};
  Result<CudaKernel> kernel =
      obtainCudaKernel(module, request, device, [&](KernelModule &, const CodeRequest &asked) -> Result<CudaCode> {
        return compileOrWait(module, asked, key);
      });
  if (kernel)
    module.compiledKernels[key] = kernel->kernel;
  return kernel;
}

bool acceptsTensorMaps(const cuda::LoadedKernel &kernel, const Specialization &specialization) {
  if (kernel.artifact().tensorMaps.empty() || specialization.arguments.size() < kernel.wordCount())
    return true; // compiled for types alone: the launch will tell
  std::vector<uint64_t> words;
  for (const runtime::Argument &argument : specialization.arguments)
    words.push_back(argument.value); // where memory is copied to is aligned as this is
  return cuda::acceptsTensorMaps(kernel, words);
}

Result<CudaKernel> findCudaKernel(KernelModule &module, const Binding &binding, const Specialization &specialization,
                                  cuda::Device &device) {
  Result<CudaKernel> kernel = findVariant(module, binding, specialization, device);
  if (!kernel || acceptsTensorMaps(*kernel->kernel, specialization))
    return kernel;
  log(LogLevel::Info, "`" + binding.kernel->name + "` runs without tensor maps: TMA cannot read its tensors");
  return findVariant(module, binding, withoutTensorMaps(specialization), device);
}

Result<Launched> runOnCuda(KernelModule &module, const cuda::LoadedKernel &kernel, const Specialization &specialization,
                           const std::array<uint32_t, 3> &grid, const Settings &settings) {
  cuda::Device &device = kernel.device();
  auto stream = static_cast<cuda::driver::Stream>(settings.stream);
  StagedTensors tensors(device, stream);
  if (Result<void> staged = tensors.stage(specialization, settings); !staged)
    return staged.error();
  Result<cuda::LaunchReport> report = cuda::launchAndReport(kernel, tensors.words(specialization), grid, stream);
  if (!report)
    return report.error();
  if (report->failure)
    return Error{Status::CheckFailed, report->output + renderFailure(module, *report->failure, report->program)};
  if (Result<void> copied = tensors.copyBack(); !copied)
    return copied.error();
  if (!settings.isAsynchronous) {
    cuda::CurrentContext scope(device);
    if (cuda::driver::Status status = device.call().streamSynchronize(stream); status != cuda::driver::kSuccess)
      return device.failed(status, "waiting for `" + kernel.artifact().name + "`");
  }
  Launched launched{.grid = grid};
  launched.programs = uint64_t(grid[0]) * grid[1] * grid[2];
  launched.output = std::move(report->output);
  const cuda::Artifact &artifact = kernel.artifact();
  launched.resources = {artifact.resources.registers, artifact.resources.localBytes,
                        artifact.resources.sharedBytes + artifact.sharedBytes, artifact.threads};
  return launched;
}

} // namespace nereid::jit
