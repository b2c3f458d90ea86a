#include "Interruptible.h"

#include "ForkGate.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace nereid::python {

// The thread that Python started on, or the one that is left after a fork. Only that one hears signals.
static bool isMainThread() {
  thread_local unsigned seen = ~0u;
  thread_local bool isMain = false;
  if (unsigned now = countForks(); now != seen)
    seen = now, isMain = getpid() == syscall(SYS_gettid); // the function came with glibc 2.30
  return isMain;
}

// A single program without loops is over before another thread of Python could begin: letting it costs more than that.
Result<cpu::LaunchReport> launchInterruptibly(const cpu::LoadedKernel &kernel, std::span<const uint64_t> words,
                                              const std::array<uint32_t, 3> &grid, double timeout) {
  if (kernel.isBrief() && uint64_t(grid[0]) * grid[1] * grid[2] == 1)
    return cpu::launch(kernel, words, grid, {});
  Interruptible python;
  cpu::LaunchOptions options{.limits = {timeout, isMainThread() ? &python : nullptr}};
  python.begin();
  Result<cpu::LaunchReport> report = cpu::launch(kernel, words, grid, options);
  python.end();
  return report;
}

} // namespace nereid::python
