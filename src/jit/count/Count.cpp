#include "jit/count/Count.h"

#include "compiler/Target.h"
#include "interp/count/Counter.h"
#include "jit/Backend.h"
#include "jit/Evaluate.h"

#include <algorithm>

namespace nereid::jit {

double Counted::cacheHitRate() const {
  const interp::Counts &total = counts.total;
  uint64_t lookups = total.cacheHits + total.cacheMisses;
  return lookups ? double(total.cacheHits) / double(lookups) : 0;
}

// Target and device, where one of them or none is given.
static Result<compiler::Target> choose(const CountRequest &request, Counted &counted) {
  auto targetNamed = [](const std::string &name) -> Result<compiler::Target> {
    std::optional<compiler::Target> target = compiler::findTarget(name);
    if (target && (target->gpu || target->cpu))
      return *target;
    return Error{Status::BadInput, "error: nothing is counted for the target `" + name.substr(0, 80) +
                                       "`\nnote: there are `cpu`, `sm_80`, `sm_90a` and their like\n"};
  };
  std::string device = request.device;
  if (device.empty() && !request.target.empty()) {
    Result<compiler::Target> target = targetNamed(request.target);
    if (!target)
      return target;
    device = usualDeviceFor(*target);
  }
  Result<DeviceRow> row = findDeviceRow(device.empty() ? deviceRows().front().name : device, request.devices);
  if (!row)
    return row.error();
  counted.target = request.target.empty() ? row->target : request.target;
  counted.device = std::move(*row);
  return targetNamed(counted.target);
}

// Parameters, constants and what describes a launch: in 18 launches on an H200 the bytes that come from memory are 2048 to 2816
// more than the tensors and the instructions have, in 12 of them 2304 or 2432.
static constexpr uint64_t kLaunchBytes = 2304;

// What only the code knows, at the lines that it has from the source.
static void addCode(const CountedCode &code, interp::CountResult &counts) {
  counts.total.registers = code.registers;
  counts.total.spillBytes = code.spillBytes;
  counts.total.sharedBytes = code.sharedBytes;
  counts.total.codeBytes = code.codeBytes ? code.codeBytes + kLaunchBytes : 0;
  // What threads keep in memory goes to the L2 cache when it is stored, 32 bytes of a warp for each of a thread, and comes from the
  // L1 cache. On an H200 that were 0.94, 0.99 and 1.21 times as many sectors in three kernels.
  uint64_t stored = uint64_t(code.spillBytes) * (code.threads / 32) * counts.total.programs;
  counts.total.cacheSectors += stored;
  counts.total.cacheHits += stored;
  auto add = [](const interp::ptx::WalkCounts &executed, interp::Counts &to) {
    to.tensorInstructions += executed.tensorInstructions;
    to.fp32Instructions += executed.fp32Instructions;
    to.barriers += executed.barriers;
    to.bankConflicts += executed.bankConflicts;
  };
  for (const CountedCode::ExecutedLine &executed : code.executed) {
    add(executed.counts, counts.total);
    for (interp::LineCounts &line : counts.lines)
      if (line.line == executed.line && line.file == executed.file)
        add(executed.counts, line.counts);
  }
}

// Programs with products on tensor cores wait for memory, and go in step, so that their requests for the same tile meet; those that
// compute go apart. Fitted to five and eleven kernels on an H200.
static uint32_t mergedRequests(const gpu::CodeFacts &facts) {
  bool waits =
      std::ranges::any_of(facts.products, [](const gpu::ProductFact &product) { return product.instruction != "fma"; });
  return waits ? 16 : 7;
}

static Result<Counted> countFor(KernelModule &module, const Binding &binding, const std::array<uint32_t, 3> &grid,
                                Settings &settings, const CountRequest &request, const compiler::Target &target,
                                Counted counted) {
  interp::CountOptions options;
  options.caches = {.bytes = counted.device.cacheBytes,
                    .parts = counted.device.cacheParts,
                    .multiprocessors = counted.device.multiprocessors};
  options.residentPrograms = counted.device.multiprocessors;
  if (target.gpu) {
    Result<CountedCode> code = codeFor(module, binding, grid, *target.gpu, counted.device, request.assembling);
    if (code) {
      options.plans = plansOf(code->facts);
      options.residentPrograms *= code->residentPrograms;
      options.caches.firstBytes = firstCacheBytes(*code, counted.device);
      options.caches.fetchSectors = counted.device.fetchSectors;
      options.caches.mergedRequests = counted.device.firstCacheBytes ? mergedRequests(code->facts) : 0;
      counted.code = std::move(*code);
    } else if (code.error().status == Status::Internal) {
      return code.error();
    } else {
      counted.codeProblem = code.error().message;
    }
  }
  interp::Counter counter(options);
  settings.observer = &counter;
  Result<Launched> launched = launchBound(module, binding, std::string(interpreterBackend().name()), grid, settings);
  if (!launched)
    return launched.error();
  counted.launched = std::move(*launched);
  if (counted.launched.programs)
    counted.counts = counter.take();
  counted.counts.total.launches = 1;
  if (counted.code) {
    followAgain(*counted.code, counted.counts.reads);
    addCode(*counted.code, counted.counts);
  }
  counted.roofline = rooflineOf(counted.counts.total, counted.device);
  return counted;
}

// Products are as the target does them, where neither the kernel nor the settings say how.
static std::string dotPrecisionFor(const compiler::Target &target) {
  return target.gpu ? cudaBackend().dotPrecision() : cpuBackend().dotPrecision();
}

Result<Counted> countBound(KernelModule &module, const Binding &binding, const std::array<uint32_t, 3> &grid,
                           Settings settings, const CountRequest &request) {
  Counted counted;
  Result<compiler::Target> target = choose(request, counted);
  if (!target)
    return target.error();
  Binding own = binding;
  own.options.defaultDotPrecision = dotPrecisionFor(*target);
  return countFor(module, own, grid, settings, request, *target, std::move(counted));
}

Result<Counted> count(KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                      const std::vector<Argument> &arguments, Settings settings, const CountRequest &request) {
  Counted counted;
  Result<compiler::Target> target = choose(request, counted);
  if (!target)
    return target.error();
  if (settings.dotPrecision.empty())
    settings.dotPrecision = dotPrecisionFor(*target);
  settings.device = interpreterBackend().name();
  Result<std::vector<NamedHostValue>> values = hostValues(module, arguments);
  if (!values)
    return values.error();
  Result<Binding> binding = jit::bind(module, kernel, std::move(*values), settings);
  if (!binding)
    return binding.error();
  Result<std::array<uint32_t, 3>> grid = evaluateGrid(module, *binding, settings);
  if (!grid)
    return grid.error();
  return countFor(module, *binding, *grid, settings, request, *target, std::move(counted));
}

} // namespace nereid::jit
