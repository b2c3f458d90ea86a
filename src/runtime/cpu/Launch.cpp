// Launch.cpp: which thread runs which programs of a grid, and what happens when one prints or fails.
#include "runtime/cpu/Launch.h"

#include "runtime/Convert.h"
#include "runtime/Memory.h"
#include "runtime/PrintFormat.h"
#include "runtime/cpu/Cores.h"
#include "runtime/cpu/Enter.h"
#include "runtime/cpu/Marks.h"
#include "runtime/cpu/Scratch.h"
#include "runtime/cpu/ThreadPool.h"
#include "runtime/cpu/Waits.h"
#include "runtime/profile/Recorder.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
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

// What a launch has whose programs wait for each other.
struct Meeting {
  std::vector<std::thread> more;
  size_t started = 0, running = 0;
  std::condition_variable ended; // of those that run
  Waits waits;
};

// What one launch shares between its threads.
struct Run {
  Run(const LoadedKernel &kernel, const uint64_t *arguments, const LaunchOptions &options)
      : kernel(kernel), arguments(arguments), options(options), watch(options.limits), state(watch.state()) {}

  bool isEnding() const { return state.stop.load(std::memory_order_relaxed) & kEnd; }
  bool take(uint64_t &first, uint64_t &last);
  void call(uint64_t first, uint64_t last, std::byte *scratch);
  void note(const LaunchFailure &failure);
  void takeAll();
  bool runSerial();
  void startThread();
  void joinAll();

  const LoadedKernel &kernel;
  const uint64_t *arguments;
  const LaunchOptions &options;
  Watch watch;
  LaunchState &state;
  uint64_t total = 0;
  unsigned threads = 1;
  std::byte *callerScratch = nullptr;
  // Written by every thread; alone in its cache line, because programs read the one of `state`.
  alignas(64) std::atomic<uint64_t> next{0};
  alignas(64) std::mutex lock; // of what is below
  std::unique_ptr<LaunchFailure> failure;
  std::optional<Meeting> meeting; // of a kernel that waits: others do not pay for it
};

} // namespace

static Run &runOf(LaunchState *state) { return *static_cast<Run *>(state->owner); }

static void printHere(LaunchState *state, uint32_t site, const uint32_t *program, const void *const *values) {
  OutsideKernel outside;
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

// Keeps the failure of the first program in the order of the grid; how a launch was ended counts only where none failed.
void Run::note(const LaunchFailure &found) {
  std::lock_guard guard(lock);
  auto isBefore = [](const LaunchFailure &a, const LaunchFailure &b) {
    if (a.isEarlyEnd() != b.isEarlyEnd() || !a.program || !b.program)
      return !a.isEarlyEnd() && b.isEarlyEnd();
    return std::lexicographical_compare(a.program->rbegin(), a.program->rend(), b.program->rbegin(), b.program->rend());
  };
  if (!failure || isBefore(found, *failure))
    failure = std::make_unique<LaunchFailure>(found);
  state.stop.fetch_or(kEnd, std::memory_order_relaxed);
}

static LaunchFailure failureAt(const Run &run, LaunchFailure::Kind kind, uint32_t site, const uint32_t *program) {
  LaunchFailure failure{.kind = kind, .timeout = run.options.limits.timeout};
  const std::vector<Site> &sites = run.kernel.artifact().sites;
  if (site < sites.size())
    failure.site = &sites[site];
  if (program)
    failure.program = {program[0], program[1], program[2]};
  return failure;
}

static uint64_t numberOf(const LaunchState &state, const uint32_t *program) {
  return (uint64_t(program[2]) * state.grid[1] + program[1]) * state.grid[0] + program[0];
}

static void markHere(LaunchState *state, uint32_t site, const uint32_t *program, uint32_t isEnd) {
  OutsideKernel outside;
  addMark(runOf(state).kernel.artifact().sites[site], numberOf(*state, program), isEnd != 0);
}

static void failHere(LaunchState *state, uint32_t site, const uint32_t *program) {
  OutsideKernel outside;
  Run &run = runOf(state);
  run.note(failureAt(run, LaunchFailure::Kind::Failed, site, program));
}

static std::array<uint32_t, 3> programAt(const LaunchState &state, uint64_t number) {
  uint64_t plane = uint64_t(state.grid[0]) * state.grid[1];
  return {uint32_t(number % state.grid[0]), uint32_t(number % plane / state.grid[0]), uint32_t(number / plane)};
}

// For a thread that has no program at the moment.
static constexpr uint64_t kNoProgram = ~uint64_t(0);

// For whoever has found that `stop` is not 0: whether the launch goes on.
static bool goesOn(LaunchState *state, uint32_t site, uint64_t number) {
  OutsideKernel outside;
  Run &run = runOf(state);
  if (run.watch.goesOn())
    return true;
  const uint32_t *program = nullptr;
  std::array<uint32_t, 3> known;
  if (number != kNoProgram)
    known = programAt(*state, number), program = known.data();
  if (Cause cause = run.watch.cause(); cause != Cause::None)
    run.note(failureAt(run, cause == Cause::TimedOut ? LaunchFailure::Kind::TimedOut : LaunchFailure::Kind::Interrupted,
                       site, program));
  return false;
}

// The number of the program that a thread with this scratch runs, or would run next.
static uint64_t &numberIn(std::byte *scratch) { return *(reinterpret_cast<uint64_t *>(scratch) - 1); }

} // namespace nereid::cpu

void *nereid_look_here(nereid::cpu::LaunchState *state, uint32_t site) {
  using namespace nereid::cpu;
  const KernelFrame &frame = *currentFrame;
  return goesOn(state, site, numberIn(frame.scratch)) ? nullptr : frame.stack;
}

namespace nereid::cpu {

// Runs these programs on the calling thread.
void Run::call(uint64_t first, uint64_t last, std::byte *scratch) {
  uint64_t &number = numberIn(scratch);
  while (first < last) {
    number = last;
    Fault fault;
    if (!enterKernel(kernel.entry(), arguments, &state, first, last, scratch, fault)) {
      if (!fault.hasHappened)
        break; // a look has noted why
      uint64_t program = std::min(number, last - 1);
      LaunchFailure failure = failureAt(*this, LaunchFailure::Kind::Fault, ~0u, programAt(state, program).data());
      failure.fault = fault;
      note(failure);
      break;
    }
    first = number;
    if (first < last && !goesOn(&state, ~0u, first))
      break;
  }
  if (state.mark)
    recordMarks(options.recorded);
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
  OutsideKernel outside;
  Run &run = runOf(state);
  uint64_t number = numberOf(*state, program);
  if (state->stop.load(std::memory_order_relaxed) && !goesOn(state, site, number))
    return;
  Waits::Thread &thread = *Waits::Thread::current();
  auto waited = thread.turn(turn);
  std::this_thread::yield();
  if (waited < kPatience || !thread.mayAskForHelp(kPatience))
    return;
  bool canHelp = run.next.load(std::memory_order_relaxed) < run.total;
  if (canHelp) {
    std::lock_guard guard(run.lock);
    canHelp = run.meeting->started < kMostThreads;
    if (canHelp)
      run.startThread();
  }
  if (!canHelp && waited > kMostPatience && run.meeting->waits.areAllStuck(kMostPatience))
    failHere(state, site, program);
}

// Large parts first, for neighbours in the grid use the same memory; small ones at the end, so that all finish
// together.
bool Run::take(uint64_t &first, uint64_t &last) {
  first = next.load(std::memory_order_relaxed);
  do {
    if (first >= total || isEnding())
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
  std::byte *scratch = threadScratch(kernel.artifact().scratchBytes);
  if (!scratch)
    return; // the others do it; the caller has its scratch already
  std::optional<Waits::Thread> waiter;
  if (kernel.artifact().waits)
    waiter.emplace(meeting->waits);
  auto begin = Clock::now();
  profile::Time started = options.recorded ? profile::now() : 0;
  uint64_t first, last, done = 0;
  while (take(first, last)) {
    call(first, last, scratch);
    done += last - first;
  }
  if (done)
    kernel.programTime.store(nanosecondsSince(begin) / float(done), std::memory_order_relaxed);
  if (done && options.recorded)
    profile::addWorker(options.recorded, started, profile::now(), done);
  trimThreadScratch();
}

// False: it takes longer than it should, and the rest is for all threads.
bool Run::runSerial() {
  std::byte *scratch = callerScratch;
  if (total == 1 || threads == 1) {
    call(0, total, scratch);
    trimThreadScratch();
    return true;
  }
  auto begin = Clock::now();
  uint64_t part = (total + kSerialParts - 1) / kSerialParts;
  for (uint64_t first = 0, last; first < total && !isEnding(); first = last) {
    last = std::min(first + part, total);
    call(first, last, scratch);
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
    meeting->more.emplace_back([this] {
      takeAll();
      std::lock_guard guard(lock);
      if (--meeting->running == 0)
        meeting->ended.notify_one();
    });
    ++meeting->started, ++meeting->running;
  } catch (const std::system_error &) {
    // The system has no thread left now; the next iterations ask again.
  }
}

// Waits for the threads that were started while others waited; any of them may have started more. Those that are reminded at the
// start of a program stay there until the caller has looked.
void Run::joinAll() {
  std::unique_lock guard(lock);
  while (!meeting->ended.wait_for(guard, kWatchPeriod, [&] { return meeting->running == 0; })) {
    guard.unlock();
    goesOn(&state, ~0u, kNoProgram);
    guard.lock();
  }
  guard.unlock();
  for (std::thread &thread : meeting->more)
    thread.join();
}

static Error tooMuchScratch(const Artifact &artifact) {
  return Error{Status::Environment, "kernel `" + artifact.name + "` needs " + std::to_string(artifact.scratchBytes) +
                                        " bytes of working memory for each thread; this machine has room for " +
                                        std::to_string(runtime::memoryLimit())};
}

// How many threads are wanted, and can have their scratch.
static Result<unsigned> planThreads(Run &run) {
  const Artifact &artifact = run.kernel.artifact();
  uint64_t threads = 1;
  if (!artifact.isOrderSensitive && run.total > 1)
    threads = std::min<uint64_t>(run.options.threads ? run.options.threads : availableCores(), run.total);
  if (artifact.scratchBytes > kSmallScratchBytes) {
    uint64_t room = runtime::memoryLimit() / artifact.scratchBytes;
    if (room == 0)
      return tooMuchScratch(artifact);
    threads = std::min(threads, room);
  }
  run.callerScratch = threadScratch(artifact.scratchBytes);
  if (!run.callerScratch)
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

std::string describeFailure(const LaunchFailure &failure) {
  using Kind = LaunchFailure::Kind;
  if (failure.isEarlyEnd())
    return describe(failure.kind == Kind::TimedOut ? Cause::TimedOut : Cause::Interrupted, failure.timeout);
  if (failure.kind == Kind::Fault)
    return "the kernel touched memory that belongs to no tensor";
  return describeFailure(*failure.site);
}

std::string renderFailure(const LaunchFailure &failure) {
  std::string text = "error: " + describeFailure(failure) + "\n";
  if (const Site *site = failure.site)
    text = site->file + ":" + std::to_string(site->line) + ":" + std::to_string(site->column) + ": " + text;
  if (failure.program) {
    auto [x, y, z] = *failure.program;
    text += "note: in program (" + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) + ")\n";
  }
  return text;
}

// While somebody profiles: the same launch once more, with its number.
static Result<LaunchReport> launchRecorded(const LoadedKernel &kernel, std::span<const uint64_t> arguments,
                                           const std::array<uint32_t, 3> &grid, LaunchOptions options) {
  profile::Launch opened(kernel.artifact().name);
  profile::Launch *recorded = profile::Launch::current();
  options.recorded = recorded ? recorded->id() : ~uint64_t(0); // none: the session has just ended
  if (recorded)
    recorded->setGrid("cpu", grid);
  profile::Time begin = profile::now();
  Result<LaunchReport> report = launch(kernel, arguments, grid, options);
  if (!recorded)
    return report;
  recorded->ran(begin, profile::now());
  if (!report || report->failure)
    recorded->failed(report ? describeFailure(*report->failure) : report.error().message);
  return report;
}

Result<LaunchReport> launch(const LoadedKernel &kernel, std::span<const uint64_t> arguments,
                            const std::array<uint32_t, 3> &grid, const LaunchOptions &options) {
  if (profile::isOn() && !options.recorded) [[unlikely]]
    return launchRecorded(kernel, arguments, grid, options);
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
  if (artifact.waits)
    run.meeting.emplace();
  Result<unsigned> threads = planThreads(run);
  if (!threads)
    return threads.error();
  run.threads = *threads;
  std::copy(grid.begin(), grid.end(), run.state.grid);
  run.state.print = printHere;
  run.state.fail = failHere;
  run.state.wait = waitHere;
  run.state.look = nereid_look;
  run.state.mark = options.recorded ? markHere : nullptr;
  run.state.owner = &run;
  float known = kernel.programTime.load(std::memory_order_relaxed);
  bool isSmall = run.threads == 1 || (known > 0 && known * float(run.total) < kSerialNanoseconds);
  if (artifact.waits || !isSmall || !run.runSerial())
    runOnThreads(
        run.threads - 1, [](void *shared) { static_cast<Run *>(shared)->takeAll(); }, &run,
        run.watch.mayWait() ? [](void *shared) { goesOn(&static_cast<Run *>(shared)->state, ~0u, kNoProgram); }
                            : Work(nullptr));
  if (artifact.waits)
    run.joinAll();
  return LaunchReport{std::move(run.failure)};
}

} // namespace nereid::cpu
