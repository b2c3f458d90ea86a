// Device.h: one GPU in one context: what it is, and the memory that it gives.
#pragma once

#include "nereid/result.hpp"
#include "runtime/cuda/Driver.h"
#include "runtime/cuda/StreamPool.h"

#include <atomic>
#include <string>

namespace nereid::cuda {

struct Properties {
  std::string name;
  int capability = 0; // 90: sm_90
  int multiprocessors = 0;
  int warpSize = 32;
  int maxThreads = 1024;       // of a block
  uint64_t maxSharedBytes = 0; // of a block, when it asks for them
  uint64_t l2Bytes = 0, memoryBytes = 0;
  double clockGigahertz = 0;
  double memoryGigabytes = 0; // a second, from the clock and the width of the bus; 0: the driver does not say
  bool hasMemoryPools = false;

  // "sm_90a": what code for this GPU is compiled for, with the instructions that only this kind has.
  std::string target() const;
  // Of each multiprocessor, fp16 with fp32 sums; multiply-adds count two.
  double tensorFlopsPerClock() const;
};

class Device {
public:
  static Result<std::unique_ptr<Device>> open(const Driver &driver, driver::Context context, int ordinal);
  ~Device();
  Device(const Device &) = delete;

  const driver::Functions &call() const { return functions; }
  int ordinal() const { return number; }
  driver::Context context() const { return handle; }
  const Properties &properties() const { return facts; }
  driver::MemoryPool memoryPool() const { return pool; } // null: the GPU has none

  StreamPool &streams() { return streamPool; }

  // Waits for everything on this device. A failed kernel shows here, named (see Recent.h).
  Result<void> synchronize();

  // What a failed call means, after which the GPU may be lost to this process. `what` was tried.
  Error failed(driver::Status status, const std::string &what);

private:
  Device(const driver::Functions &functions, driver::Context context, int ordinal)
      : functions(functions), handle(context), number(ordinal) {}
  Result<void> readProperties();
  void makePool();

  const driver::Functions &functions;
  driver::Context handle;
  int number;
  Properties facts;
  driver::MemoryPool pool = nullptr;
  StreamPool streamPool;
  std::mutex mutex;
  std::string loss; // why the GPU is lost to this process; empty: it is not
};

// Makes the device's context current in this thread for a while, where it is not.
class CurrentContext {
public:
  explicit CurrentContext(const Device &device);
  ~CurrentContext();
  CurrentContext(const CurrentContext &) = delete;

private:
  const Device &device;
  bool isPushed = false;
};

} // namespace nereid::cuda
