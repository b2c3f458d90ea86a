#include "FakeCupti.h"

#include <chrono>
#include <cstring>
#include <deque>
#include <mutex>
#include <vector>

namespace {

// As CUPTI lays them out; the record of a kernel has more behind the name.
struct KernelRecord {
  uint32_t kind = 10;
  uint8_t before[12] = {};
  uint64_t begin = 0, end = 0, completed = 0;
  uint32_t device = 0, context = 1, stream = 0;
  int32_t grid[3] = {1, 1, 1}, block[3] = {128, 1, 1};
  uint32_t memory[4] = {};
  uint32_t correlation = 0;
  int64_t gridId = 0;
  const char *name = nullptr;
  uint64_t behind[9] = {};
};
static_assert(offsetof(KernelRecord, name) == 104);

struct Call {
  uint32_t isEnd = 0;
  const void *before[5] = {};
  uint32_t contextNumber = 1;
  uint64_t *data = nullptr;
  uint32_t correlation = 0;
};
static_assert(offsetof(Call, correlation) == 64);

using Give = void (*)(uint8_t **, size_t *, size_t *);
using Take = void (*)(void *, uint32_t, uint8_t *, size_t, size_t);
using Callback = void (*)(void *, uint32_t, uint32_t, const void *);

struct State {
  std::mutex lock;
  Give give = nullptr;
  Take take = nullptr;
  Callback callback = nullptr;
  void *listener = nullptr;
  std::vector<uint8_t> bytes;
  std::deque<std::string> names;
  uint32_t correlation = 0;
};

State &state() {
  static auto *made = new State;
  return *made;
}

// Of cuLaunchKernel, and of cuGraphLaunch.
constexpr uint32_t kLaunch = 307, kGraphLaunch = 514;

class Control : public nereid::fake::CuptiControl {
public:
  void ran(const std::string &name, uint64_t begin, uint64_t end, uint32_t device, uint32_t stream,
           unsigned kernels) override {
    if (!enabled.contains(10))
      return;
    Call call;
    call.correlation = ++state().correlation;
    uint32_t function = kernels > 1 ? kGraphLaunch : kLaunch;
    if (state().callback && functions.contains(function)) {
      state().callback(state().listener, 1, function, &call);
      call.isEnd = 1;
      state().callback(state().listener, 1, function, &call);
    }
    std::lock_guard guard(state().lock);
    KernelRecord kernel;
    kernel.begin = begin, kernel.end = end, kernel.device = device, kernel.stream = stream;
    kernel.correlation = call.correlation;
    kernel.name = state().names.emplace_back(name).c_str();
    const auto *bytes = reinterpret_cast<const uint8_t *>(&kernel);
    for (unsigned i = 0; i < kernels; ++i)
      state().bytes.insert(state().bytes.end(), bytes, bytes + sizeof kernel);
  }
};

} // namespace

extern "C" {

nereid::fake::CuptiControl *nereidFakeCupti() {
  static auto *made = new Control;
  return made;
}

int cuptiActivityRegisterCallbacks(Give give, Take take) {
  state().give = give, state().take = take;
  return 0;
}

int cuptiActivityEnable(uint32_t kind) {
  nereidFakeCupti()->enabled.insert(kind);
  return nereidFakeCupti()->refusal;
}

int cuptiActivityDisable(uint32_t kind) {
  nereidFakeCupti()->enabled.erase(kind);
  return 0;
}

int cuptiSubscribe(void **subscriber, Callback callback, void *listener) {
  if (state().callback)
    return 39; // one in a process
  state().callback = callback, state().listener = listener;
  *subscriber = &state();
  return 0;
}

int cuptiUnsubscribe(void *) {
  state().callback = nullptr;
  nereidFakeCupti()->functions.clear();
  return 0;
}

int cuptiEnableCallback(uint32_t, void *, uint32_t domain, uint32_t function) {
  if (domain != 1)
    return 1;
  nereidFakeCupti()->functions.insert(function);
  return 0;
}

int cuptiActivityFlushAll(uint32_t) {
  std::vector<uint8_t> bytes;
  {
    std::lock_guard guard(state().lock);
    bytes.swap(state().bytes);
  }
  uint8_t *buffer = nullptr;
  size_t size = 0, records = 0;
  state().give(&buffer, &size, &records);
  if (bytes.size() > size)
    return 1;
  std::memcpy(buffer, bytes.data(), bytes.size());
  state().take(nullptr, 0, buffer, size, bytes.size());
  return 0;
}

int cuptiActivityGetNextRecord(uint8_t *buffer, size_t size, void **record) {
  uint8_t *next = buffer;
  if (*record)
    next = static_cast<uint8_t *>(*record) + sizeof(KernelRecord);
  if (next >= buffer + size)
    return 12;
  *record = next;
  return 0;
}

int cuptiGetTimestamp(uint64_t *time) {
  *time = uint64_t(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1)) + 1'000'000'000;
  return 0;
}

} // extern "C"
