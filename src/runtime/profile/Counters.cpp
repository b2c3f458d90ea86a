#include "runtime/profile/Counters.h"

#include <atomic>
#include <dlfcn.h>
#include <fstream>
#include <unistd.h>

namespace nereid::profile {

namespace {

// What the kernel module of the driver was told when it was loaded.
bool isForAdministrators() {
  std::ifstream file("/proc/driver/nvidia/params");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("RmProfilingAdminOnly:"))
      return line.find('1') != std::string::npos;
  return false;
}

bool canLoad(const char *library) {
  void *loaded = dlopen(library, RTLD_LAZY);
  if (loaded)
    dlclose(loaded);
  return loaded != nullptr;
}

std::atomic<bool> isWanted{false};

} // namespace

void wantCounters(bool areWanted) { isWanted.store(areWanted, std::memory_order_relaxed); }
bool areCountersWanted() { return isWanted.load(std::memory_order_relaxed); }

std::string whyNoCounters() {
  if (access("/dev/nvidiactl", F_OK) != 0)
    return "there is no NVIDIA GPU in this machine (no /dev/nvidiactl)";
  if (isForAdministrators() && geteuid() != 0)
    return "the driver gives them to administrators only (RmProfilingAdminOnly is 1 in /proc/driver/nvidia/params); "
           "run as root, or load the driver with NVreg_RestrictProfilingToAdminUsers=0";
  if (!canLoad("libcupti.so.13") && !canLoad("libcupti.so.12") && !canLoad("libcupti.so"))
    return "CUPTI, which reads them, cannot be loaded: libcupti.so is in no folder of LD_LIBRARY_PATH";
  return {};
}

} // namespace nereid::profile
