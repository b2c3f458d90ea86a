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

struct NumberRecord {
  uint32_t kind = 39, numberKind = 3;
  uint64_t number = 0;
  uint32_t correlation = 0, reserved = 0;
};

using Give = void (*)(uint8_t **, size_t *, size_t *);
using Take = void (*)(void *, uint32_t, uint8_t *, size_t, size_t);

struct State {
  std::mutex lock;
  Give give = nullptr;
  Take take = nullptr;
  std::vector<uint8_t> bytes;
  std::deque<std::string> names;
  uint32_t correlation = 0;
};

State &state() {
  static auto *made = new State;
  return *made;
}

thread_local std::vector<uint64_t> pushed;

template <class Record> void add(const Record &record) {
  const auto *begin = reinterpret_cast<const uint8_t *>(&record);
  state().bytes.insert(state().bytes.end(), begin, begin + sizeof record);
}

class Control : public nereid::fake::CuptiControl {
public:
  void ran(const std::string &name, uint64_t begin, uint64_t end, uint32_t device, uint32_t stream) override {
    std::lock_guard guard(state().lock);
    KernelRecord kernel;
    kernel.begin = begin, kernel.end = end, kernel.device = device, kernel.stream = stream;
    kernel.correlation = ++state().correlation;
    kernel.name = state().names.emplace_back(name).c_str();
    add(kernel); // what it was launched with may come behind it
    if (pushed.empty())
      return;
    NumberRecord number;
    number.number = pushed.back(), number.correlation = kernel.correlation;
    add(number);
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
  if (*record) {
    uint32_t kind = 0;
    std::memcpy(&kind, *record, sizeof kind);
    next = static_cast<uint8_t *>(*record) + (kind == 39 ? sizeof(NumberRecord) : sizeof(KernelRecord));
  }
  if (next >= buffer + size)
    return 12;
  *record = next;
  return 0;
}

int cuptiActivityPushExternalCorrelationId(uint32_t, uint64_t number) {
  pushed.push_back(number);
  return 0;
}

int cuptiActivityPopExternalCorrelationId(uint32_t, uint64_t *number) {
  if (pushed.empty())
    return 1;
  *number = pushed.back();
  pushed.pop_back();
  return 0;
}

int cuptiGetTimestamp(uint64_t *time) {
  *time = uint64_t(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1)) + 1'000'000'000;
  return 0;
}

} // extern "C"
