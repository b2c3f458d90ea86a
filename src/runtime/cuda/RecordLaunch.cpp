#include "runtime/cuda/RecordLaunch.h"

#include "runtime/cuda/Cupti.h"
#include "runtime/cuda/HardwareCounters.h"
#include "runtime/cuda/Stream.h"
#include "runtime/profile/Counters.h"
#include "runtime/profile/Recorder.h"

#include <atomic>
#include <cstdio>
#include <deque>
#include <dlfcn.h>
#include <optional>
#include <set>
#include <unordered_map>

namespace nereid::cuda {

namespace {

std::string streamName(uint64_t stream) {
  char text[40];
  std::snprintf(text, sizeof text, "stream %llx", static_cast<unsigned long long>(stream));
  return text;
}

std::string deviceName(int ordinal) { return "cuda:" + std::to_string(ordinal); }

// A launch whose time is not known yet, between two events.
struct Pending {
  uint64_t id;
  uint32_t thread;
  Device *device;
  driver::Stream stream;
  Event begin, end;
};

// An event whose time the host knows.
struct Anchor {
  Event event;
  profile::Time time;
};

// What waits for its time. Never destroyed: devices may work when the process ends.
struct Times {
  std::mutex lock;
  std::deque<Pending> pending;
  std::unordered_map<Device *, Anchor> anchors;
  std::set<Device *> devices; // where launches went since the last of so many flushes
  std::atomic<uint64_t> flushes{1};
  Cupti *cupti = nullptr; // null: events
};

// Who tells the times. Every launch asks.
enum class Source { Unknown, Cupti, Events };
std::atomic<Source> source{Source::Unknown};
std::atomic<int64_t> clockOffset{0}; // from CUPTI's clock to ours

Times &times() {
  static auto *made = new Times;
  return *made;
}

void addDeviceRecord(uint64_t id, uint64_t scope, uint32_t thread, profile::Time begin, profile::Time end,
                     std::string device, std::string stream, std::string name = {}) {
  profile::Record record{.kind = profile::Record::Kind::Device, .thread = thread, .id = id, .scope = scope};
  record.begin = begin, record.end = end;
  record.device = std::move(device), record.detail = std::move(stream), record.name = std::move(name);
  profile::append(record);
}

// Adds the oldest one. False: it has not ended, or its events cannot be read.
bool resolve(Times &self, Pending &oldest) {
  auto anchor = self.anchors.find(oldest.device);
  Result<bool> isDone = oldest.end.isDone();
  if (anchor == self.anchors.end() || !isDone || !*isDone)
    return false;
  Result<double> before = oldest.begin.secondsSince(anchor->second.event), took = oldest.end.secondsSince(oldest.begin);
  if (!before || !took)
    return false;
  profile::Time begin = anchor->second.time + static_cast<profile::Time>(*before * 1e9);
  profile::Time end = begin + static_cast<profile::Time>(*took * 1e9);
  addDeviceRecord(oldest.id, 0, oldest.thread, begin, end, deviceName(oldest.device->ordinal()),
                  streamName(reinterpret_cast<uint64_t>(oldest.stream)));
  // Differences are floats of milliseconds: near ones are exact.
  self.anchors.erase(anchor);
  self.anchors.emplace(oldest.device, Anchor{std::move(oldest.end), end});
  return true;
}

// Adds all that have ended; with `waits`, all. What cannot be read any more is left out.
void resolvePending(Times &self, bool waits) {
  while (!self.pending.empty()) {
    Pending &oldest = self.pending.front();
    if (waits)
      (void)oldest.end.wait();
    if (!resolve(self, oldest) && !waits)
      return;
    self.pending.pop_front();
  }
}

// Called by CUPTI's threads.
void addKernel(const Cupti::Kernel &kernel) {
  bool isOurs = kernel.origin.thread != 0;
  int64_t offset = clockOffset.load(std::memory_order_relaxed);
  addDeviceRecord(isOurs ? kernel.origin.number : 0, isOurs ? 0 : kernel.origin.number, kernel.origin.thread,
                  static_cast<profile::Time>(kernel.begin) + offset, static_cast<profile::Time>(kernel.end) + offset,
                  deviceName(static_cast<int>(kernel.device)), streamName(kernel.stream),
                  isOurs ? std::string() : kernel.name);
}

void flushTimes() {
  if (Driver::isForked())
    return;
  Times &self = times();
  std::lock_guard guard(self.lock);
  resolvePending(self, true);
  self.anchors.clear(); // a device may be gone before the next session
  if (!self.cupti)
    return;
  for (Device *device : self.devices) {
    CurrentContext scope(*device);
    device->call().contextSynchronize();
  }
  self.devices.clear();
  self.flushes.fetch_add(1, std::memory_order_release);
  self.cupti->flush();
}

void stopTimes() {
  Times &self = times();
  std::lock_guard guard(self.lock);
  source = Source::Unknown;
  if (Cupti *cupti = std::exchange(self.cupti, nullptr); cupti && !Driver::isForked())
    cupti->stop();
}

// From the first launch on, or from the beginning of a session where the driver is there already.
Source startTimes() {
  Times &self = times();
  std::lock_guard guard(self.lock);
  if (source != Source::Unknown)
    return source;
  // Kernels that are counted run several times: CUPTI's records of them say nothing.
  Cupti *cupti = profile::areCountersWanted() ? nullptr : Cupti::shared();
  if (cupti && cupti->start(addKernel)) {
    self.cupti = cupti;
    clockOffset = profile::now() - static_cast<profile::Time>(cupti->now());
  }
  source = self.cupti ? Source::Cupti : Source::Events;
  return source;
}

[[maybe_unused]] const bool isListening = [] {
  profile::addBegin([] {
    if (void *driver = Driver::isForked() ? nullptr : dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD)) {
      dlclose(driver);
      startTimes();
    }
  });
  profile::addFlush(flushTimes);
  profile::addEnd(stopTimes);
  return true;
}();

// The devices of launches are waited for; a thread mostly stays with one.
void noteDevice(Times &self, Device &device) {
  static thread_local Device *last = nullptr;
  static thread_local uint64_t lastFlush = 0;
  uint64_t flush = self.flushes.load(std::memory_order_acquire);
  if (std::exchange(last, &device) == &device && std::exchange(lastFlush, flush) == flush)
    return;
  lastFlush = flush;
  std::lock_guard guard(self.lock);
  self.devices.insert(&device);
}

bool isCapturing(Device &device, driver::Stream stream) {
  driver::CaptureStatus capture = driver::kNotCapturing;
  return device.call().streamIsCapturing(stream, &capture) == driver::kSuccess && capture != driver::kNotCapturing;
}

bool hasAnchor(Times &self, Device &device, driver::Stream stream) {
  if (self.anchors.contains(&device))
    return true;
  Result<Event> event = Event::create(device);
  if (!event || !event->record(stream) || !event->wait())
    return false;
  self.anchors.emplace(&device, Anchor{std::move(*event), profile::now()});
  return true;
}

constexpr size_t kMostPending = 256;

// Launches that the hardware counts, one after the other, each between two waits.
class CountedLaunches {
public:
  // Nothing where it cannot be counted, and has not run. Why not is said once.
  std::optional<Result<void>> launch(profile::Launch &recorded, Device &device, driver::Stream stream,
                                     const std::function<Result<void>()> &plain) {
    std::lock_guard guard(lock);
    if (isCapturing(device, stream))
      return std::nullopt;
    auto [opened, isNew] = counters.try_emplace(&device);
    if (isNew) {
      Result<std::unique_ptr<HardwareCounters>> made = HardwareCounters::open(device);
      opened->second = made ? std::move(*made) : refuse(made.error());
    }
    if (!opened->second)
      return std::nullopt;
    device.call().contextSynchronize();
    std::optional<Result<void>> launched;
    profile::Time begin = profile::now();
    Result<std::vector<double>> counted = opened->second->count([&] { return *(launched = plain()); });
    if (counted) {
      for (size_t i = 0; i < counted->size(); ++i)
        recorded.addMetric(std::string(profile::kCounterPrefix) + HardwareCounters::all()[i].name, (*counted)[i]);
      recorded.ran(begin, begin + static_cast<profile::Time>(counted->front())); // the first one is the time
    } else if (!launched || *launched) {
      refuse(counted.error());
      opened->second.reset();
    }
    return launched;
  }

private:
  static std::unique_ptr<HardwareCounters> refuse(const Error &error) {
    std::fprintf(stderr, "note: hardware counters cannot be read: %s\n", error.message.c_str());
    return nullptr;
  }
  std::mutex lock;
  std::unordered_map<Device *, std::unique_ptr<HardwareCounters>> counters; // null: they cannot be read
};

} // namespace

Result<void> launchRecorded(const LoadedKernel &kernel, std::span<const uint64_t> words,
                            const std::array<uint32_t, 3> &grid, driver::Stream stream, LaunchFlags flags) {
  Device &device = kernel.device();
  flags.isRecorded = true;
  profile::Launch opened(kernel.artifact().name);
  profile::Launch *recorded = profile::Launch::current();
  if (!recorded) // the session has just ended
    return launch(kernel, words, grid, stream, flags);
  recorded->setGrid(deviceName(device.ordinal()), grid, reinterpret_cast<uint64_t>(stream));
  if (!profile::hasSession())
    return launch(kernel, words, grid, stream, flags);
  Times &self = times();
  CurrentContext scope(device);
  if (profile::areCountersWanted()) {
    static auto *counted = new CountedLaunches;
    auto plain = [&] { return launch(kernel, words, grid, stream, flags); };
    if (std::optional<Result<void>> launched = counted->launch(*recorded, device, stream, plain))
      return *launched;
  }
  Source known = source.load(std::memory_order_relaxed);
  if (known == Source::Unknown)
    known = startTimes();
  if (known == Source::Cupti) {
    noteDevice(self, device);
    Cupti::Launching ours(recorded->id(), recorded->thread());
    return launch(kernel, words, grid, stream, flags);
  }
  // Events in a graph that is recorded tell nothing.
  if (isCapturing(device, stream))
    return launch(kernel, words, grid, stream, flags);
  std::lock_guard guard(self.lock);
  Result<Event> begin = Event::create(device), end = Event::create(device);
  bool isTimed = begin && end && hasAnchor(self, device, stream) && begin->record(stream);
  Result<void> launched = launch(kernel, words, grid, stream, flags);
  if (launched && isTimed && end->record(stream))
    self.pending.push_back({recorded->id(), recorded->thread(), &device, stream, std::move(*begin), std::move(*end)});
  if (self.pending.size() > kMostPending)
    resolvePending(self, false);
  return launched;
}

} // namespace nereid::cuda
