#include "runtime/cuda/HardwareCounters.h"

#include "runtime/cuda/Cupti.h"

#include <array>
#include <dlfcn.h>

namespace nereid::cuda {

namespace {

constexpr HardwareCounter kCounters[] = {
    {"time ns", "gpu__time_duration.sum"},
    {"bytes read from memory", "dram__bytes_read.sum"},
    {"bytes written to memory", "dram__bytes_write.sum"},
    {"memory rate % of peak", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"L2 hit rate %", "lts__t_sector_hit_rate.pct"},
    {"L1 hit rate %", "l1tex__t_sector_hit_rate.pct"},
    {"multiprocessors % of peak", "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"warps % of the most", "sm__warps_active.avg.pct_of_peak_sustained_active"},
    {"instructions of warps", "smsp__inst_executed.sum"},
    {"tensor instructions of warps", "sm__inst_executed_pipe_tensor.sum"},
    {"shared memory bank conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"},
};
constexpr size_t kCount = std::size(kCounters);

std::array<const char *, kCount> metricNames() {
  std::array<const char *, kCount> names;
  for (size_t i = 0; i < kCount; ++i)
    names[i] = kCounters[i].metric;
  return names;
}

// What CUPTI's functions take: each begins with its size, up to the last field that this version knows, and a null pointer.
template <class Fields> struct Parameters {
  size_t size = sizeof(Parameters);
  void *reserved = nullptr;
  Fields fields{};
};
// Where padding lies behind the last field, the size ends before it.
template <class Fields, class Last> Parameters<Fields> parametersUpTo(Last Fields::*last, Fields fields) {
  Parameters<Fields> made;
  made.fields = fields;
  auto *begin = reinterpret_cast<const std::byte *>(&made),
       *end = reinterpret_cast<const std::byte *>(&(made.fields.*last));
  made.size = size_t(end - begin) + sizeof(Last);
  return made;
}

struct ChipName {
  size_t device;
  const char *name;
};
struct Availability {
  void *context;
  size_t bytes;
  uint8_t *image;
};
struct HostMade {
  uint32_t kind; // 0: for ranges
  const char *chip;
  const uint8_t *availability;
  void *object;
};
struct Object {
  void *object;
};
struct MetricsAdded {
  void *object;
  const char **metrics;
  size_t count;
};
struct ConfigSize {
  void *object;
  size_t bytes;
};
struct Config {
  void *object;
  size_t bytes;
  uint8_t *image;
};
struct RangesMade {
  void *context;
  void *object;
};
struct CountersSize {
  void *object;
  const char **metrics;
  size_t count, mostRanges;
  uint32_t mostNodes;
  size_t bytes;
};
struct CountersMade {
  void *object;
  size_t bytes;
  uint8_t *image;
};
struct RangesConfig {
  void *object;
  size_t configBytes;
  const uint8_t *config;
  size_t counterBytes;
  uint8_t *counters;
  uint32_t range, replay; // 1: each kernel is a range; 2: CUPTI runs it again
  size_t mostRanges;
  uint16_t levels, firstLevel;
  size_t pass;
  uint16_t level;
};
struct Stopped {
  void *object;
  size_t pass, level;
  uint8_t isDone;
};
struct Decoded {
  void *object;
  size_t dropped;
};
struct RangeCount {
  const uint8_t *counters;
  size_t bytes, ranges;
};
struct Evaluated {
  void *object;
  const uint8_t *counters;
  size_t bytes, range;
  const char **metrics;
  size_t count;
  double *values;
};

template <class Fields> using Function = int (*)(Parameters<Fields> *);

} // namespace

struct HardwareCounters::Functions {
  int (*initialize)(void *);
  Function<ChipName> chipName;
  Function<Availability> availability;
  Function<HostMade> makeHost;
  Function<Object> freeHost;
  Function<MetricsAdded> addMetrics;
  Function<ConfigSize> configSize;
  Function<Config> config;
  Function<RangesMade> makeRanges;
  Function<Object> freeRanges;
  Function<CountersSize> countersSize;
  Function<CountersMade> makeCounters;
  Function<RangesConfig> configure;
  Function<Object> start;
  Function<Stopped> stop;
  Function<Decoded> decode;
  Function<RangeCount> rangeCount;
  Function<Evaluated> evaluate;
  std::string missing;

  void load(void *library) {
    auto find = [&](auto &function, const char *name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      if (!function && missing.empty())
        missing = name;
    };
    find(initialize, "cuptiProfilerInitialize");
    find(chipName, "cuptiDeviceGetChipName");
    find(availability, "cuptiProfilerGetCounterAvailability");
    find(makeHost, "cuptiProfilerHostInitialize");
    find(freeHost, "cuptiProfilerHostDeinitialize");
    find(addMetrics, "cuptiProfilerHostConfigAddMetrics");
    find(configSize, "cuptiProfilerHostGetConfigImageSize");
    find(config, "cuptiProfilerHostGetConfigImage");
    find(makeRanges, "cuptiRangeProfilerEnable");
    find(freeRanges, "cuptiRangeProfilerDisable");
    find(countersSize, "cuptiRangeProfilerGetCounterDataSize");
    find(makeCounters, "cuptiRangeProfilerCounterDataImageInitialize");
    find(configure, "cuptiRangeProfilerSetConfig");
    find(start, "cuptiRangeProfilerStart");
    find(stop, "cuptiRangeProfilerStop");
    find(decode, "cuptiRangeProfilerDecodeData");
    find(rangeCount, "cuptiRangeProfilerGetCounterDataInfo");
    find(evaluate, "cuptiProfilerHostEvaluateToGpuValues");
  }
};

HardwareCounters::HardwareCounters(Device &device) : device(device), call(std::make_unique<Functions>()) {}

HardwareCounters::~HardwareCounters() {
  CurrentContext scope(device);
  if (ranges) {
    auto freed = parametersUpTo(&Object::object, Object{ranges});
    call->freeRanges(&freed);
  }
  if (host) {
    auto freed = parametersUpTo(&Object::object, Object{host});
    call->freeHost(&freed);
  }
}

std::span<const HardwareCounter> HardwareCounters::all() { return kCounters; }

Result<void> HardwareCounters::tell(int status, const char *what) const {
  enum { kNoPrivileges = 35, kBusy = 26 }; // of CUPTI
  if (status == 0)
    return {};
  std::string why = "CUPTI cannot " + std::string(what) + " (status " + std::to_string(status) + ")";
  if (status == kNoPrivileges)
    why = "the driver gives them to administrators only; run as root, or load the driver with "
          "NVreg_RestrictProfilingToAdminUsers=0";
  else if (status == kBusy)
    why = "another profiler has them";
  return Error{Status::Environment, why};
}

Result<std::unique_ptr<HardwareCounters>> HardwareCounters::open(Device &device) {
  std::string why;
  Cupti *cupti = Cupti::shared(&why);
  if (!cupti)
    return Error{Status::Environment, why};
  std::unique_ptr<HardwareCounters> self(new HardwareCounters(device));
  self->call->load(cupti->library());
  if (!self->call->missing.empty())
    return Error{Status::Environment, "this CUPTI has no `" + self->call->missing + "`: its version 12.6 or newer has"};
  CurrentContext scope(device);
  if (Result<void> ready = self->configure(); !ready)
    return ready.error();
  return self;
}

Result<void> HardwareCounters::configure() {
  struct {
    size_t size = sizeof(size_t) + sizeof(void *);
    void *reserved = nullptr;
  } nothing;
  if (Result<void> done = tell(call->initialize(&nothing), "begin"); !done)
    return done;
  auto chip = parametersUpTo(&ChipName::name, {size_t(device.ordinal()), nullptr});
  if (Result<void> done = tell(call->chipName(&chip), "name the GPU's chip"); !done)
    return done;
  auto available = parametersUpTo(&Availability::image, {device.context(), 0, nullptr});
  if (Result<void> done = tell(call->availability(&available), "say which counters there are"); !done)
    return done;
  std::vector<uint8_t> image(available.fields.bytes);
  available.fields.image = image.data();
  if (Result<void> done = tell(call->availability(&available), "say which counters there are"); !done)
    return done;
  auto made = parametersUpTo(&HostMade::object, {0, chip.fields.name, image.data(), nullptr});
  if (Result<void> done = tell(call->makeHost(&made), "plan its passes"); !done)
    return done;
  host = made.fields.object;
  std::array<const char *, kCount> names = metricNames();
  auto added = parametersUpTo(&MetricsAdded::count, {host, names.data(), kCount});
  if (Result<void> done = tell(call->addMetrics(&added), "count these on this chip"); !done)
    return done;
  auto size = parametersUpTo(&ConfigSize::bytes, {host, 0});
  if (Result<void> done = tell(call->configSize(&size), "plan its passes"); !done)
    return done;
  config.resize(size.fields.bytes);
  auto written = parametersUpTo(&Config::image, {host, config.size(), config.data()});
  if (Result<void> done = tell(call->config(&written), "plan its passes"); !done)
    return done;
  auto enabled = parametersUpTo(&RangesMade::object, {device.context(), nullptr});
  if (Result<void> done = tell(call->makeRanges(&enabled), "begin to count"); !done)
    return done;
  ranges = enabled.fields.object;
  auto bytes = parametersUpTo(&CountersSize::bytes, {ranges, names.data(), kCount, 1, 1, 0});
  if (Result<void> done = tell(call->countersSize(&bytes), "say how much memory counters take"); !done)
    return done;
  counters.resize(bytes.fields.bytes);
  return {};
}

Result<std::vector<double>> HardwareCounters::count(const std::function<Result<void>()> &launch) {
  CurrentContext scope(device);
  auto cleared = parametersUpTo(&CountersMade::image, {ranges, counters.size(), counters.data()});
  if (Result<void> done = tell(call->makeCounters(&cleared), "clear its counters"); !done)
    return done.error();
  auto config = parametersUpTo(&RangesConfig::level, {ranges, this->config.size(), this->config.data(), counters.size(),
                                                      counters.data(), 1, 2, 1, 1, 1, 0, 0});
  if (Result<void> done = tell(call->configure(&config), "set up a pass"); !done)
    return done.error();
  auto begun = parametersUpTo(&Object::object, Object{ranges});
  if (Result<void> done = tell(call->start(&begun), "begin a pass"); !done)
    return done.error();
  Result<void> launched = launch();
  (void)device.call().contextSynchronize();
  auto ended = parametersUpTo(&Stopped::isDone, {ranges, 0, 0, 0});
  Result<void> stopped = tell(call->stop(&ended), "end a pass");
  if (!launched || !stopped)
    return launched ? stopped.error() : launched.error();
  auto decoded = parametersUpTo(&Decoded::dropped, {ranges, 0});
  if (Result<void> done = tell(call->decode(&decoded), "read what was counted"); !done)
    return done.error();
  auto found = parametersUpTo(&RangeCount::ranges, {counters.data(), counters.size(), 0});
  if (Result<void> done = tell(call->rangeCount(&found), "read what was counted"); !done)
    return done.error();
  if (found.fields.ranges == 0)
    return Error{Status::Environment, "CUPTI has seen no kernel"};
  std::array<const char *, kCount> names = metricNames();
  std::vector<double> values(kCount);
  auto evaluated = parametersUpTo(&Evaluated::values,
                                  {host, counters.data(), counters.size(), 0, names.data(), kCount, values.data()});
  if (Result<void> done = tell(call->evaluate(&evaluated), "evaluate what was counted"); !done)
    return done.error();
  return values;
}

} // namespace nereid::cuda
