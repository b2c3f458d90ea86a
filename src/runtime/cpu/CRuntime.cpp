// CRuntime.cpp: the functions of nereid/runtime.h: launches of kernels that were compiled ahead of time.
#include "nereid/runtime.h"

#include "runtime/Convert.h"
#include "runtime/cpu/Features.h"
#include "runtime/cpu/Launch.h"
#include "runtime/cpu/Sort.h"

using namespace nereid;

static thread_local std::string lastError;
static std::atomic<uint32_t> threadCount{0};
static std::atomic<double> timeLimit{0};

static nereid_rt_status failed(Status status, std::string message) {
  lastError = std::move(message);
  return static_cast<nereid_rt_status>(status);
}

static cpu::Site readSite(const nereid_rt_site &site) {
  cpu::Site result;
  result.kind = static_cast<cpu::Site::Kind>(site.kind);
  result.text = site.text;
  result.file = site.file;
  result.line = site.line;
  result.column = site.column;
  result.endColumn = site.end_column;
  result.isHex = site.is_hex != 0;
  for (uint32_t i = 0; i < site.value_count; ++i) {
    const nereid_rt_value &value = site.values[i];
    result.values.push_back({value.type, {value.shape, value.shape + value.rank}});
  }
  return result;
}

static Result<std::shared_ptr<const cpu::LoadedKernel>> makeKernel(const nereid_rt_kernel &kernel) {
  if (kernel.version != NEREID_RT_ABI_VERSION)
    return Error{Status::Environment, std::string("kernel `") + kernel.name + "` was compiled for version " +
                                          std::to_string(kernel.version) + " of the run-time library, and this is " +
                                          std::to_string(NEREID_RT_ABI_VERSION)};
  std::string missing = cpu::missingFeature(kernel.features);
  if (!missing.empty())
    return Error{Status::Environment, std::string("kernel `") + kernel.name + "` was compiled for a CPU with " +
                                          missing + ", which this one does not have"};
  cpu::Artifact artifact;
  artifact.name = kernel.name;
  artifact.scratchBytes = kernel.scratch_bytes;
  artifact.argumentCount = kernel.argument_count;
  artifact.isOrderSensitive = (kernel.flags & NEREID_RT_ORDER_SENSITIVE) != 0;
  artifact.usesTileRegisters = (kernel.flags & NEREID_RT_TILE_REGISTERS) != 0;
  artifact.waits = (kernel.flags & NEREID_RT_WAITS) != 0;
  for (uint32_t i = 0; i < kernel.site_count; ++i)
    artifact.sites.push_back(readSite(kernel.sites[i]));
  return cpu::LoadedKernel::link(reinterpret_cast<cpu::Entry>(kernel.entry), std::move(artifact));
}

using Handle = std::shared_ptr<const cpu::LoadedKernel>;

// Made once for each kernel and kept: the kernel itself is part of the program.
static Result<const cpu::LoadedKernel *> handleOf(nereid_rt_kernel &kernel) {
  std::atomic_ref<void *> slot(kernel.handle);
  if (void *made = slot.load(std::memory_order_acquire))
    return static_cast<Handle *>(made)->get();
  Result<Handle> loaded = makeKernel(kernel);
  if (!loaded)
    return loaded.error();
  auto *fresh = new Handle(std::move(*loaded));
  void *before = nullptr;
  if (slot.compare_exchange_strong(before, fresh))
    return fresh->get();
  delete fresh; // another thread was faster
  return static_cast<Handle *>(before)->get();
}

const char *nereid_rt_last_error(void) { return lastError.c_str(); }
void nereid_rt_set_threads(uint32_t threads) { threadCount = threads; }
void nereid_rt_set_timeout(double seconds) { timeLimit = seconds; }
void nereid_rt_interrupt(void) { cpu::interruptLaunches(); }

nereid_rt_status nereid_rt_launch(nereid_rt_kernel *kernel, const uint64_t *arguments, uint32_t grid_x, uint32_t grid_y,
                                  uint32_t grid_z) {
  Result<const cpu::LoadedKernel *> loaded = handleOf(*kernel);
  if (!loaded)
    return failed(loaded.error().status, loaded.error().message);
  cpu::LaunchOptions options;
  options.threads = threadCount.load(std::memory_order_relaxed);
  options.limits.timeout = timeLimit.load(std::memory_order_relaxed);
  Result<cpu::LaunchReport> report =
      cpu::launch(**loaded, {arguments, kernel->argument_count}, {grid_x, grid_y, grid_z}, options);
  if (!report)
    return failed(report.error().status, report.error().message);
  return report->failure ? failed(report->failure->status(), renderFailure(*report->failure)) : 0;
}

nereid_rt_status nereid_rt_refuse(const nereid_rt_kernel *kernel, const char *argument, const char *problem) {
  return failed(Status::BadInput, std::string("kernel `") + kernel->name + "`: `" + argument + "` " + problem);
}

uint64_t nereid_rt_narrow(const char *type, float value) {
  uint64_t bits = 0;
  if (std::optional<DType> known = runtime::parseDType(type))
    runtime::writeElement(*known, reinterpret_cast<std::byte *>(&bits), value);
  return bits;
}

// Called by objects, under the name that RuntimeFunctions.cpp has for it.
extern "C" __attribute__((visibility("default"))) void nereid_sort(void *to, const void *from, int64_t rows,
                                                                   int64_t extent, int64_t count, int32_t bytes,
                                                                   int32_t kind, int32_t isDescending) {
  cpu::sortRows(to, from, rows, extent, count, bytes, kind, isDescending);
}
