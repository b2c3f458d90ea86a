// Cores.cpp: affinity and control groups.
#include "runtime/cpu/Cores.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace nereid::cpu {

static unsigned affinityCores() {
  // The plain set holds 1024 processors: a larger machine refuses it.
  for (size_t sets = 1; sets <= 64; sets *= 2) {
    std::vector<cpu_set_t> set(sets);
    if (sched_getaffinity(0, sets * sizeof(cpu_set_t), set.data()) == 0)
      return unsigned(std::max(CPU_COUNT_S(sets * sizeof(cpu_set_t), set.data()), 1));
  }
  return unsigned(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L));
}

static std::string readText(const std::string &path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

unsigned coresOfQuota(const char *text) {
  char *end = nullptr;
  long quota = std::strtol(text, &end, 10);
  long period = end == text ? 0 : std::strtol(end, nullptr, 10);
  if (quota <= 0 || period <= 0)
    return 0;
  return unsigned(std::min((quota + period - 1) / period, 1L << 16));
}

// The smallest quota from the group of this process up to the root.
static unsigned quotaCores() {
  unsigned cores = 0;
  auto add = [&](unsigned limit) { cores = limit && (!cores || limit < cores) ? limit : cores; };
  std::string groups = readText("/proc/self/cgroup"), group;
  if (size_t at = groups.find("0::"); at != std::string::npos)
    group = groups.substr(at + 3, groups.find('\n', at) - at - 3);
  while (!group.empty()) {
    add(coresOfQuota(readText("/sys/fs/cgroup" + (group == "/" ? "" : group) + "/cpu.max").c_str()));
    group = group == "/" ? "" : group.substr(0, std::max<size_t>(group.rfind('/'), 1));
  }
  // Version 1.
  std::string quota = readText("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
  add(coresOfQuota((quota + " " + readText("/sys/fs/cgroup/cpu/cpu.cfs_period_us")).c_str()));
  return cores;
}

unsigned availableCores() {
  static const unsigned cores = [] {
    unsigned affinity = affinityCores(), quota = quotaCores();
    return quota ? std::min(affinity, quota) : affinity;
  }();
  return cores;
}

} // namespace nereid::cpu
