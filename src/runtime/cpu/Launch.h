// Launch.h: a compiled kernel in memory, and runs of its grid on this machine's cores.
#pragma once

#include "runtime/LoadedCode.h"
#include "runtime/cpu/Faults.h"
#include "runtime/cpu/LoadedObject.h"
#include "runtime/cpu/Watch.h"

#include <functional>
#include <memory>
#include <optional>

namespace nereid::cpu {

// An artifact that can be launched, from any number of threads at once.
class LoadedKernel : public runtime::LoadedCode {
public:
  static Result<std::shared_ptr<const LoadedKernel>> load(Artifact artifact, const LoadOptions &options = {});
  // Code that is part of the program already, compiled ahead of time; the artifact's object is not used.
  static Result<std::shared_ptr<const LoadedKernel>> link(Entry entry, Artifact artifact);

  const Artifact &artifact() const { return description; }
  // Of its code; empty where that is part of the program.
  std::span<const std::byte> code() const { return object ? object->memory() : std::span<const std::byte>(); }
  Entry entry() const { return function; }

  // A program of it ends by itself at once: it has no loops but over small tiles.
  bool isBrief() const { return endsAtOnce; }

  // How long one program took lately, in nanoseconds; 0: not known. Decides whether other threads are worth waking.
  mutable std::atomic<float> programTime{0};

private:
  explicit LoadedKernel(Artifact artifact);

  Artifact description;
  bool endsAtOnce;
  FaultHandlers handlers;
  std::optional<LoadedObject> object;
  Entry function = nullptr;
};

struct LaunchOptions {
  unsigned threads = 0; // 0: all cores
  // Takes what device_print writes; standard output where it is empty.
  std::function<void(std::string_view)> output;
  Limits limits;
  uint64_t recorded = 0; // by the profiler's number; 0: not yet, or nobody profiles
};

// The program that failed, and where; the first one in the order of the grid among those that did. Or where a program was
// when the launch was ended.
struct LaunchFailure {
  enum class Kind : uint8_t { Failed, Fault, Interrupted, TimedOut };
  Kind kind = Kind::Failed;
  const Site *site = nullptr; // of the kernel; null: not known
  std::optional<std::array<uint32_t, 3>> program;
  Fault fault;
  double timeout = 0;

  // Ended from outside: nothing is wrong with the kernel.
  bool isEarlyEnd() const { return kind == Kind::Interrupted || kind == Kind::TimedOut; }
  Status status() const { return isEarlyEnd() ? Status::Interrupted : Status::CheckFailed; }
};

// What went wrong, for an error message.
std::string describeFailure(const LaunchFailure &failure);
// The same with the place and the program, for those who have no sources.
std::string renderFailure(const LaunchFailure &failure);

struct LaunchReport {
  std::unique_ptr<LaunchFailure> failure; // null: all went well
};

// Runs all programs of the grid and waits for them. A failed program is no error of the launch: see the report.
Result<LaunchReport> launch(const LoadedKernel &kernel, std::span<const uint64_t> arguments,
                            const std::array<uint32_t, 3> &grid, const LaunchOptions &options = {});

} // namespace nereid::cpu
