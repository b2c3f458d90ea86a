// PerfMap.cpp: appends to perf's map of this process.
#include "runtime/cpu/PerfMap.h"

#include <fcntl.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace nereid::cpu {

bool wantsPerfMap() {
  static const bool isWanted = [] {
    const char *text = std::getenv("NEREID_LOG");
    return text && ("," + std::string(text) + ",").find(",perf,") != std::string::npos;
  }();
  return isWanted;
}

void addToPerfMap(const void *address, size_t size, std::string_view name) {
  // /tmp is open to everyone: never through a link that someone else has put there.
  std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0)
    return; // a missing name is no reason to fail a launch
  char head[64];
  std::snprintf(head, sizeof(head), "%" PRIxPTR " %zx ", reinterpret_cast<uintptr_t>(address), size);
  std::string line = head + std::string(name) + "\n";
  // One write, so that lines of several threads do not mix.
  [[maybe_unused]] ssize_t written = write(file, line.data(), line.size());
  close(file);
}

} // namespace nereid::cpu
