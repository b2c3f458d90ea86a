// ThreadPool.cpp: workers look for a job, then spin for a moment, then sleep until the next one is announced.
//
// A job stands on its caller's stack and in a list under one lock. The caller never waits for a worker to arrive, only
// for those that have: with all workers busy elsewhere, it does everything itself.
#include "runtime/cpu/ThreadPool.h"

#include "runtime/cpu/Watch.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace nereid::cpu {

// Longer than the gap between launches of a busy program, shorter than what waking a thread costs many times over.
static constexpr auto kSpinTime = std::chrono::microseconds(30);
// Against a mistyped option; more threads than cores only take iterations.
static constexpr unsigned kMaximumWorkers = 1023;

namespace {

struct Job {
  Work work = nullptr, idle = nullptr;
  void *context = nullptr;
  unsigned wanted = 0;             // helpers that may still join; under the pool's lock
  std::atomic<unsigned> active{0}; // helpers at work; changed under the lock, so that the caller's stack outlives them
  std::condition_variable ended;
  Job *next = nullptr;
};

class Pool {
public:
  void run(Job &job, unsigned helpers);

private:
  static void *workerMain(void *pool);
  void work();
  void addWorkers(unsigned count);
  Job *join();
  void leave(Job &job);
  void remove(Job &job);
  void announce();
  void waitForHelpers(Job &job);

  std::mutex lock;
  Job *jobs = nullptr; // oldest first
  unsigned workers = 0;
  // Changes with every announcement: what a worker sleeps on.
  std::atomic<uint32_t> epoch{0};
};

} // namespace

static void pauseBriefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// True as soon as `isDone`, false when it takes long.
template <class Predicate> static bool spinUntil(Predicate isDone) {
  auto end = std::chrono::steady_clock::now() + kSpinTime;
  do {
    for (int i = 0; i < 16; ++i) {
      if (isDone())
        return true;
      pauseBriefly();
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

void *Pool::workerMain(void *pool) {
  static_cast<Pool *>(pool)->work();
  return nullptr;
}

// Call with the lock held. With no thread left in the system, fewer help.
void Pool::addWorkers(unsigned count) {
  // Signals are for the program's own threads, but for those of a kernel that runs here (Faults.h).
  sigset_t all, before;
  sigfillset(&all);
  sigdelset(&all, SIGSEGV);
  sigdelset(&all, SIGBUS);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (workers < std::min(count, kMaximumWorkers)) {
    pthread_t thread;
    if (pthread_create(&thread, nullptr, workerMain, this) != 0)
      break;
    pthread_detach(thread);
    ++workers;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// Call with the lock held.
Job *Pool::join() {
  for (Job *job = jobs; job; job = job->next) {
    if (job->wanted == 0)
      continue;
    --job->wanted;
    job->active.fetch_add(1, std::memory_order_relaxed);
    return job;
  }
  return nullptr;
}

// Call with the lock held: after it is released, the job may be gone.
void Pool::leave(Job &job) {
  if (job.active.fetch_sub(1, std::memory_order_release) == 1)
    job.ended.notify_one();
}

// Call with the lock held.
void Pool::remove(Job &job) {
  for (Job **place = &jobs; *place; place = &(*place)->next)
    if (*place == &job) {
      *place = job.next;
      return;
    }
}

// Two sleepers wake, and each that finds work wakes two more: all are up after a few steps, and a caller that needs one
// helper does not pay for sixty.
void Pool::announce() {
  epoch.fetch_add(1, std::memory_order_release);
  epoch.notify_one();
  epoch.notify_one();
}

void Pool::work() {
  std::unique_lock guard(lock);
  for (;;) {
    if (Job *job = join()) {
      bool isShort = job->wanted > 0;
      guard.unlock();
      if (isShort)
        announce();
      job->work(job->context);
      guard.lock();
      leave(*job);
      continue;
    }
    uint32_t seen = epoch.load(std::memory_order_acquire);
    guard.unlock();
    auto isNew = [&] { return epoch.load(std::memory_order_acquire) != seen; };
    if (!spinUntil(isNew))
      epoch.wait(seen, std::memory_order_acquire);
    guard.lock();
  }
}

void Pool::waitForHelpers(Job &job) {
  spinUntil([&] { return job.active.load(std::memory_order_acquire) == 0; });
  auto isDone = [&] { return job.active.load(std::memory_order_acquire) == 0; };
  std::unique_lock guard(lock);
  if (!job.idle)
    return job.ended.wait(guard, isDone);
  while (!job.ended.wait_for(guard, kWatchPeriod, isDone)) {
    guard.unlock();
    job.idle(job.context);
    guard.lock();
  }
}

void Pool::run(Job &job, unsigned helpers) {
  {
    std::lock_guard guard(lock);
    addWorkers(helpers);
    job.wanted = helpers;
    Job **end = &jobs;
    while (*end)
      end = &(*end)->next;
    *end = &job;
  }
  announce();
  job.work(job.context);
  bool hasHelpers;
  {
    std::lock_guard guard(lock);
    remove(job);
    hasHelpers = job.active.load(std::memory_order_acquire) != 0;
  }
  if (hasHelpers)
    waitForHelpers(job);
}

// Never destroyed: workers may sleep in it while the process ends. The child of a fork has no workers and makes a pool
// of its own; the old one's memory stays as it is.
static std::atomic<Pool *> sharedPool{nullptr};

static Pool &pool() {
  static const int handler = pthread_atfork(nullptr, nullptr, [] { sharedPool.store(nullptr); });
  (void)handler;
  Pool *found = sharedPool.load(std::memory_order_acquire);
  if (found)
    return *found;
  auto *made = new Pool;
  if (sharedPool.compare_exchange_strong(found, made))
    return *made;
  delete made; // another thread was faster
  return *found;
}

void runOnThreads(unsigned helpers, Work work, void *context, Work idle) {
  if (helpers == 0)
    return work(context);
  Job job;
  job.work = work;
  job.idle = idle;
  job.context = context;
  pool().run(job, helpers);
}

} // namespace nereid::cpu
