// Waits.cpp: each thread notes its own iterations; only one that has waited for long looks at the others.
#include "runtime/cpu/Waits.h"

#include "runtime/cpu/Kernel.h"

namespace nereid::cpu {

static thread_local Waits::Thread *currentThread = nullptr;

// A thread whose latest iteration is older than this has left its loop and works.
static constexpr auto kTurnTakes = std::chrono::seconds(2);

Waits::Thread::Thread(Waits &waits) : waits(waits), outer(currentThread) {
  std::lock_guard guard(waits.lock);
  place = waits.threads.insert(waits.threads.end(), this);
  currentThread = this;
}

Waits::Thread::~Thread() {
  std::lock_guard guard(waits.lock);
  waits.threads.erase(place);
  currentThread = outer;
}

Waits::Thread *Waits::Thread::current() { return currentThread; }

Waits::Clock::duration Waits::Thread::turn(uint32_t turn) {
  Clock::time_point now = Clock::now();
  Clock::rep count = now.time_since_epoch().count();
  if (turn & kFirstTurn) {
    since.store(count, std::memory_order_relaxed);
    asked = now;
  }
  latest.store(count, std::memory_order_relaxed);
  isOnlyWait.store((turn & kOnlyWait) != 0, std::memory_order_relaxed);
  return Clock::duration(count - since.load(std::memory_order_relaxed));
}

bool Waits::Thread::mayAskForHelp(Clock::duration patience) {
  Clock::time_point now = Clock::now();
  if (now - asked < patience)
    return false;
  asked = now;
  return true;
}

bool Waits::areAllStuck(Clock::duration patience) {
  Clock::rep now = Clock::now().time_since_epoch().count();
  std::lock_guard guard(lock);
  for (const Thread *thread : threads) {
    Clock::duration waited(now - thread->since.load(std::memory_order_relaxed));
    Clock::duration pause(now - thread->latest.load(std::memory_order_relaxed));
    if (!thread->isOnlyWait.load(std::memory_order_relaxed) || waited < patience || pause > kTurnTakes)
      return false;
  }
  return true;
}

} // namespace nereid::cpu
