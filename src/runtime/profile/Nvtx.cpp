// Nvtx.cpp: how a tool's library gets at our ranges: it is loaded, given a table of slots for functions, and writes its own into
// those that it wants. This is the program's side of NVTX 3, of which push and pop are used.
#include "runtime/profile/Nvtx.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <iterator>

namespace nereid::profile {

namespace {

using Function = void (*)();
using Push = int (*)(const char *);
using Pop = int (*)();

// Numbers of NVTX: the table of tables, the version; two functions of the first module.
enum : uint32_t { kCallbacksTable = 1, kVersionTable = 3, kVersion = 3 };
enum : uint32_t { kCoreModule = 1, kRangePushA = 9, kRangePop = 11 };
// How many functions each module has; the first number of each stands for none.
constexpr uint32_t kCounts[] = {0, 16, 9, 15, 7, 16, 7};
constexpr uint32_t kModules = std::size(kCounts), kMostFunctions = 16;

Function functions[kModules][kMostFunctions] = {};
// One pointer to each slot; a list ends with a null pointer.
Function *slots[kModules][kMostFunctions + 1] = {};

int functionsOf(uint32_t module, Function ***table, uint32_t *size) {
  if (module == 0 || module >= kModules)
    return 0;
  if (table)
    *table = slots[module];
  if (size)
    *size = kCounts[module];
  return 1;
}

struct Callbacks {
  size_t size;
  int (*functionsOf)(uint32_t module, Function ***table, uint32_t *size);
};

struct Version {
  size_t size;
  uint32_t version, reserved;
  void (*setToolVersion)(uint32_t);
};

const void *tableOf(uint32_t which) {
  static const Callbacks callbacks{sizeof(Callbacks), functionsOf};
  static const Version version{sizeof(Version), kVersion, 0, [](uint32_t) {}};
  return which == kCallbacksTable ? static_cast<const void *>(&callbacks) : which == kVersionTable ? &version : nullptr;
}

bool loadTool() {
  const char *path = std::getenv("NVTX_INJECTION64_PATH");
  void *library = path && *path ? dlopen(path, RTLD_LAZY) : nullptr;
  if (!library)
    return false;
  using Initialize = int (*)(const void *(*tableOf)(uint32_t));
  auto initialize = reinterpret_cast<Initialize>(dlsym(library, "InitializeInjectionNvtx2"));
  for (uint32_t module = 1; module < kModules; ++module)
    for (uint32_t i = 1; i < kCounts[module]; ++i)
      slots[module][i] = &functions[module][i];
  const Function *core = functions[kCoreModule];
  return initialize && initialize(tableOf) != 0 && core[kRangePushA] && core[kRangePop];
}

} // namespace

bool hasNvtx() {
  static const bool isThere = loadTool();
  return isThere;
}

void pushNvtxRange(const char *name) {
  if (hasNvtx())
    reinterpret_cast<Push>(functions[kCoreModule][kRangePushA])(name);
}

void popNvtxRange() {
  if (hasNvtx())
    reinterpret_cast<Pop>(functions[kCoreModule][kRangePop])();
}

} // namespace nereid::profile
