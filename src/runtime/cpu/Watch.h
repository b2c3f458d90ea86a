// Watch.h: what may end a launch before its programs have: a time limit, a call from another thread, the program around
// it (Python's Ctrl-C). Compiled code looks at one word in its loops and before each program; only when that is not 0 it
// asks here.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

namespace nereid::cpu {

struct LaunchState;

// The program around launches, where it wants to be asked while one runs for long.
class Host {
public:
  virtual ~Host() = default;
  // Around the run of a launch that is made for it: other threads may go on meanwhile.
  virtual void begin() {}
  virtual void end() {}
  // About fifty times a second, on the thread that launched. False: the launch ends.
  virtual bool goesOn() = 0;
};

struct Limits {
  double timeout = 0; // in seconds; 0: none
  Host *host = nullptr;
};

// Why a launch ended early.
enum class Cause : uint8_t { None, Interrupted, TimedOut };

// "the launch was interrupted", "the launch took longer than 0.5 s".
std::string describe(Cause cause, double timeout);

// Ends all launches that run in this process now, on the CPU and on the interpreter. A signal handler may call it.
void interruptLaunches();

struct WatchRecord;

// One launch while it runs, on the thread that made it.
class Watch {
public:
  explicit Watch(const Limits &limits);
  ~Watch();
  Watch(const Watch &) = delete;

  // Lives on after the launch, so that others may ask for attention whenever they like.
  LaunchState &state();
  // For whoever has found kLook in the state, on any thread of the launch. False: the launch ends.
  bool goesOn();
  // The launching thread has nothing to do but wait for others.
  bool mayWait() const { return limits.host || limits.timeout > 0; }
  Cause cause() const { return why.load(std::memory_order_relaxed); }

private:
  using Clock = std::chrono::steady_clock;
  bool end(Cause cause);

  const Limits &limits;
  WatchRecord &record;
  uint64_t sequence;
  Clock::time_point deadline;
  std::atomic<Cause> why{Cause::None};
};

// How often the host is asked, and time limits are looked at.
inline constexpr auto kWatchPeriod = std::chrono::milliseconds(20);

} // namespace nereid::cpu
