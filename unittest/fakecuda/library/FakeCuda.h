// FakeCuda.h: a CUDA driver without a GPU, for tests: the functions that Nereid uses, over the memory of the host, with
// failures that a test switches on and a record of what was launched. A program finds it by NEREID_LIBCUDA; a test also
// by nereidFakeCuda(), and a command line by NEREID_FAKE_CUDA="version=12000 devices=1 fail=cuInit:100 …".
//
// Its machine code is PTX after the word FAKECUBIN: a kernel's parameters are those that the PTX declares.
#pragma once

#include "runtime/cuda/DriverTypes.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace nereid::fake {

using cuda::driver::Status;

struct Launch {
  std::string kernel;
  uint32_t grid[3] = {}, block[3] = {};
  uint32_t sharedBytes = 0;
  void *stream = nullptr;
  std::shared_ptr<const void> code; // what `load` made of the module
  std::vector<std::vector<uint8_t>> parameters;
  std::map<int, std::vector<uint32_t>> attributes; // by their number, the first three words

  template <class T> T parameter(size_t index) const {
    T value{};
    __builtin_memcpy(&value, parameters.at(index).data(), sizeof value);
    return value;
  }
};

// What each word of a tensor map says: this and which call of cuTensorMapEncodeTiled made it.
constexpr uint64_t kFirstTensorMap = 0x4040404040604040;
struct TensorMapCall {
  int element = 0, swizzle = 0, outside = 0;
  uint64_t base = 0;
  std::vector<uint64_t> extents, strideBytes;
  std::vector<uint32_t> box;
};

struct Control {
  int version = 13000, devices = 2, capability = 90;
  int maxSharedBytes = 232448, maxThreads = 1024;
  int registers = 32, functionMaxThreads = 1024;
  bool hasPools = true;
  bool sharesPages = false; // the GPU reads all memory of the host, and the driver has a type for every address
  bool isQuiet = false;     // launches cost nothing and leave nothing: to measure what is around them
  size_t memoryBytes = size_t(256) << 20;

  // The next calls of a function that fail, and how; the first of the two counts down.
  struct Failure {
    int after = 0;
    Status status = cuda::driver::kSuccess;
  };
  std::map<std::string, Failure> failures;
  std::string ptxLog;                          // what the driver says of PTX that it refuses
  Status kernelFails = cuda::driver::kSuccess; // what the next kernel does to its context
  std::function<void(const Launch &)> run;     // the next kernels, on the host
  // What `run` is to have of a module's PTX; nothing, and why, where it is refused.
  std::function<std::shared_ptr<const void>(const std::string &ptx, std::string &problem)> load;

  Status sticky = cuda::driver::kSuccess;
  std::map<std::string, int> calls;
  std::vector<Launch> launches;
  std::vector<TensorMapCall> tensorMaps;
  size_t allocated = 0; // bytes on the device
  std::mutex mutex;

  virtual ~Control() = default;
  virtual void reset(); // virtual: the tests call it without linking the library
  // Counts the call; what it must return, kSuccess where it may go on.
  Status enter(const char *function);
};

// Of this library; the tests find it with dlsym("nereidFakeCuda").
Control &control();
bool isDeviceAddress(uint64_t address);
// The memory that kernels may access around an address, from and to; both are the same where there is none.
std::pair<uint64_t, uint64_t> memoryAround(uint64_t address);
// Records or runs; a graph runs what it has recorded.
Status perform(const Launch &launch);
Status performOn(void *stream, std::function<Status()> work);

} // namespace nereid::fake

extern "C" nereid::fake::Control *nereidFakeCuda();
