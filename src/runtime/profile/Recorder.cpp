#include "runtime/profile/Recorder.h"

#include "runtime/profile/Counters.h"
#include "runtime/profile/Journal.h"
#include "runtime/profile/Nvtx.h"
#include "runtime/profile/Texts.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <mutex>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace nereid::profile {

std::atomic<bool> isRecording{false}, isKeeping{false};

// What is known of a launch. Kept from one to the next, so that its memory is not asked for anew.
struct OpenLaunch {
  Record record;
  size_t argumentCount = 0; // those in use
};

namespace {

// What the process has: one journal, and how many sessions use it. Never destroyed: threads of the pool may still write.
struct Recorder {
  std::mutex lock;
  std::unique_ptr<Journal> journal; // null: nobody records
  uint64_t generation = 0;          // another one with each session: what it reads stands for itself
  unsigned sessions = 0;
  std::string folder; // of the journals of a process that `nereid profile` started; empty: in memory
  std::vector<void (*)()> begins, flushes, ends;
};

Recorder &recorder() {
  static auto *made = new Recorder;
  return *made;
}

std::atomic<uint64_t> lastId{0};
uint64_t newId() { return 1 + lastId.fetch_add(1, std::memory_order_relaxed); }

// What a thread has open.
struct ThreadState {
  uint32_t number = static_cast<uint32_t>(syscall(SYS_gettid));
  std::vector<uint64_t> scopes;
  Launch *launch = nullptr;
  std::vector<std::unique_ptr<OpenLaunch>> launches; // the first ones are open: tuning launches inside of a launch
  size_t openLaunches = 0;
  std::string announcedName;
  Metrics announced;
  RecordAppender appender;
};

// Made when first asked for, also by what runs when the thread's own objects are gone: at the end of the process.
ThreadState &thisThread() {
  static thread_local ThreadState *state = nullptr;
  struct Owner {
    ~Owner() { delete std::exchange(state, nullptr); }
  };
  static thread_local Owner owner;
  (void)owner;
  if (!state)
    state = new ThreadState;
  return *state;
}

std::string commandLine() {
  std::string text;
  if (FILE *file = std::fopen("/proc/self/cmdline", "r")) {
    char buffer[4096];
    text.assign(buffer, std::fread(buffer, 1, sizeof buffer, file));
    std::fclose(file);
  }
  while (!text.empty() && text.back() == '\0')
    text.pop_back();
  std::ranges::replace(text, '\0', ' ');
  return text;
}

// A file of its own for each process and each copy of this library in it.
void openJournal(Recorder &self) {
  if (self.folder.empty()) {
    self.journal = std::make_unique<Journal>();
    return;
  }
  char name[64];
  std::snprintf(name, sizeof name, "/%ld-%zx.journal", long(getpid()), reinterpret_cast<size_t>(&self));
  Result<std::unique_ptr<Journal>> made = Journal::inFile(self.folder + name);
  if (made)
    self.journal = std::move(*made);
  else
    std::fputs(made.error().message.c_str(), stderr);
}

void appendEncoded(Recorder &self, RecordAppender &appender) {
  if (self.journal)
    appender.append(*self.journal, self.generation);
}

void appendProcess(Recorder &self) {
  Record record{.kind = Record::Kind::Process, .begin = now()};
  record.name = commandLine();
  RecordAppender &appender = thisThread().appender;
  appender.encode(record);
  appendEncoded(self, appender);
}

// Without the lock, which they take.
void callAll(const std::vector<void (*)()> &list) {
  std::vector<void (*)()> functions;
  {
    std::lock_guard guard(recorder().lock);
    functions = list;
  }
  for (auto *function : functions)
    function();
}

void flushAll() { callAll(recorder().flushes); }

// The child of a fork writes a journal of its own; that of its parent is not touched again.
void afterFork() {
  Recorder &self = recorder();
  thisThread().number = static_cast<uint32_t>(syscall(SYS_gettid));
  if (!self.folder.empty() && self.journal) {
    (void)self.journal.release();
    ++self.generation;
    openJournal(self);
    appendProcess(self);
  }
  self.lock.unlock();
}

void watchForks() {
  static const int handler =
      pthread_atfork([] { recorder().lock.lock(); }, [] { recorder().lock.unlock(); }, afterFork);
  (void)handler;
}

// `nereid profile` tells its child where to write.
bool startWhereTold() {
  const char *folder = std::getenv("NEREID_PROFILE");
  isRecording.store(hasNvtx(), std::memory_order_relaxed); // a tool that shows ranges wants them without a session
  if (!folder || !*folder)
    return false;
  recorder().folder = folder;
  wantCounters(access((recorder().folder + kCountersFile).c_str(), F_OK) == 0);
  begin();
  std::atexit(flushAll);
  return true;
}
[[maybe_unused]] const bool isTold = startWhereTold();

} // namespace

size_t begin() {
  watchForks();
  Recorder &self = recorder();
  callAll(self.begins);
  flushAll(); // what was launched before is none of this session's
  std::lock_guard guard(self.lock);
  ++self.generation;
  if (self.sessions++ == 0) {
    openJournal(self);
    appendProcess(self);
  }
  isKeeping.store(true, std::memory_order_relaxed);
  isRecording.store(true, std::memory_order_relaxed);
  return self.sessions == 1 || !self.journal ? 0 : self.journal->size();
}

std::vector<std::byte> recordsSince(size_t position) {
  flushAll();
  Recorder &self = recorder();
  std::lock_guard guard(self.lock);
  return self.journal ? self.journal->since(position) : std::vector<std::byte>();
}

std::vector<std::byte> end(size_t position) {
  std::vector<std::byte> bytes = recordsSince(position);
  Recorder &self = recorder();
  {
    std::lock_guard guard(self.lock);
    if (self.sessions == 0 || --self.sessions > 0)
      return bytes;
    isKeeping.store(false, std::memory_order_relaxed);
    isRecording.store(hasNvtx(), std::memory_order_relaxed);
    self.journal.reset();
  }
  callAll(self.ends);
  return bytes;
}

void append(const Record &record) {
  if (!hasSession())
    return;
  RecordAppender &appender = thisThread().appender;
  appender.encode(record);
  Recorder &self = recorder();
  std::lock_guard guard(self.lock);
  appendEncoded(self, appender);
}

void addFlush(void (*flush)()) {
  std::lock_guard guard(recorder().lock);
  recorder().flushes.push_back(flush);
}

void addBegin(void (*begin)()) {
  std::lock_guard guard(recorder().lock);
  recorder().begins.push_back(begin);
}

void addEnd(void (*end)()) {
  std::lock_guard guard(recorder().lock);
  recorder().ends.push_back(end);
}

uint64_t enterScope(std::string_view name, const Metrics &metrics) {
  ThreadState &thread = thisThread();
  Record record{.kind = Record::Kind::ScopeBegin, .thread = thread.number, .id = newId()};
  record.scope = innermostScope();
  record.name = name;
  record.metrics = metrics;
  record.begin = now();
  thread.scopes.push_back(record.id);
  pushNvtxRange(record.name.c_str());
  append(record);
  return record.id;
}

bool exitScope(const Metrics &metrics) {
  ThreadState &thread = thisThread();
  if (thread.scopes.empty())
    return false;
  Record record{.kind = Record::Kind::ScopeEnd, .thread = thread.number, .id = thread.scopes.back()};
  record.metrics = metrics;
  record.end = now();
  thread.scopes.pop_back();
  popNvtxRange();
  append(record);
  return true;
}

size_t scopeDepth() { return thisThread().scopes.size(); }

uint64_t innermostScope() {
  const ThreadState &thread = thisThread();
  return thread.scopes.empty() ? 0 : thread.scopes.back();
}

Scope::Scope(std::string_view name) : isOpen(isOn()) {
  if (!isOpen)
    return;
  hidden = std::exchange(thisThread().launch, nullptr);
  enterScope(name);
}

Scope::~Scope() {
  if (!isOpen)
    return;
  exitScope();
  thisThread().launch = hidden;
}

Launch::Launch(std::string_view kernel) {
  if (!isOn())
    return;
  ThreadState &thread = thisThread();
  if (thread.launch) {
    state = thread.launch->state;
    return;
  }
  isOwner = true;
  thread.launch = this;
  if (thread.openLaunches == thread.launches.size())
    thread.launches.push_back(std::make_unique<OpenLaunch>());
  state = thread.launches[thread.openLaunches++].get();
  state->argumentCount = 0;
  Record &record = state->record;
  record.kind = Record::Kind::Launch;
  record.thread = thread.number;
  record.id = newId();
  record.scope = innermostScope();
  record.name = kernel;
  if (!thread.announcedName.empty())
    record.name = std::exchange(thread.announcedName, {});
  record.metrics = std::exchange(thread.announced, {});
  record.device.clear();
  record.detail.clear();
  record.grid = {};
  record.programs = record.stream = 0;
  pushNvtxRange(record.name.c_str());
  record.begin = now();
}

Launch::~Launch() {
  if (!isOwner)
    return;
  ThreadState &thread = thisThread();
  thread.launch = nullptr;
  --thread.openLaunches;
  state->record.end = now();
  popNvtxRange();
  if (state->record.device.empty())
    return; // it was refused, and has run nowhere
  state->record.arguments.resize(state->argumentCount);
  append(state->record);
}

Launch *Launch::current() { return thisThread().launch; }

uint64_t Launch::id() const { return state->record.id; }

uint32_t Launch::thread() const { return state->record.thread; }

Argument &Launch::addArgument(std::string_view name, std::string_view type) {
  std::vector<Argument> &arguments = state->record.arguments;
  if (state->argumentCount == arguments.size())
    arguments.emplace_back();
  Argument &argument = arguments[state->argumentCount++];
  argument.name = name;
  argument.type = type;
  argument.shape.clear();
  argument.value.clear();
  return argument;
}

void Launch::addMetric(std::string_view name, double value) { state->record.metrics.emplace_back(name, value); }

void Launch::rename(std::string_view name) { state->record.name = name; }

void announceLaunch(std::string_view name, const Metrics &metrics) {
  ThreadState &thread = thisThread();
  thread.announcedName = name;
  thread.announced = metrics;
}

void Launch::setSource(std::string_view file, std::string_view kernel) {
  state->record.source.assign(file).append(":").append(kernel);
}

void Launch::setGrid(std::string_view device, const std::array<uint32_t, 3> &grid, uint64_t stream) {
  Record &record = state->record;
  record.device = device;
  record.grid = grid;
  record.programs = uint64_t(grid[0]) * grid[1] * grid[2];
  record.stream = stream;
}

void Launch::ran(Time begin, Time end) {
  const Record &launch = state->record;
  Record record{.kind = Record::Kind::Device, .thread = launch.thread, .id = launch.id, .begin = begin, .end = end};
  record.device = launch.device;
  append(record);
}

void Launch::failed(std::string_view why) { state->record.detail = why; }

CodeTimer::CodeTimer(std::string_view kernel, std::string_view device) : isTimed(isOn()) {
  if (isTimed)
    name = kernel, this->device = device, begin = now();
}

CodeTimer::~CodeTimer() {
  if (!isTimed)
    return;
  ThreadState &thread = thisThread();
  Record record{.kind = Record::Kind::Code, .thread = thread.number, .begin = begin, .end = now()};
  record.scope = innermostScope();
  record.id = thread.launch ? thread.launch->id() : 0;
  record.name = std::move(name);
  record.device = std::move(device);
  record.detail = std::move(how);
  append(record);
}

void addWorker(uint64_t launch, Time begin, Time end, uint64_t programs) {
  Record record{.kind = Record::Kind::Worker, .thread = thisThread().number, .id = launch, .begin = begin, .end = end};
  record.programs = programs;
  record.device = "cpu";
  append(record);
}

void addInner(uint64_t launch, std::string_view name, uint64_t program, Time begin, Time end) {
  Record record{.kind = Record::Kind::Inner, .thread = thisThread().number, .id = launch, .begin = begin, .end = end};
  record.programs = program;
  record.name = name;
  record.device = "cpu";
  append(record);
}

} // namespace nereid::profile
