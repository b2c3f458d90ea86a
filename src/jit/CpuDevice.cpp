#include "jit/CpuDevice.h"

#include "compiler/Compile.h"
#include "cpu/ArrayKernels.h"
#include "cpu/Target.h"
#include "jit/GuardedArguments.h"
#include "jit/LaunchError.h"
#include "jit/call/TensorSpan.h"

#include <chrono>

namespace nereid::jit {

// Memory that a kernel reaches through stored addresses does not count: no access to it is taken for one to the memory
// of an argument, so that it may overlap whatever it likes.
bool mayOverlap(const Specialization &specialization) {
  std::vector<ByteRange> ranges;
  for (const runtime::Allocation &allocation : specialization.allocations) {
    auto begin = reinterpret_cast<uintptr_t>(allocation.data);
    ranges.push_back({begin, begin + allocation.bytes});
  }
  return anyOverlap(ranges, ranges.size());
}

Result<Code> generateCode(TileCode tile, const CodeRequest &request) {
  Result<cpu::Artifact> artifact =
      compiler::compileCpu(std::move(tile.tile), cpu::hostTarget(), {.mayOverlap = request.mayOverlap});
  if (!artifact)
    return artifact.error();
  return Code{std::move(*artifact), std::move(tile.warnings), false};
}

Result<Code> compileForCpu(KernelModule &module, const CodeRequest &request) {
  Result<TileCode> tile = emitTile(module, request.binding, request.specialization);
  return tile ? generateCode(std::move(*tile), request) : tile.error();
}

Result<CpuKernel> obtainKernel(KernelModule &module, const CodeRequest &request, const CompileCode &compile) {
  auto start = std::chrono::steady_clock::now();
  for (bool anew : {false, true}) {
    Result<Code> code = obtainCode(module, request, DiskCache::shared(), compile, anew);
    if (!code)
      return code.error();
    Result<LoadedKernelRef> loaded =
        cpu::LoadedKernel::load(std::move(code->artifact), {.resolve = cpu::findArrayKernel});
    double milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    if (loaded)
      return CpuKernel{*loaded, std::move(code->warnings), milliseconds, code->isCached};
    // Whole by its checksum and yet no code for this machine: whoever wrote it, it is written anew.
    if (!code->isCached)
      return loaded.error();
  }
  return Error{Status::Environment, "error: the cache gives what cannot be loaded\n"};
}

Result<CpuKernel> findCpuKernel(KernelModule &module, const Binding &binding, const Specialization &specialization) {
  bool overlap = mayOverlap(specialization);
  std::shared_ptr<const runtime::LoadedCode> &kept =
      module.compiledKernels[(overlap ? "cpu|o|" : "cpu|") + keyOf(binding, specialization)];
  if (kept)
    return CpuKernel{.kernel = std::static_pointer_cast<const cpu::LoadedKernel>(kept)};
  CodeRequest request{binding, specialization, cpu::hostTarget().key(), overlap};
  Result<CpuKernel> kernel = obtainKernel(module, request, compileForCpu);
  if (kernel)
    kept = kernel->kernel;
  return kernel;
}

static Result<Launched> runWhereItIs(KernelModule &module, const cpu::LoadedKernel &kernel,
                                     const Specialization &specialization, const std::array<uint32_t, 3> &grid,
                                     const Settings &settings) {
  std::vector<uint64_t> words;
  for (const runtime::Argument &argument : specialization.arguments)
    words.push_back(argument.value);
  Launched launched{.grid = grid};
  cpu::LaunchOptions options{.threads = settings.threads,
                             .output = [&](std::string_view text) { launched.output += text; },
                             .limits = settings.limits};
  if (settings.limits.host)
    settings.limits.host->begin();
  Result<cpu::LaunchReport> report = cpu::launch(kernel, words, grid, options);
  if (settings.limits.host)
    settings.limits.host->end();
  if (!report)
    return report.error();
  if (report->failure) {
    Error error = launchError(module, kernel, *report->failure, specialization.allocations);
    return Error{error.status, launched.output + error.message};
  }
  launched.programs = uint64_t(grid[0]) * grid[1] * grid[2];
  return launched;
}

Result<Launched> runOnCpu(KernelModule &module, const cpu::LoadedKernel &kernel, const Specialization &specialization,
                          const std::array<uint32_t, 3> &grid, const Settings &settings) {
  if (!guardsEveryLaunch())
    return runWhereItIs(module, kernel, specialization, grid, settings);
  Result<GuardedArguments> guarded = GuardedArguments::copy(memoryOf(specialization));
  if (!guarded)
    return guarded.error();
  Specialization moved = guarded->moved(specialization);
  Result<Launched> launched = runWhereItIs(module, kernel, moved, grid, settings);
  guarded->copyBack();
  if (std::optional<uintptr_t> stray = launched ? guarded->strayWrite() : std::nullopt)
    return strayWriteError(module, *stray, moved.allocations);
  return launched;
}

} // namespace nereid::jit
