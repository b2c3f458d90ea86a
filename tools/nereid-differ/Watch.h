// Watch.h: whether a process has run too long. Its own processor time counts, so that a busy machine makes no findings;
// for one that sleeps for ever there is a wider limit on the clock.
#pragma once

#include <chrono>
#include <ctime>
#include <sys/types.h>

namespace nereid::differ {

class Watch {
public:
  Watch() = default;
  explicit Watch(pid_t process) : process(process), processorStart(processorSeconds()), start(Clock::now()) {}

  bool isOver(double limit) const {
    std::chrono::duration<double> waited = Clock::now() - start;
    return processorSeconds() - processorStart > limit || waited.count() > 20 * limit;
  }

private:
  using Clock = std::chrono::steady_clock;

  double processorSeconds() const {
    clockid_t clock;
    timespec time{};
    if (clock_getcpuclockid(process, &clock) || clock_gettime(clock, &time))
      return 0;
    return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
  }

  pid_t process = 0;
  double processorStart = 0;
  Clock::time_point start;
};

} // namespace nereid::differ
