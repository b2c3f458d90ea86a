// Launch.h: a compiled kernel in memory, and runs of its grid on this machine's cores.
#pragma once

#include "runtime/cpu/Kernel.h"
#include "runtime/cpu/LoadedObject.h"

#include <functional>
#include <memory>
#include <optional>

namespace nereid::cpu {

// An artifact that can be launched, from any number of threads at once.
class LoadedKernel {
public:
  static Result<std::shared_ptr<const LoadedKernel>> load(Artifact artifact, const LoadOptions &options = {});
  // Code that is part of the program already, compiled ahead of time; the artifact's object is not used.
  static Result<std::shared_ptr<const LoadedKernel>> link(Entry entry, Artifact artifact);

  const Artifact &artifact() const { return description; }
  Entry entry() const { return function; }

  // How long one program took lately, in nanoseconds; 0: not known. Decides whether other threads are worth waking.
  mutable std::atomic<float> programTime{0};

private:
  explicit LoadedKernel(Artifact artifact) : description(std::move(artifact)) {}

  Artifact description;
  std::optional<LoadedObject> object;
  Entry function = nullptr;
};

struct LaunchOptions {
  unsigned threads = 0; // 0: all cores
  // Takes what device_print writes; standard output where it is empty.
  std::function<void(std::string_view)> output;
};

// The program that failed, and where; the first one in the order of the grid among those that did.
struct LaunchFailure {
  const Site *site = nullptr; // of the kernel
  std::array<uint32_t, 3> program{};
};

struct LaunchReport {
  std::optional<LaunchFailure> failure;
};

// Runs all programs of the grid and waits for them. A failed program is no error of the launch: see the report.
Result<LaunchReport> launch(const LoadedKernel &kernel, std::span<const uint64_t> arguments,
                            const std::array<uint32_t, 3> &grid, const LaunchOptions &options = {});

} // namespace nereid::cpu
