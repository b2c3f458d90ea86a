// Watch.cpp: the records of launches, and the thread that reminds those that asked for it.
//
// A launch must not pay for this: it takes its thread's record, writes two numbers, and needs no lock and no system
// call. Records are never freed, so a late reminder hits a launch that it was not meant for at worst, which then finds
// that there is nothing to do.
#include "runtime/cpu/Watch.h"

#include "runtime/cpu/Kernel.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>

namespace nereid::cpu {

struct alignas(64) WatchRecord {
  LaunchState state;
  const void *thread = nullptr;         // the launching one: where its `ownRecord` is
  std::atomic<uint64_t> sequence{0};    // odd while a launch runs
  std::atomic<uint64_t> interrupted{0}; // the launch that was told to end
  std::atomic<bool> wantsReminders{false};
  std::atomic<bool> isTaken{true};
  WatchRecord *next = nullptr; // in the list of all
  uint64_t seen = 0;           // by the thread that reminds: its sequence a period ago
};

static std::atomic<WatchRecord *> allRecords{nullptr};

static WatchRecord &takeRecord() {
  for (WatchRecord *record = allRecords.load(std::memory_order_acquire); record; record = record->next)
    if (!record->isTaken.exchange(true, std::memory_order_acquire))
      return *record;
  auto *made = new WatchRecord;
  made->next = allRecords.load(std::memory_order_relaxed);
  while (!allRecords.compare_exchange_weak(made->next, made, std::memory_order_release))
    ;
  return *made;
}

// This thread's record. Every launch reads it: at a fixed offset, so that a shared library need not ask the loader for it
// (see Scratch.cpp).
[[gnu::tls_model("initial-exec")]] static thread_local WatchRecord *ownRecord = nullptr;

namespace {
struct GiveBack { // when the thread ends
  ~GiveBack() {
    if (ownRecord)
      ownRecord->isTaken.store(false, std::memory_order_release);
    ownRecord = nullptr;
  }
};
} // namespace

[[gnu::noinline]] static void takeOwnRecord() {
  static thread_local GiveBack giveBack;
  (void)&giveBack;
  ownRecord = &takeRecord();
}

static bool isRunning(const WatchRecord &record) { return record.sequence.load(std::memory_order_acquire) & 1; }

// This thread's record; another one where a launch is made while the thread's own is in use, from an output function.
static WatchRecord &recordForLaunch() {
  if (!ownRecord)
    takeOwnRecord();
  return isRunning(*ownRecord) ? takeRecord() : *ownRecord;
}

// ---- The thread that reminds.

static std::atomic<uint32_t> isAwake{0};
// So many periods without a launch that wants reminders, and it sleeps until the next one.
static constexpr int kIdlePeriods = 50;

// After this, every other thread sees what this one wrote before it looks further, and the other way round. False where
// the system has no such call.
static bool orderAllThreads() { return syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0; }

// Reminds launches that have run for a period. True: some launch has run lately.
static bool remindAll() {
  bool isBusy = false;
  for (WatchRecord *record = allRecords.load(std::memory_order_acquire); record; record = record->next) {
    uint64_t now = record->sequence.load(std::memory_order_acquire);
    bool isSame = now == record->seen;
    record->seen = now;
    if (!record->wantsReminders.load(std::memory_order_relaxed))
      continue;
    isBusy |= !isSame || (now & 1);
    if (isSame && (now & 1))
      record->state.stop.fetch_or(kLook, std::memory_order_relaxed);
  }
  return isBusy;
}

static void *reminderMain(void *) {
  int idle = 0;
  bool canSleep = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
  for (;;) {
    timespec pause{0, std::chrono::nanoseconds(kWatchPeriod).count()};
    nanosleep(&pause, nullptr);
    idle = remindAll() ? 0 : idle + 1;
    if (idle < kIdlePeriods || !canSleep)
      continue;
    // A launch writes its sequence and then reads `isAwake`: one of the two sides sees the other.
    isAwake.store(0, std::memory_order_relaxed);
    if (orderAllThreads() && !remindAll())
      isAwake.wait(0, std::memory_order_relaxed);
    isAwake.store(1, std::memory_order_relaxed);
    idle = 0;
  }
}

static void startReminder() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  if (pthread_create(&thread, nullptr, reminderMain, nullptr) == 0)
    pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// Starts the thread, or wakes it.
static void wakeReminder() {
  static std::atomic<bool> isStarted{false};
  static const int handler = pthread_atfork(nullptr, nullptr, [] { // the child of a fork has no such thread
    isStarted.store(false);
    isAwake.store(0);
  });
  (void)handler;
  isAwake.store(1, std::memory_order_relaxed);
  if (!isStarted.exchange(true))
    startReminder();
  else
    isAwake.notify_one();
}

// ---- Launches.

Watch::Watch(const Limits &limits)
    : limits(limits), record(recordForLaunch()), sequence(record.sequence.load(std::memory_order_relaxed) + 1) {
  record.state.stop.store(0, std::memory_order_relaxed);
  record.thread = &ownRecord;
  if (limits.timeout > 0)
    deadline =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limits.timeout));
  bool wants = mayWait();
  record.wantsReminders.store(wants, std::memory_order_relaxed);
  record.sequence.store(sequence, std::memory_order_release);
  if (!wants)
    return;
  std::atomic_signal_fence(std::memory_order_seq_cst); // the reminder orders the two when it goes to sleep
  if (!isAwake.load(std::memory_order_relaxed))
    wakeReminder();
}

Watch::~Watch() {
  record.sequence.store(sequence + 1, std::memory_order_release);
  if (&record != ownRecord)
    record.isTaken.store(false, std::memory_order_release);
}

LaunchState &Watch::state() { return record.state; }

bool Watch::end(Cause cause) {
  Cause none = Cause::None;
  why.compare_exchange_strong(none, cause, std::memory_order_relaxed);
  record.state.stop.fetch_or(kEnd, std::memory_order_relaxed);
  return false;
}

bool Watch::goesOn() {
  if (record.state.stop.load(std::memory_order_relaxed) & kEnd)
    return false;
  // Whoever launched answers for all; the others go on until it has.
  bool isCaller = record.thread == &ownRecord;
  if (isCaller)
    record.state.stop.fetch_and(~uint32_t(kLook), std::memory_order_acquire);
  if (record.interrupted.load(std::memory_order_acquire) == sequence)
    return end(Cause::Interrupted);
  if (limits.timeout > 0 && Clock::now() >= deadline)
    return end(Cause::TimedOut);
  if (isCaller && limits.host && !limits.host->goesOn())
    return end(Cause::Interrupted);
  return true;
}

void interruptLaunches() {
  for (WatchRecord *record = allRecords.load(std::memory_order_acquire); record; record = record->next) {
    uint64_t sequence = record->sequence.load(std::memory_order_acquire);
    if (!(sequence & 1))
      continue;
    record->interrupted.store(sequence, std::memory_order_release);
    record->state.stop.fetch_or(kLook, std::memory_order_release);
  }
}

std::string describe(Cause cause, double timeout) {
  if (cause != Cause::TimedOut)
    return "the launch was interrupted";
  char text[64];
  std::snprintf(text, sizeof(text), "the launch took longer than %g s", timeout);
  return text;
}

} // namespace nereid::cpu
