// Driver.h: the CUDA driver, found and loaded when it is first needed. Nothing of CUDA is linked: on a machine without a
// GPU the program is the same, and asking for one is an error that says what is missing.
#pragma once

#include "nereid/result.hpp"
#include "runtime/cuda/DriverFunctions.h"

#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace nereid::cuda {

class Device;

class Driver {
public:
  // The driver of this process: NEREID_LIBCUDA (TRITON_LIBCUDA_PATH: its folder), else libcuda.so.1. Any thread may ask;
  // the first one loads it.
  static Result<Driver *> shared();
  // Whether this process was forked from one that had loaded the driver: nothing may be asked of it here.
  static bool isForked();
  // Another one, for tests.
  static Result<std::unique_ptr<Driver>> load(const std::string &path);
  ~Driver();

  const driver::Functions &call() const { return functions; }
  int version() const { return driverVersion; } // 13000: CUDA 13.0
  int deviceCount() const { return count; }
  const std::string &path() const { return libraryPath; }

  // A device by its number, with its primary context, which it shares with the CUDA run time (and so with torch).
  Result<Device *> device(int ordinal);
  // The device of the context that is current in this thread; without one, device 0, whose primary context becomes
  // current.
  Result<Device *> current();

private:
  Driver() = default;
  Result<Device *> deviceOf(driver::Context context, int ordinal);

  driver::Functions functions{};
  int driverVersion = 0, count = 0;
  std::string libraryPath;
  std::mutex mutex; // of what is below
  std::map<driver::Context, std::unique_ptr<Device>> devices;
  std::map<int, driver::Context> primaries;
};

} // namespace nereid::cuda
