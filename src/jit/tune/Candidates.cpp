#include "jit/tune/Candidates.h"

#include "cpu/Target.h"
#include "jit/CpuDevice.h"
#include "jit/CudaDevice.h"
#include "jit/Evaluate.h"
#include "jit/Launch.h"
#include "runtime/cpu/Cores.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

namespace nereid::jit {

namespace {

std::string firstLine(const Error &error) { return error.message.substr(0, error.message.find('\n')); }

// What the threads share.
struct Work {
  const KernelModule &module;
  const std::string &kernelName;
  const std::vector<Argument> &arguments;
  const Settings &settings;
  const TuneOptions &options;
  const CandidateDevice &device;
  std::vector<Candidate> candidates;
  std::atomic<size_t> next{0};
  size_t done = 0;
  std::mutex frontEnd; // also of `done` and of the progress
  Stopwatch watch{};

  bool isLate() const { return options.seconds > 0 && watch.milliseconds() > options.seconds * 1e3 / 2; }
};

class Worker {
public:
  explicit Worker(Work &work) : work(work), lock(work.frontEnd, std::defer_lock) {}

  void run() {
    for (size_t index; (index = work.next.fetch_add(1)) < work.candidates.size();) {
      lock.lock();
      Candidate &candidate = work.candidates[index];
      candidate.isLeftOut = index > 0 && work.isLate();
      if (candidate.isLeftOut)
        candidate.problem = "there was no time for it";
      else if (Result<void> done = compile(candidate); !done)
        candidate.problem = firstLine(done.error());
      ++work.done;
      if (work.options.progress)
        work.options.progress("compiling", work.done, work.candidates.size());
      lock.unlock();
    }
  }

private:
  Result<void> load() {
    Result<std::shared_ptr<KernelModule>> loaded = work.module.again();
    if (!loaded)
      return loaded.error();
    if ((*loaded)->closure().base() != work.module.closure().base())
      return Error{Status::Environment, "error: the kernel's file has changed meanwhile\n"};
    module = *loaded;
    auto found = module->find(work.kernelName);
    if (!found)
      return found.error();
    kernel = withConfigs(*found, work.options);
    return {};
  }

  // With the lock held, but for the generation of machine code.
  Result<void> compile(Candidate &candidate) {
    if (!module)
      if (Result<void> loaded = load(); !loaded)
        return loaded;
    Settings settings = work.settings;
    settings.config = candidate.config;
    Result<std::vector<NamedHostValue>> values = hostValues(*module, work.arguments);
    if (!values)
      return values.error();
    Result<Binding> binding = jit::bind(*module, kernel, std::move(*values), settings);
    if (!binding)
      return binding.error();
    Result<std::array<uint32_t, 3>> grid = evaluateGrid(*module, *binding, settings);
    if (!grid)
      return grid.error();
    candidate.grid = *grid;
    Result<Specialization> specialization = specialize(*binding);
    if (!specialization)
      return specialization.error();
    if (work.device.gpu)
      return compileForGpu(candidate, *binding, *specialization);
    for (const runtime::Argument &argument : specialization->arguments)
      candidate.words.push_back(argument.value);
    CodeRequest request{*binding, *specialization, cpu::hostTarget().key(), mayOverlap(*specialization)};
    Result<CpuKernel> found =
        obtainKernel(*module, request, [&](KernelModule &, const CodeRequest &) { return generate(request); });
    if (!found)
      return found.error();
    candidate.kernel = found->kernel;
    return {};
  }

  Result<void> compileForGpu(Candidate &candidate, const Binding &binding, const Specialization &specialization) {
    cuda::Device &gpu = *work.device.gpu;
    candidate.words = work.device.tensors->words(specialization);
    CodeRequest request{binding, specialization, gpu.properties().target()};
    auto compile = [&](KernelModule &, const CodeRequest &asked) -> Result<CudaCode> {
      Result<TileCode> tile = emitTile(*module, asked.binding, asked.specialization);
      if (!tile)
        return tile.error();
      std::optional<cuda::PtxProblem> problem;
      CudaWork gpuWork = CudaWork::of(asked, std::move(tile->warnings));
      lock.unlock();
      Result<CudaCode> code = generateCudaCode(std::move(tile->tile), std::move(gpuWork), problem);
      lock.lock();
      return problem ? renderPtxProblem(*module, work.kernelName, *problem) : code;
    };
    Result<CudaKernel> found = obtainCudaKernel(*module, request, gpu, compile);
    if (found && !acceptsTensorMaps(*found->kernel, specialization)) {
      Specialization plain = withoutTensorMaps(specialization);
      found = obtainCudaKernel(*module, {binding, plain, request.target}, gpu, compile);
    }
    if (!found)
      return found.error();
    candidate.cudaKernel = found->kernel;
    return {};
  }

  Result<Code> generate(const CodeRequest &request) {
    Result<TileCode> tile = emitTile(*module, request.binding, request.specialization);
    if (!tile)
      return tile.error();
    lock.unlock();
    Result<Code> code = generateCode(std::move(*tile), request);
    lock.lock();
    return code;
  }

  Work &work;
  std::unique_lock<std::mutex> lock;
  std::shared_ptr<KernelModule> module;
  std::shared_ptr<lang::Function> kernel;
};

} // namespace

std::vector<Candidate> compileCandidates(const KernelModule &module, const std::string &kernelName,
                                         const std::vector<unsigned> &configs, const std::vector<Argument> &arguments,
                                         const Settings &settings, const TuneOptions &options,
                                         const CandidateDevice &device) {
  Work work{module, kernelName, arguments, settings, options, device, {}};
  for (unsigned config : configs)
    work.candidates.push_back({.config = config});
  size_t count = std::min<size_t>(cpu::availableCores(), configs.size());
  std::vector<std::thread> threads;
  for (size_t i = 1; i < count; ++i)
    threads.emplace_back([&] { Worker(work).run(); });
  Worker(work).run();
  for (std::thread &thread : threads)
    thread.join();
  return std::move(work.candidates);
}

} // namespace nereid::jit
