#include "runtime/cuda/RecordLaunch.h"

#include "runtime/cuda/Cupti.h"
#include "runtime/cuda/Stream.h"
#include "runtime/profile/Recorder.h"

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
  // With CUPTI: the threads of launches, and where launches went.
  std::unordered_map<uint64_t, uint32_t> launches;
  std::set<Device *> devices;
  Cupti *cupti = nullptr; // null: events
  int64_t offset = 0;     // from CUPTI's clock to ours
};

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

void takeFromCupti(Times &self, Cupti &cupti) {
  for (Device *device : self.devices) {
    CurrentContext scope(*device);
    device->call().contextSynchronize();
  }
  for (Cupti::Kernel &kernel : cupti.take()) {
    auto launch = self.launches.find(kernel.number);
    bool isOurs = launch != self.launches.end();
    addDeviceRecord(isOurs ? kernel.number : 0, isOurs ? 0 : kernel.number, isOurs ? launch->second : 0,
                    static_cast<profile::Time>(kernel.begin) + self.offset,
                    static_cast<profile::Time>(kernel.end) + self.offset, deviceName(static_cast<int>(kernel.device)),
                    streamName(kernel.stream), isOurs ? std::string() : kernel.name);
  }
  self.launches.clear();
  self.devices.clear();
}

void flushTimes() {
  if (Driver::isForked())
    return;
  Times &self = times();
  std::lock_guard guard(self.lock);
  resolvePending(self, true);
  self.anchors.clear(); // a device may be gone before the next session
  if (self.cupti)
    takeFromCupti(self, *self.cupti);
}

// CUPTI from the first launch on, or from the beginning of a session where the driver is there already.
Cupti *startedCupti() {
  static const bool isFlushed = [] {
    profile::addFlush(flushTimes);
    return true;
  }();
  (void)isFlushed;
  Cupti *found = Cupti::shared();
  Times &self = times();
  std::lock_guard guard(self.lock);
  if (std::exchange(self.cupti, found) == found || !found)
    return found;
  self.offset = profile::now() - static_cast<profile::Time>(found->now());
  profile::listenToScopes(
      [](uint64_t scope) {
        if (Cupti *cupti = Cupti::shared())
          cupti->push(scope);
      },
      [] {
        if (Cupti *cupti = Cupti::shared())
          cupti->pop();
      });
  return found;
}

[[maybe_unused]] const bool isListening = [] {
  profile::addBegin([] {
    if (void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD)) {
      dlclose(driver);
      startedCupti();
    }
  });
  return true;
}();

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
  Times &self = times();
  CurrentContext scope(device);
  if (Cupti *cupti = startedCupti()) {
    {
      std::lock_guard guard(self.lock);
      self.launches[recorded->id()] = recorded->thread();
      self.devices.insert(&device);
    }
    cupti->push(recorded->id());
    Result<void> launched = launch(kernel, words, grid, stream, flags);
    cupti->pop();
    return launched;
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
