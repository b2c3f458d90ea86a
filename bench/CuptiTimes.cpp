// CuptiTimes.cpp: a library that CUDA loads into a program (CUDA_INJECTION64_PATH) and that writes down what CUPTI says of its
// kernels: a line "NANOSECONDS NAME" for each, into the file CUPTI_TIMES, when the program ends. It shares nothing with Nereid.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <initializer_list>

namespace {

// The first fields of CUpti_ActivityKernel, of its forms since CUDA 9.
struct Kernel {
  uint32_t kind;
  uint8_t cacheConfig, sharedConfig;
  uint16_t registers;
  uint32_t cacheRequested, cacheExecuted;
  uint64_t start, end;
  uint8_t rest[72];
  const char *name;
};
static_assert(offsetof(Kernel, start) == 16 && offsetof(Kernel, name) == 104);

constexpr int kKernel = 3, kConcurrentKernel = 10;
constexpr size_t kBytes = size_t(8) << 20;

int (*nextRecord)(uint8_t *buffer, size_t valid, void **record);
int (*flushAll)(uint32_t flags);
std::FILE *out;

void give(uint8_t **buffer, size_t *size, size_t *records) {
  *buffer = static_cast<uint8_t *>(std::aligned_alloc(8, kBytes));
  *size = *buffer ? kBytes : 0;
  *records = 0;
}

void take(void *, uint32_t, uint8_t *buffer, size_t, size_t valid) {
  void *record = nullptr;
  while (valid && nextRecord(buffer, valid, &record) == 0) {
    auto *kernel = static_cast<const Kernel *>(record);
    if (kernel->kind == kKernel || kernel->kind == kConcurrentKernel)
      std::fprintf(out, "%llu %s\n", static_cast<unsigned long long>(kernel->end - kernel->start), kernel->name);
  }
  std::free(buffer);
}

void finish() {
  flushAll(1);
  std::fclose(out);
}

} // namespace

extern "C" int InitializeInjection() {
  const char *path = std::getenv("CUPTI_TIMES");
  out = path ? std::fopen(path, "w") : nullptr;
  void *cupti = nullptr;
  for (const char *name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so"})
    cupti = cupti ? cupti : dlopen(name, RTLD_NOW);
  if (!out || !cupti)
    return 0;
  auto registerCallbacks =
      reinterpret_cast<int (*)(decltype(&give), decltype(&take))>(dlsym(cupti, "cuptiActivityRegisterCallbacks"));
  auto enable = reinterpret_cast<int (*)(int)>(dlsym(cupti, "cuptiActivityEnable"));
  nextRecord = reinterpret_cast<decltype(nextRecord)>(dlsym(cupti, "cuptiActivityGetNextRecord"));
  flushAll = reinterpret_cast<decltype(flushAll)>(dlsym(cupti, "cuptiActivityFlushAll"));
  if (!registerCallbacks || !enable || !nextRecord || !flushAll || registerCallbacks(give, take) ||
      enable(kConcurrentKernel))
    return 0;
  std::atexit(finish);
  return 1;
}
