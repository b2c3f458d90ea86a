// LoadedKernel.h: a compiled kernel on a device, ready to be launched.
#pragma once

#include "runtime/LoadedCode.h"
#include "runtime/cuda/Artifact.h"
#include "runtime/cuda/Device.h"
#include "runtime/cuda/Memory.h"
#include "runtime/cuda/PtxLog.h"
#include "runtime/cuda/Recent.h"

namespace nereid::cuda {

class LoadedKernel : public runtime::LoadedCode {
public:
  static constexpr size_t kMaxParameters = 256, kMaxTensorMaps = 32;

  // Loads the machine code, or has the driver assemble the PTX where there is none. Says how much shared memory or how
  // many threads are too many. Where the PTX is wrong, `problem` gets the place.
  static Result<std::shared_ptr<const LoadedKernel>> load(Device &device, Artifact artifact,
                                                          std::optional<PtxProblem> *problem = nullptr);
  ~LoadedKernel() override;
  LoadedKernel(const LoadedKernel &) = delete;

  Device &device() const { return owner; }
  const Artifact &artifact() const { return description; }
  driver::Module moduleHandle() const { return module; }
  driver::Function function() const { return entry; }
  const KernelFacts &facts() const { return *shownFacts; }
  uint32_t wordCount() const { return words; } // at least so many are read by a launch

  // Where a running kernel prints, fails and marks its scopes; null: it does nothing of that, or has scopes alone and nobody profiles. One launch
  // at a time, under the lock.
  Report *report() const;
  // Nothing was printed, and nobody wants marks.
  void resetReport() const;
  // Marks are wanted of a launch of this grid, where the kernel has scopes.
  void prepareMarks(const std::array<uint32_t, 3> &grid) const;
  static constexpr size_t kReportBytes = size_t(4) << 20;
  static constexpr size_t kMostMarks = size_t(1) << 17; // of a launch
  mutable std::mutex reportLock;

private:
  LoadedKernel(Device &device, Artifact artifact) : owner(device), description(std::move(artifact)) {}
  Result<void> check();
  Result<void> loadCode(std::optional<PtxProblem> *problem);
  Result<void> prepare();
  void readResources();

  Device &owner;
  Artifact description;
  driver::Module module = nullptr;
  driver::Function entry = nullptr;
  const KernelFacts *shownFacts = nullptr;
  Report *allReport() const { return reinterpret_cast<Report *>(reportMemory.data()); }

  uint32_t words = 0;
  HostBuffer reportMemory;
  bool printsOrFails = false, hasScopes = false;
};

} // namespace nereid::cuda
