#include "jit/call/KernelCalls.h"

#include "jit/Backend.h"
#include "jit/Grid.h"
#include "jit/Settings.h"

namespace nereid::jit {

// The device of a call: its own, else the default one, which is read once: a launch must not look through the
// environment. False for one whose calls go the long way.
static bool findDevice(QuickCall &call) {
  struct Usual {
    std::string name;
    const Backend *backend; // null: there is none of this name
  };
  static const Usual *usual = [] {
    Result<std::string> name = chooseDevice("");
    return name ? new Usual{*name, findBackend(*name)} : new Usual{"", nullptr};
  }();
  static const Backend *const cpu = &cpuBackend(), *const gpu = &cudaBackend();
  std::string_view given = call.options->device ? call.options->device : "";
  const Backend *backend = given.empty() ? usual->backend : given == kCpuName ? cpu : findBackend(given);
  if (backend == cpu)
    return true;
  if (backend != gpu)
    return false;
  Result<cuda::Device *> device = findCudaDevice(given.empty() ? std::string_view(usual->name) : given);
  call.device = device ? *device : nullptr;
  return call.device != nullptr;
}

// The memory of the host is copied the long way.
static bool isOnDevice(const QuickCall &call) {
  for (size_t i = 0; i < call.count; ++i)
    if (const nereid_argument &argument = call.arguments[i]; argument.kind == NEREID_TENSOR && argument.tensor.data)
      if (cuda::memoryKindOf(*call.device, argument.tensor.data) == cuda::MemoryKind::Host)
        return false;
  return true;
}

KernelCalls::KernelCalls(const lang::Function &kernel)
    : shapes(kernel), hasHeuristics(!kernel.heuristics.empty() || kernel.autotune.has_value()) {}

// Adds all that decides the code; false when this is a call for the long way.
bool KernelCalls::describe(QuickCall &call) {
  const nereid_launch_options &options = *call.options;
  static const bool isPlain = !checksEveryLaunch() && !guardsEveryLaunch();
  if (!isPlain || options.size < sizeof options || options.check || options.shuffle || options.threads < 0 ||
      options.threads > 1024 || !(options.timeout >= 0) || (call.count && !call.arguments) || !findDevice(call) ||
      (call.device && options.reachable_count))
    return false;
  const CallShape &shape = shapes.of(call.arguments, call.count);
  if (!shape.isSimple)
    return false;
  call.key.add(std::array{options.num_warps, options.num_stages, options.num_ctas, int32_t(options.debug != 0),
                          int32_t(options.strict_triton != 0), int32_t(options.grid_expression != nullptr)});
  call.key.add(call.device);
  bool allValues = hasHeuristics || options.grid_expression;
  if (options.grid_expression)
    call.key.text(options.grid_expression);
  if (!shape.addTo(call.key, call.arguments, allValues) || (call.device && !isOnDevice(call)))
    return false;
  call.shape = &shape;
  return true;
}

const Callable *KernelCalls::find(QuickCall &call) { return describe(call) ? table.find(call.key) : nullptr; }

void KernelCalls::add(const QuickCall &call, const LaunchedCode &code, const std::array<uint32_t, 3> &grid) {
  if (!call.shape || code.specialization.arguments.size() > Callable::kMaxWords)
    return;
  Callable callable(code, *call.shape);
  if (call.options->grid_expression)
    callable.grid = grid;
  table.add(call.key, std::move(callable));
}

std::optional<std::array<uint32_t, 3>> KernelCalls::gridOf(const QuickCall &call, const Callable &callable) {
  if (callable.grid)
    return callable.grid;
  const int64_t *extents = call.options->grid;
  uint64_t programs = 1;
  if (!extents[2])
    return std::nullopt;
  for (size_t i = 0; i < 3; ++i) {
    if (extents[i] < 0 || extents[i] > kGridLimits[i])
      return std::nullopt;
    programs *= static_cast<uint64_t>(extents[i]);
  }
  if (programs > uint64_t(kMaxPrograms))
    return std::nullopt;
  return std::array<uint32_t, 3>{static_cast<uint32_t>(extents[0]), static_cast<uint32_t>(extents[1]),
                                 static_cast<uint32_t>(extents[2])};
}

} // namespace nereid::jit
