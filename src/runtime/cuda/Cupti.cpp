// Cupti.cpp: a kernel's record has the number of the call that launched it (its correlation), and CUPTI tells us of these calls when
// they begin: so a kernel finds its launch. Records of all calls would tell the same at ten times the price: torch makes about ten calls
// for each launch.
#include "runtime/cuda/Cupti.h"

#include "runtime/profile/Recorder.h"

#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <dlfcn.h>
#include <memory>
#include <span>

namespace nereid::cuda {

namespace {

// Numbers of CUPTI: the kind of records of kernels that may overlap; to give out buffers that are not full; calls of the driver.
enum : uint32_t { kKernel = 10, kAlsoPartial = 1, kDriverCalls = 1 };
// Those that launch, with their forms for streams of a thread: cuLaunchKernel, cuLaunchCooperativeKernel, cuLaunchKernelEx; cuGraphLaunch.
constexpr uint32_t kLaunches[] = {307, 442, 477, 478, 652, 653}, kGraphLaunches[] = {514, 515};

// The first fields of a kernel's record, which have been the same since CUDA 9.
struct KernelRecord {
  uint32_t kind;
  uint8_t cache, shared;
  uint16_t registers;
  uint32_t cacheAsked, cacheGiven;
  uint64_t begin, end, completed;
  uint32_t device, context, stream;
  int32_t grid[3], block[3];
  int32_t staticShared, dynamicShared;
  uint32_t localBytes, localTotal;
  uint32_t correlation;
  int64_t gridId;
  const char *name;
};
static_assert(offsetof(KernelRecord, begin) == 16 && offsetof(KernelRecord, correlation) == 92 &&
              offsetof(KernelRecord, name) == 104);

// What a callback is told of a call.
struct Call {
  uint32_t isEnd;
  const char *function;
  const void *parameters;
  void *result;
  const char *symbol;
  void *context;
  uint32_t contextNumber;
  uint64_t *data;
  uint32_t correlation;
};
static_assert(offsetof(Call, correlation) == 64);

constexpr size_t kBufferBytes = size_t(1) << 20;

// Buffers go to CUPTI again and again: new memory has to be mapped page by page while a launch waits.
struct Buffers {
  std::mutex lock;
  std::vector<uint8_t *> free;
};

Buffers &buffers() {
  static auto *made = new Buffers;
  return *made;
}

struct Shared {
  std::mutex lock;
  bool wasTried = false;
  Cupti *cupti = nullptr; // lives as long as the process: CUPTI's threads call it
  std::string why, path;
};

Shared &sharedCupti() {
  static auto *made = new Shared;
  return *made;
}

thread_local Cupti::Origin launching; // number 0: nothing of ours

} // namespace

Result<void> Cupti::load() {
  std::string missing;
  auto find = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
    if (!function)
      missing = name;
  };
  find(registerCallbacks, "cuptiActivityRegisterCallbacks");
  find(enable, "cuptiActivityEnable");
  find(disable, "cuptiActivityDisable");
  find(flushAll, "cuptiActivityFlushAll");
  find(nextRecord, "cuptiActivityGetNextRecord");
  find(subscribe, "cuptiSubscribe");
  find(unsubscribe, "cuptiUnsubscribe");
  find(enableCallback, "cuptiEnableCallback");
  find(timestamp, "cuptiGetTimestamp");
  return missing.empty() ? Result<void>() : Error{Status::Environment, "CUPTI has no `" + missing + "`"};
}

Cupti *Cupti::shared(std::string *why) {
  Shared &shared = sharedCupti();
  std::lock_guard guard(shared.lock);
  if (!std::exchange(shared.wasTried, true)) {
    void *library = nullptr;
    if (!shared.path.empty())
      library = dlopen(shared.path.c_str(), RTLD_NOW);
    else
      for (const char *name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so"})
        library = library ? library : dlopen(name, RTLD_NOW);
    auto *made = new Cupti(library);
    Result<void> loaded = library ? made->load() : Error{Status::Environment, "CUPTI cannot be loaded (libcupti.so)"};
    if (loaded)
      shared.cupti = made;
    else
      shared.why = loaded.error().message, delete made;
  }
  if (why)
    *why = shared.why;
  return shared.cupti;
}

Result<void> Cupti::use(const std::string &path) {
  Shared &shared = sharedCupti();
  {
    std::lock_guard guard(shared.lock);
    shared.path = path, shared.wasTried = false, shared.cupti = nullptr, shared.why.clear();
  }
  std::string why;
  return Cupti::shared(&why) ? Result<void>() : Error{Status::Environment, why};
}

Result<void> Cupti::start(Listener told) {
  auto refused = [](const char *what, int status) {
    return Error{Status::Environment, std::string("CUPTI ") + what + " (status " + std::to_string(status) + ")"};
  };
  void *handle = nullptr;
  if (int status = subscribe(&handle, onLaunch, this))
    return refused("has refused to listen: another profiler may", status);
  subscriber = handle, listener = told;
  int status = registerCallbacks(giveBuffer, takeBuffer);
  for (std::span<const uint32_t> functions :
       {std::span<const uint32_t>(kLaunches), std::span<const uint32_t>(kGraphLaunches)})
    for (uint32_t function : functions) // a driver may lack some
      (void)enableCallback(1, subscriber, kDriverCalls, function);
  status = status ? status : enable(kKernel);
  if (!status)
    return {};
  stop();
  return refused("does not record", status);
}

void Cupti::stop() {
  (void)disable(kKernel);
  if (subscriber)
    (void)unsubscribe(std::exchange(subscriber, nullptr));
  std::lock_guard guard(launchLock);
  launched.clear();
}

Cupti::Launching::Launching(uint64_t number, uint32_t thread) { launching = {number, thread}; }
Cupti::Launching::~Launching() { launching = {}; }

uint64_t Cupti::now() const {
  uint64_t time = 0;
  timestamp(&time);
  return time;
}

void Cupti::onLaunch(void *self, uint32_t, uint32_t function, const void *data) {
  Call call;
  std::memcpy(&call, data, sizeof call);
  if (call.isEnd)
    return;
  Origin origin = launching.number ? launching : Origin{profile::innermostScope(), 0};
  if (origin.number)
    static_cast<Cupti *>(self)->noteLaunch(call.correlation, origin,
                                           function == kGraphLaunches[0] || function == kGraphLaunches[1]);
}

void Cupti::noteLaunch(uint32_t correlation, Origin origin, bool isGraph) {
  std::lock_guard guard(launchLock);
  launched.insert_or_assign(correlation, Launched{origin, isGraph});
}

Cupti::Origin Cupti::originOf(uint32_t correlation) {
  std::lock_guard guard(launchLock);
  auto found = launched.find(correlation);
  if (found == launched.end())
    return {};
  Origin origin = found->second.origin;
  if (!found->second.isGraph)
    launched.erase(found);
  return origin;
}

void Cupti::giveBuffer(uint8_t **buffer, size_t *size, size_t *records) {
  *records = 0; // as many as fit
  *size = kBufferBytes;
  Buffers &known = buffers();
  {
    std::lock_guard guard(known.lock);
    if (!known.free.empty()) {
      *buffer = known.free.back();
      known.free.pop_back();
      return;
    }
  }
  *buffer = static_cast<uint8_t *>(std::malloc(kBufferBytes));
  if (!*buffer)
    *size = 0;
}

void Cupti::takeBuffer(void *, uint32_t, uint8_t *buffer, size_t, size_t used) {
  constexpr size_t kMostKept = 16;
  if (Cupti *self = sharedCupti().cupti; self && used)
    self->read(buffer, used);
  Buffers &known = buffers();
  std::lock_guard guard(known.lock);
  if (known.free.size() < kMostKept)
    known.free.push_back(buffer);
  else
    std::free(buffer);
}

// A name of C++ as it was written. Kept: to read the names of torch's kernels takes longer than to run them.
const std::string &Cupti::readable(const char *name) {
  auto [found, isNew] = names.try_emplace(name);
  if (isNew) {
    int status = 0;
    std::unique_ptr<char, decltype(&std::free)> plain(abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
    std::string text = status == 0 && plain ? plain.get() : name;
    constexpr size_t kMost = 200;
    found->second = text.size() > kMost ? text.substr(0, kMost) + "…" : text;
  }
  return found->second;
}

void Cupti::read(uint8_t *buffer, size_t size) {
  std::lock_guard guard(readLock);
  for (void *record = nullptr; nextRecord(buffer, size, &record) == 0;) {
    uint32_t kind = 0;
    std::memcpy(&kind, record, sizeof kind);
    if (kind != kKernel)
      continue;
    KernelRecord kernel;
    std::memcpy(&kernel, record, sizeof kernel);
    bool hasEnded = kernel.begin && kernel.end >= kernel.begin;
    if (listener && hasEnded)
      listener({kernel.begin, kernel.end, kernel.device, kernel.stream, readable(kernel.name ? kernel.name : "?"),
                originOf(kernel.correlation)});
  }
}

void Cupti::flush() { flushAll(kAlsoPartial); }

} // namespace nereid::cuda
