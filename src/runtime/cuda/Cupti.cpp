// Cupti.cpp: records come in buffers that CUPTI fills: one of each kernel, and one of each call of the driver that had a number on its
// thread's stack, by which the two find each other.
#include "runtime/cuda/Cupti.h"

#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <dlfcn.h>
#include <memory>

namespace nereid::cuda {

namespace {

// Numbers of CUPTI: kinds of records; the kind of our numbers; to give out buffers that are not full.
enum : uint32_t { kDriverCall = 4, kRuntimeCall = 5, kKernel = 10, kNumber = 39 };
enum : uint32_t { kOurNumbers = 3, kAlsoPartial = 1 };

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

struct NumberRecord {
  uint32_t kind, numberKind;
  uint64_t number;
  uint32_t correlation, reserved;
};

constexpr size_t kBufferBytes = size_t(1) << 20;

// A name of C++ as it was written, without its arguments.
std::string readable(const char *name) {
  int status = 0;
  std::unique_ptr<char, decltype(&std::free)> plain(abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
  std::string text = status == 0 && plain ? plain.get() : name;
  constexpr size_t kMost = 200;
  return text.size() > kMost ? text.substr(0, kMost) + "…" : text;
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

} // namespace

Result<void> Cupti::load(void *library) {
  std::string missing;
  auto find = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (!function)
      missing = name;
  };
  find(registerCallbacks, "cuptiActivityRegisterCallbacks");
  find(enable, "cuptiActivityEnable");
  find(flushAll, "cuptiActivityFlushAll");
  find(nextRecord, "cuptiActivityGetNextRecord");
  find(pushNumber, "cuptiActivityPushExternalCorrelationId");
  find(popNumber, "cuptiActivityPopExternalCorrelationId");
  find(timestamp, "cuptiGetTimestamp");
  if (!missing.empty())
    return Error{Status::Environment, "CUPTI has no `" + missing + "`"};
  if (int status = registerCallbacks(giveBuffer, takeBuffer))
    return Error{Status::Environment, "CUPTI has refused to listen (status " + std::to_string(status) + ")"};
  for (uint32_t kind : {kNumber, kDriverCall, kRuntimeCall, kKernel})
    if (int status = enable(kind))
      return Error{Status::Environment, "CUPTI does not record (status " + std::to_string(status) + ")"};
  return {};
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
    auto *made = new Cupti;
    shared.cupti = made; // the callbacks ask for it
    Result<void> loaded =
        library ? made->load(library) : Error{Status::Environment, "CUPTI cannot be loaded (libcupti.so)"};
    if (!loaded)
      shared.cupti = nullptr, shared.why = loaded.error().message;
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

void Cupti::push(uint64_t number) { pushNumber(kOurNumbers, number); }

void Cupti::pop() {
  uint64_t last = 0;
  popNumber(kOurNumbers, &last);
}

uint64_t Cupti::now() const {
  uint64_t time = 0;
  timestamp(&time);
  return time;
}

void Cupti::giveBuffer(uint8_t **buffer, size_t *size, size_t *records) {
  *buffer = static_cast<uint8_t *>(std::malloc(kBufferBytes));
  *size = *buffer ? kBufferBytes : 0;
  *records = 0; // as many as fit
}

void Cupti::takeBuffer(void *, uint32_t, uint8_t *buffer, size_t, size_t used) {
  if (Cupti *self = sharedCupti().cupti)
    self->read(buffer, used);
  std::free(buffer);
}

void Cupti::read(uint8_t *buffer, size_t size) {
  std::lock_guard guard(lock);
  for (void *record = nullptr; nextRecord(buffer, size, &record) == 0;) {
    uint32_t kind = 0;
    std::memcpy(&kind, record, sizeof kind);
    if (kind == kKernel) {
      KernelRecord kernel;
      std::memcpy(&kernel, record, sizeof kernel);
      ended.push_back(
          {{kernel.begin, kernel.end, kernel.device, kernel.stream, readable(kernel.name ? kernel.name : "?"), 0},
           kernel.correlation});
    } else if (kind == kNumber) {
      NumberRecord number;
      std::memcpy(&number, record, sizeof number);
      if (number.numberKind == kOurNumbers)
        numbers[number.correlation] = number.number;
    }
  }
}

std::vector<Cupti::Kernel> Cupti::take() {
  flushAll(kAlsoPartial);
  std::lock_guard guard(lock);
  std::vector<Kernel> result;
  for (Ended &each : ended) {
    auto number = numbers.find(each.correlation);
    each.kernel.number = number == numbers.end() ? 0 : number->second;
    result.push_back(std::move(each.kernel));
  }
  ended.clear();
  numbers.clear();
  return result;
}

} // namespace nereid::cuda
