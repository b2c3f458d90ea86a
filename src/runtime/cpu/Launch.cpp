// Launch.cpp: which thread runs which programs of a grid, and what happens when one prints or fails.
#include "runtime/cpu/Launch.h"

#include "runtime/Convert.h"
#include "runtime/Memory.h"
#include "runtime/PrintFormat.h"
#include "runtime/cpu/Cores.h"
#include "runtime/cpu/Scratch.h"
#include "runtime/cpu/ThreadPool.h"
#include "runtime/cpu/Waits.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace nereid::cpu {

using Clock = std::chrono::steady_clock;

// Less work than this is done before another thread has even woken up.
static constexpr float kSerialNanoseconds = 20000;
// A serial run looks at the clock after each of so many parts: it may have been a wrong guess.
static constexpr uint64_t kSerialParts = 4;
// Every machine has this much for each thread.
static constexpr uint64_t kSmallScratchBytes = 1u << 20;

namespace {

// What one launch shares between its threads.
struct Run {
  Run(const LoadedKernel &kernel, const uint64_t *arguments, const LaunchOptions &options)
      : kernel(kernel), arguments(arguments), options(options) {}

  bool take(uint64_t &first, uint64_t &last);
  void takeAll();
  bool runSerial();
  void startThread();
  void joinAll();

  const LoadedKernel &kernel;
  const uint64_t *arguments;
  const LaunchOptions &options;
  LaunchState state;
  uint64_t total = 0;
  unsigned threads = 1;
  // Written by every thread; alone in its cache line, because programs read the one of `state`.
  alignas(64) std::atomic<uint64_t> next{0};
  alignas(64) std::mutex lock; // of what is below
  std::vector<std::thread> more;
  size_t started = 0;
  std::optional<LaunchFailure> failure;
  Waits waits;
};

} // namespace

static Run &runOf(LaunchState *state) { return *static_cast<Run *>(state->owner); }

static void printHere(LaunchState *state, uint32_t site, const uint32_t *program, const void *const *values) {
  Run &run = runOf(state);
  const Site &place = run.kernel.artifact().sites[site];
  std::vector<runtime::PrintedValue> printed;
  for (size_t i = 0; i < place.values.size(); ++i)
    printed.push_back({values[i], runtime::printedType(place.values[i].type), place.values[i].shape});
  std::string text = runtime::formatPrint(program, place.text, place.isHex, printed);
  std::lock_guard guard(run.lock);
  if (run.options.output)
    run.options.output(text);
  else
    std::fwrite(text.data(), 1, text.size(), stdout);
}

static void failHere(LaunchState *state, uint32_t site, const uint32_t *program) {
  Run &run = runOf(state);
  std::lock_guard guard(run.lock);
  std::array<uint32_t, 3> here = {program[0], program[1], program[2]};
  auto isBefore = [](const std::array<uint32_t, 3> &a, const std::array<uint32_t, 3> &b) {
    return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
  };
  if (!run.failure || isBefore(here, run.failure->program))
    run.failure = LaunchFailure{&run.kernel.artifact().sites[site], here};
  state->stop.store(1, std::memory_order_relaxed);
}

// More threads than this wait for nothing: a grid in which so many programs wait for later ones is stuck.
static constexpr size_t kMostThreads = 1024;
// A program that has waited so long may be waiting for one that has not begun.
static constexpr auto kPatience = std::chrono::milliseconds(1);
// When all have waited so long, nobody writes what they wait for; as long as the interpreter takes.
static constexpr auto kMostPatience = std::chrono::seconds(20);

// Lets another thread begin the next program, when this one has waited for a while. All programs of a GPU's grid run
// together, as far as kernels that wait can tell.
static void waitHere(LaunchState *state, uint32_t site, const uint32_t *program, uint32_t turn) {
  Run &run = runOf(state);
  Waits::Thread &thread = *Waits::Thread::current();
  auto waited = thread.turn(turn);
  std::this_thread::yield();
  if (waited < kPatience || !thread.mayAskForHelp(kPatience))
    return;
  bool canHelp = run.next.load(std::memory_order_relaxed) < run.total;
  if (canHelp) {
    std::lock_guard guard(run.lock);
    canHelp = run.started < kMostThreads;
    if (canHelp)
      run.startThread();
  }
  if (!canHelp && waited > kMostPatience && run.waits.areAllStuck(kMostPatience))
    failHere(state, site, program);
}

// Large parts first, for neighbours in the grid use the same memory; small ones at the end, so that all finish
// together.
bool Run::take(uint64_t &first, uint64_t &last) {
  first = next.load(std::memory_order_relaxed);
  do {
    if (first >= total || state.stop.load(std::memory_order_relaxed))
      return false;
    last = first + (kernel.artifact().waits ? 1 : std::max<uint64_t>((total - first) / (4 * uint64_t(threads)), 1));
  } while (!next.compare_exchange_weak(first, last, std::memory_order_relaxed));
  return true;
}

static float nanosecondsSince(Clock::time_point begin) {
  return float(std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count());
}

// One thread's share.
void Run::takeAll() {
  uint64_t bytes = kernel.artifact().scratchBytes;
  std::byte *scratch = threadScratch(bytes);
  if (bytes && !scratch)
    return; // the others do it; the caller has its scratch already
  std::optional<Waits::Thread> waiter;
  if (kernel.artifact().waits)
    waiter.emplace(waits);
  auto begin = Clock::now();
  uint64_t first, last, done = 0;
  while (take(first, last)) {
    kernel.entry()(arguments, &state, first, last, scratch);
    done += last - first;
  }
  if (done)
    kernel.programTime.store(nanosecondsSince(begin) / float(done), std::memory_order_relaxed);
  trimThreadScratch();
}

// False: it takes longer than it should, and the rest is for all threads.
bool Run::runSerial() {
  std::byte *scratch = threadScratch(kernel.artifact().scratchBytes);
  if (total == 1 || threads == 1) {
    kernel.entry()(arguments, &state, 0, total, scratch);
    trimThreadScratch();
    return true;
  }
  auto begin = Clock::now();
  uint64_t part = (total + kSerialParts - 1) / kSerialParts;
  for (uint64_t first = 0, last; first < total && !state.stop.load(std::memory_order_relaxed); first = last) {
    last = std::min(first + part, total);
    kernel.entry()(arguments, &state, first, last, scratch);
    float time = nanosecondsSince(begin);
    kernel.programTime.store(time / float(last), std::memory_order_relaxed);
    if (last < total && time > kSerialNanoseconds) {
      next = last;
      return false;
    }
  }
  return true;
}

// Call with the lock held.
void Run::startThread() {
  try {
    more.emplace_back([this] { takeAll(); });
    ++started;
  } catch (const std::system_error &) {
    // The system has no thread left now; the next turns ask again.
  }
}

// Waits for the threads that were started while others waited; any of them may have started more.
void Run::joinAll() {
  while (true) {
    std::thread thread;
    {
      std::lock_guard guard(lock);
      if (more.empty())
        return;
      thread = std::move(more.back());
      more.pop_back();
    }
    thread.join();
  }
}

static Error tooMuchScratch(const Artifact &artifact) {
  return Error{Status::Environment, "kernel `" + artifact.name + "` needs " + std::to_string(artifact.scratchBytes) +
                                        " bytes of working memory for each thread; this machine has room for " +
                                        std::to_string(runtime::memoryLimit())};
}

// How many threads are wanted, and can have their scratch.
static Result<unsigned> planThreads(const Run &run) {
  const Artifact &artifact = run.kernel.artifact();
  uint64_t threads = run.options.threads ? run.options.threads : availableCores();
  threads = artifact.isOrderSensitive ? 1 : std::min(threads, run.total);
  if (artifact.scratchBytes > kSmallScratchBytes) {
    uint64_t room = runtime::memoryLimit() / artifact.scratchBytes;
    if (room == 0)
      return tooMuchScratch(artifact);
    threads = std::min(threads, room);
  }
  if (artifact.scratchBytes && !threadScratch(artifact.scratchBytes))
    return tooMuchScratch(artifact);
  return unsigned(threads);
}

static Result<uint64_t> countPrograms(const std::array<uint32_t, 3> &grid) {
  auto total = static_cast<unsigned __int128>(uint64_t(grid[0]) * grid[1]) * grid[2];
  if (total > UINT64_MAX / 2)
    return Error{Status::BadInput, "a grid of (" + std::to_string(grid[0]) + ", " + std::to_string(grid[1]) + ", " +
                                       std::to_string(grid[2]) + ") has more than 2^63 programs"};
  return uint64_t(total);
}

Result<LaunchReport> launch(const LoadedKernel &kernel, std::span<const uint64_t> arguments,
                            const std::array<uint32_t, 3> &grid, const LaunchOptions &options) {
  const Artifact &artifact = kernel.artifact();
  if (arguments.size() != artifact.argumentCount)
    return Error{Status::BadInput, "kernel `" + artifact.name + "` takes " + std::to_string(artifact.argumentCount) +
                                       " arguments, got " + std::to_string(arguments.size())};
  Result<uint64_t> total = countPrograms(grid);
  if (!total)
    return total.error();
  if (*total == 0)
    return LaunchReport{}; // an empty grid runs nothing, as on a GPU
  Run run(kernel, arguments.data(), options);
  run.total = *total;
  Result<unsigned> threads = planThreads(run);
  if (!threads)
    return threads.error();
  run.threads = *threads;
  std::copy(grid.begin(), grid.end(), run.state.grid);
  run.state.print = printHere;
  run.state.fail = failHere;
  run.state.wait = waitHere;
  run.state.owner = &run;
  float known = kernel.programTime.load(std::memory_order_relaxed);
  bool isSmall = run.threads == 1 || (known > 0 && known * float(run.total) < kSerialNanoseconds);
  if (artifact.waits || !isSmall || !run.runSerial())
    runOnThreads(run.threads - 1, [](void *shared) { static_cast<Run *>(shared)->takeAll(); }, &run);
  run.joinAll();
  return LaunchReport{run.failure};
}

} // namespace nereid::cpu
