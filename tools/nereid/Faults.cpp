#include "Faults.h"

#include <csignal>
#include <cstring>
#include <unistd.h>

namespace nereid::tool {

static void report(int) {
  // Only what a signal handler may call.
  constexpr char kText[] = "error: the kernel touched memory that belongs to no tensor\n"
                           "note: `nereid check` with the same arguments finds the access and its line\n";
  [[maybe_unused]] ssize_t written = write(STDERR_FILENO, kText, std::strlen(kText));
  _exit(1);
}

void reportFaults() {
  struct sigaction action = {};
  action.sa_handler = report;
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);
}

} // namespace nereid::tool
