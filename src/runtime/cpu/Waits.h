// Waits.h: who waits in one launch whose programs wait for each other (locks, flags), and whether anybody still runs.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <list>
#include <mutex>

namespace nereid::cpu {

class Waits {
public:
  using Clock = std::chrono::steady_clock;

  // A thread of the launch is among those counted while this lives.
  class Thread {
  public:
    explicit Thread(Waits &waits);
    ~Thread();
    // The one of the calling thread, or null.
    static Thread *current();
    // An iteration (of WaitTurn). How long the wait has taken.
    Clock::duration turn(uint32_t turn);
    // Whether that is a while since help was last asked for.
    bool mayAskForHelp(Clock::duration patience);

  private:
    friend class Waits;
    Waits &waits;
    Thread *outer;                               // of another launch on the same thread
    std::atomic<Clock::rep> since{0}, latest{0}; // of the wait: its first iteration and its latest one
    std::atomic<bool> isOnlyWait{false};
    Clock::time_point asked;
    std::list<Thread *>::iterator place;
  };

  // Every thread has been in one loop that only waits for at least `patience`, and is in it now: nobody is left to end
  // them.
  bool areAllStuck(Clock::duration patience);

private:
  std::mutex lock;
  std::list<Thread *> threads;
};

} // namespace nereid::cpu
