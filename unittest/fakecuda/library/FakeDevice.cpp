// FakeDevice.cpp: devices, contexts and memory of the fake driver.
#include "FakeCuda.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <sys/mman.h>

using namespace nereid::fake;
using namespace nereid::cuda::driver;

namespace nereid::fake {

namespace {

// Device memory comes from its own range of addresses, as it does on a machine with a GPU. A process whose memory is limited
// may have more addresses than memory: only what was allocated counts.
struct Arena {
  static constexpr size_t kBytes = size_t(64) << 30, kPage = size_t(2) << 20;
  std::byte *begin = nullptr;
  size_t used = 0, usable = 0;
  std::map<uint64_t, size_t> sizes; // of what is in use
  std::multimap<size_t, uint64_t> unused;
  std::map<uint64_t, size_t> pinned; // of the host, and how many bytes

  Arena() {
    void *memory = mmap(nullptr, kBytes + kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    auto start = reinterpret_cast<uintptr_t>(memory);
    begin = reinterpret_cast<std::byte *>((start + kPage - 1) / kPage * kPage);
  }

  // Bytes that were never in use; none: there are no more.
  std::byte *fresh(size_t bytes) {
    if (bytes > kBytes - used)
      return nullptr;
    size_t end = (used + bytes + kPage - 1) / kPage * kPage;
    if (end > usable && mprotect(begin + usable, end - usable, PROT_READ | PROT_WRITE) != 0)
      return nullptr;
    usable = std::max(usable, end);
    used += bytes;
    return begin + used - bytes;
  }
};
Arena &arena() {
  static auto *instance = new Arena;
  return *instance;
}

thread_local std::vector<Context> contexts;
Context primaryOf(Device device) { return reinterpret_cast<Context>(uintptr_t(0x1000 + device)); }

void readEnvironment(Control &control) {
  const char *text = std::getenv("NEREID_FAKE_CUDA");
  std::istringstream words(text ? text : "");
  for (std::string word; words >> word;) {
    std::string name = word.substr(0, word.find('=')), value = word.substr(word.find('=') + 1);
    int number = std::atoi(value.c_str());
    if (name == "version")
      control.version = number;
    if (name == "devices")
      control.devices = number;
    if (name == "capability")
      control.capability = number;
    if (name == "shared")
      control.maxSharedBytes = number;
    if (name == "quiet")
      control.isQuiet = number;
    if (name == "pools")
      control.hasPools = number;
    if (name == "memory")
      control.memoryBytes = size_t(number) << 20;
    if (name == "kernel")
      control.kernelFails = Status(number);
    if (name == "fail") {
      size_t colon = value.find(':');
      control.failures[value.substr(0, colon)] = {0, Status(std::atoi(value.c_str() + colon + 1))};
    }
  }
}

} // namespace

Control &control() {
  static auto *instance = [] {
    auto *made = new Control;
    readEnvironment(*made);
    return made;
  }();
  return *instance;
}

void Control::reset() {
  std::lock_guard lock(mutex);
  version = 13000, devices = 2, capability = 90, maxSharedBytes = 232448, maxThreads = 1024;
  registers = 32, functionMaxThreads = 1024, hasPools = true, sharesPages = false, memoryBytes = size_t(256) << 20;
  failures.clear(), ptxLog.clear(), kernelFails = kSuccess, run = nullptr, sticky = kSuccess;
  calls.clear(), launches.clear(), tensorMaps.clear();
}

Status Control::enter(const char *function) {
  if (isQuiet)
    return kSuccess;
  std::lock_guard lock(mutex);
  ++calls[function];
  auto found = failures.find(function);
  if (found != failures.end() && found->second.after-- <= 0)
    return found->second.status;
  bool isAsked = std::strncmp(function, "cuCtxGet", 8) == 0 || std::strncmp(function, "cuCtxP", 6) == 0;
  return isAsked ? kSuccess : sticky;
}

bool isDeviceAddress(uint64_t address) {
  auto begin = reinterpret_cast<uint64_t>(arena().begin);
  return address >= begin && address < begin + Arena::kBytes;
}

std::pair<uint64_t, uint64_t> memoryAround(uint64_t address) {
  std::lock_guard lock(control().mutex);
  for (const std::map<uint64_t, size_t> *each : {&arena().sizes, &arena().pinned})
    if (auto next = each->upper_bound(address); next != each->begin())
      if (auto [begin, bytes] = *std::prev(next); address < begin + bytes)
        return {begin, begin + bytes};
  return {};
}

static Status allocate(Address *address, size_t bytes) {
  std::lock_guard lock(control().mutex);
  bytes = (bytes + 255) / 256 * 256;
  if (control().allocated + bytes > control().memoryBytes)
    return kOutOfMemory;
  auto known = arena().unused.find(bytes);
  if (known != arena().unused.end()) {
    *address = known->second;
    arena().unused.erase(known);
  } else if (std::byte *memory = arena().fresh(bytes)) {
    *address = reinterpret_cast<Address>(memory);
  } else {
    return kOutOfMemory; // what was freed is not joined
  }
  std::memset(reinterpret_cast<void *>(*address), 0xcd, bytes); // what was there before
  arena().sizes[*address] = bytes;
  control().allocated += bytes;
  return kSuccess;
}

static Status release(Address address) {
  std::lock_guard lock(control().mutex);
  auto found = arena().sizes.find(address);
  if (found == arena().sizes.end())
    return kInvalidValue;
  control().allocated -= found->second;
  arena().unused.emplace(found->second, address);
  arena().sizes.erase(found);
  return kSuccess;
}

} // namespace nereid::fake

// Everything below is the driver's own interface: exported, with C names.
#pragma GCC visibility push(default)
extern "C" {

Control *nereidFakeCuda() { return &control(); }

Status cuInit(uint32_t) {
  if (Status status = control().enter("cuInit"))
    return status;
  return control().devices ? kSuccess : kNoDevice;
}
Status cuDriverGetVersion(int32_t *version) { return *version = control().version, kSuccess; }
Status cuGetErrorName(Status status, const char **text) {
  switch (status) {
  case kIllegalAddress: *text = "CUDA_ERROR_ILLEGAL_ADDRESS"; break;
  case kOutOfMemory: *text = "CUDA_ERROR_OUT_OF_MEMORY"; break;
  case kLaunchFailed: *text = "CUDA_ERROR_LAUNCH_FAILED"; break;
  default: *text = "CUDA_ERROR_OTHER"; break;
  }
  return kSuccess;
}
Status cuGetErrorString(Status status, const char **text) {
  *text = status == kIllegalAddress ? "an illegal memory access was encountered"
          : status == kOutOfMemory  ? "out of memory"
                                    : "something else";
  return kSuccess;
}

Status cuDeviceGetCount(int32_t *count) { return *count = control().devices, control().enter("cuDeviceGetCount"); }
Status cuDeviceGet(Device *device, int32_t ordinal) {
  *device = ordinal;
  return ordinal < control().devices ? control().enter("cuDeviceGet") : kInvalidDevice;
}
Status cuDeviceGetName(char *name, int32_t length, Device) {
  std::strncpy(name, "Fake GPU", size_t(length));
  return control().enter("cuDeviceGetName");
}
Status cuDeviceGetAttribute(int32_t *value, DeviceAttribute which, Device) {
  switch (which) {
  case kMaxThreadsPerBlock: *value = control().maxThreads; break;
  case kWarpSize: *value = 32; break;
  case kClockRate: *value = 1980000; break;
  case kMultiprocessorCount: *value = 100; break;
  case kMemoryClockRate: *value = 3201000; break;
  case kMemoryBusWidth: *value = 6144; break;
  case kL2CacheSize: *value = 60 << 20; break;
  case kCapabilityMajor: *value = control().capability / 10; break;
  case kCapabilityMinor: *value = control().capability % 10; break;
  case kMaxSharedPerBlockOptin: *value = control().maxSharedBytes; break;
  case kMemoryPoolsSupported: *value = control().hasPools; break;
  default: return kInvalidValue;
  }
  return control().enter("cuDeviceGetAttribute");
}
Status cuDeviceTotalMem_v2(size_t *bytes, Device) {
  *bytes = control().memoryBytes;
  return control().enter("cuDeviceTotalMem_v2");
}

Status cuDevicePrimaryCtxRetain(Context *context, Device device) {
  if (Status status = control().enter("cuDevicePrimaryCtxRetain"))
    return status;
  return *context = primaryOf(device), kSuccess;
}
Status cuCtxGetCurrent(Context *context) {
  *context = contexts.empty() ? nullptr : contexts.back();
  return control().enter("cuCtxGetCurrent");
}
Status cuCtxSetCurrent(Context context) {
  if (contexts.empty())
    contexts.push_back(context);
  contexts.back() = context;
  return control().enter("cuCtxSetCurrent");
}
Status cuCtxPushCurrent_v2(Context context) {
  return contexts.push_back(context), control().enter("cuCtxPushCurrent_v2");
}
Status cuCtxPopCurrent_v2(Context *context) {
  if (contexts.empty())
    return kInvalidContext;
  *context = contexts.back();
  contexts.pop_back();
  return control().enter("cuCtxPopCurrent_v2");
}
Status cuCtxGetDevice(Device *device) {
  if (contexts.empty())
    return kInvalidContext;
  *device = Device(reinterpret_cast<uintptr_t>(contexts.back()) & 0xf);
  return control().enter("cuCtxGetDevice");
}

Status cuMemGetInfo_v2(size_t *left, size_t *total) {
  *total = control().memoryBytes;
  *left = control().memoryBytes - control().allocated;
  return control().enter("cuMemGetInfo_v2");
}
Status cuMemAlloc_v2(Address *address, size_t bytes) {
  if (Status status = control().enter("cuMemAlloc_v2"))
    return status;
  return allocate(address, bytes);
}
Status cuMemFree_v2(Address address) {
  control().enter("cuMemFree_v2");
  return release(address);
}
Status cuMemAllocFromPoolAsync(Address *address, size_t bytes, MemoryPool pool, Stream) {
  if (Status status = control().enter("cuMemAllocFromPoolAsync"))
    return status;
  return pool ? allocate(address, bytes) : kInvalidValue;
}
Status cuMemFreeAsync(Address address, Stream) {
  control().enter("cuMemFreeAsync");
  return release(address);
}
Status cuMemPoolCreate(MemoryPool *pool, const PoolProperties *) {
  *pool = reinterpret_cast<MemoryPool>(uintptr_t(0x77));
  return control().enter("cuMemPoolCreate");
}
Status cuMemPoolDestroy(MemoryPool) { return control().enter("cuMemPoolDestroy"); }
Status cuMemPoolSetAttribute(MemoryPool, PoolAttribute, void *) { return control().enter("cuMemPoolSetAttribute"); }
Status cuMemPoolTrimTo(MemoryPool, size_t) { return control().enter("cuMemPoolTrimTo"); }

Status cuMemHostAlloc(void **memory, size_t bytes, uint32_t) {
  if (Status status = control().enter("cuMemHostAlloc"))
    return status;
  *memory = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  arena().pinned[reinterpret_cast<uint64_t>(*memory)] = bytes;
  return kSuccess;
}
Status cuMemFreeHost(void *memory) {
  arena().pinned.erase(reinterpret_cast<uint64_t>(memory));
  std::free(memory);
  return control().enter("cuMemFreeHost");
}
Status cuMemHostRegister_v2(void *memory, size_t bytes, uint32_t) {
  arena().pinned[reinterpret_cast<uint64_t>(memory)] = bytes;
  return control().enter("cuMemHostRegister_v2");
}
Status cuMemHostUnregister(void *memory) {
  arena().pinned.erase(reinterpret_cast<uint64_t>(memory));
  return control().enter("cuMemHostUnregister");
}
Status cuPointerGetAttributes(uint32_t count, PointerAttribute *which, void **values, Address address) {
  if (Status status = control().enter("cuPointerGetAttributes"))
    return status;
  bool isPinned = arena().pinned.contains(address), isKnown = isDeviceAddress(address) || isPinned;
  bool isSeen = isKnown || control().sharesPages;
  for (uint32_t i = 0; i < count; ++i) {
    uint64_t answer = 0;
    if (which[i] == kPointerDevicePointer)
      answer = isSeen ? address : 0;
    if (which[i] == kPointerRangeSize)
      answer = isKnown ? 4096 : 0;
    if (which[i] == kPointerMemoryType)
      answer = isDeviceAddress(address) ? kMemoryDevice : isSeen ? kMemoryHost : 0;
    bool isWide = which[i] == kPointerDevicePointer || which[i] == kPointerRangeSize;
    std::memcpy(values[i], &answer, isWide ? 8 : 4);
  }
  return kSuccess;
}

} // extern "C"
#pragma GCC visibility pop
