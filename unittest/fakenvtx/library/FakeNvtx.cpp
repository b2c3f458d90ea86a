// FakeNvtx.cpp: a tool that listens to NVTX ranges, for tests: it writes them to standard error.
#include <cstdint>
#include <cstdio>

namespace {

int depth = 0;

int push(const char *name) {
  std::fprintf(stderr, "nvtx %d: %s\n", depth++, name);
  return depth - 1;
}

int pop() { return --depth; }

using Function = void (*)();
struct Callbacks {
  size_t size;
  int (*functionsOf)(uint32_t module, Function ***table, uint32_t *size);
};

} // namespace

// What a program calls when it first has a range. The first module has plain ranges: its ninth function is push, its eleventh pop.
extern "C" int InitializeInjectionNvtx2(const void *(*tableOf)(uint32_t)) {
  const auto *callbacks = static_cast<const Callbacks *>(tableOf(1));
  Function **table = nullptr;
  uint32_t size = 0;
  if (!callbacks || callbacks->size < sizeof(Callbacks) || !callbacks->functionsOf(1, &table, &size) || size != 16 ||
      table[16])
    return 0;
  if (callbacks->functionsOf(99, &table, &size) != 0 || !callbacks->functionsOf(5, &table, &size) || tableOf(2))
    return 0;
  callbacks->functionsOf(1, &table, &size);
  *table[9] = reinterpret_cast<Function>(push);
  *table[11] = reinterpret_cast<Function>(pop);
  return 1;
}
