#include "Interruptible.h"

#include <pthread.h>
#include <unistd.h>

namespace nereid::python {

// The thread that Python started on, or the one that is left after a fork.
bool Interruptible::isMainThread() {
  static std::atomic<unsigned> forks{0};
  static const int handler = pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1); });
  (void)handler;
  thread_local unsigned seen = ~0u;
  thread_local bool isMain = false;
  if (unsigned now = forks.load(std::memory_order_relaxed); now != seen)
    seen = now, isMain = getpid() == gettid();
  return isMain;
}

} // namespace nereid::python
