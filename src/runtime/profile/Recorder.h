// Recorder.h: what launches, scopes and the compiler tell while somebody profiles. Off, it costs a launch one relaxed load.
//
// On from begin() to the end() of the last session, or from the start of a process that `nereid profile` has started.
#pragma once

#include "runtime/profile/Record.h"

#include <atomic>

namespace nereid::profile {

[[gnu::visibility("hidden")]] extern std::atomic<bool> isRecording; // every launch asks
inline bool isOn() { return isRecording.load(std::memory_order_relaxed); }
// Whether records are kept: a tool that shows NVTX ranges wants to be told, and nothing more.
[[gnu::visibility("hidden")]] extern std::atomic<bool> isKeeping;
inline bool hasSession() { return isKeeping.load(std::memory_order_relaxed); }

// A session begins: where its records will lie. Sessions may overlap.
size_t begin();
// The session that began there ends: its records, as readJournal takes them. What devices still do is waited for.
std::vector<std::byte> end(size_t position);
// The same while it goes on.
std::vector<std::byte> recordsSince(size_t position);

void append(const Record &record);
// Called before records are read: adds what is only known later, the times of a device.
void addFlush(void (*flush)());
// Called when a session begins, and when the last one has ended.
void addBegin(void (*begin)());
void addEnd(void (*end)());

// A named part of this thread's work; launches in it are its children.
using Metrics = std::vector<std::pair<std::string, double>>;
uint64_t enterScope(std::string_view name, const Metrics &metrics = {});
// The innermost one. False: none is open.
bool exitScope(const Metrics &metrics = {});
size_t scopeDepth();
// Of this thread; 0: none.
uint64_t innermostScope();

// The scope of a block.
class Scope {
public:
  explicit Scope(std::string_view name);
  Scope(const Scope &) = delete;
  ~Scope();

private:
  class Launch *hidden = nullptr; // launches in the scope are none of this one's
  bool isOpen;
};

// A launch, from the call on. Where one is open on this thread already it is that one, told from further outside.
class Launch {
public:
  explicit Launch(std::string_view kernel);
  Launch(const Launch &) = delete;
  ~Launch();

  // The one that is open on this thread; null: none.
  static Launch *current();
  uint64_t id() const;
  uint32_t thread() const;
  // Whether it is the outermost one, which knows its arguments best.
  bool isOutermost() const { return isOwner; }

  Argument &addArgument(std::string_view name, std::string_view type);
  void addMetric(std::string_view name, double value);
  void rename(std::string_view name);
  // By which the kernel can be found again: FILE.py:KERNEL.
  void setSource(std::string_view file, std::string_view kernel);
  void setGrid(std::string_view device, const std::array<uint32_t, 3> &grid, uint64_t stream = 0);
  // When its kernel ran.
  void ran(Time begin, Time end);
  void failed(std::string_view why);

private:
  friend class Scope;
  bool isOwner = false;
  struct OpenLaunch *state = nullptr; // null: nobody profiles
};

// What the next launch of this thread is called, and what is known of it; an empty name leaves it as it is.
void announceLaunch(std::string_view name, const Metrics &metrics);

// How a kernel's code was come by, from now until the end of the block.
class CodeTimer {
public:
  CodeTimer(std::string_view kernel, std::string_view device);
  CodeTimer(const CodeTimer &) = delete;
  ~CodeTimer();
  void say(std::string_view what) { how = what; } // instead of `compiled`

private:
  bool isTimed;
  Time begin = 0;
  std::string name, device, how = "compiled";
};

// A thread's share of a launch.
void addWorker(uint64_t launch, Time begin, Time end, uint64_t programs);
// A scope inside of a kernel, of one of its programs, which this thread ran.
void addInner(uint64_t launch, std::string_view name, uint64_t program, Time begin, Time end);

} // namespace nereid::profile
