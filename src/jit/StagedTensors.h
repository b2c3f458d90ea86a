// StagedTensors.h: the tensors of a launch that live in the memory of the host, for the time of the launch on the
// device. Tensors that share memory share it there too, and keep their alignment: the compiled code relies on it.
#pragma once

#include "jit/Settings.h"
#include "jit/Specialize.h"
#include "runtime/cuda/Memory.h"

namespace nereid::jit {

class StagedTensors {
public:
  StagedTensors(cuda::Device &device, cuda::driver::Stream stream) : device(device), stream(stream) {}
  ~StagedTensors();
  StagedTensors(const StagedTensors &) = delete;

  // Copies every tensor of the host to the device. Where kernels follow addresses that are stored in tensors, all memory
  // must keep its address: then it is registered with the driver instead, and the GPU reads it over the bus.
  Result<void> stage(const Specialization &specialization, const Settings &settings);
  bool isEmpty() const { return ranges.empty() && registered.empty(); }
  // The launch's words, with the addresses of the device.
  std::vector<uint64_t> words(const Specialization &specialization) const;
  // Where an address of the host is on the device; any other one stays as it is.
  uint64_t translated(uint64_t address) const;
  // In the order of the stream; the memory of the host holds the results when the stream has come there.
  Result<void> copyBack();

private:
  struct Range {
    uintptr_t begin = 0, end = 0; // on the host
    cuda::Buffer memory;
    uint64_t offset = 0; // of `begin` in it
  };
  Result<void> copyRanges(std::vector<Range> found);
  Result<void> registerRanges(const std::vector<Range> &found);

  cuda::Device &device;
  cuda::driver::Stream stream;
  std::vector<Range> ranges;
  std::vector<void *> registered;
};

} // namespace nereid::jit
