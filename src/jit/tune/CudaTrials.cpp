#include "jit/tune/CudaTrials.h"

#include "jit/CudaDevice.h"
#include "runtime/cuda/Measure.h"

#include <algorithm>
#include <cstring>

namespace nereid::jit {

Result<void> CudaTrials::prepare(const Binding &binding, const Settings &settings) {
  Result<Specialization> specialization = specialize(binding);
  if (!specialization)
    return specialization.error();
  if (Result<void> staged = tensors.stage(*specialization, settings); !staged)
    return staged;
  for (size_t i = 0; i < binding.values.size(); ++i) {
    const std::string &name = binding.kernel->parameters[i].name;
    Result<void> done;
    forEachTensor(binding.values[i], name, [&](const std::string &, const Tensor &tensor) {
      if (done)
        done = save(binding, name, tensor);
    });
    if (!done)
      return done;
  }
  return device.synchronize();
}

Result<void> CudaTrials::save(const Binding &binding, const std::string &name, const Tensor &tensor) {
  uint64_t address = tensors.translated(reinterpret_cast<uint64_t>(tensor.data()));
  if (std::ranges::count(binding.kernel->autotune->resetToZero, name))
    zeroed.push_back({tensor, address});
  bool isCopy = address != reinterpret_cast<uint64_t>(tensor.data());
  if (isCopy || tensor.spanBytes() == 0)
    return {};
  Result<cuda::Buffer> saved = cuda::Buffer::allocate(device, tensor.spanBytes());
  if (!saved) {
    problems.push_back("`" + name + "` is too large to be copied: the trials leave their results in it");
    return {};
  }
  cuda::driver::Status status = device.call().copyOnDevice(saved->address(), address, tensor.spanBytes(), nullptr);
  if (status != cuda::driver::kSuccess)
    return device.failed(status, "copying on the GPU");
  copies.push_back({address, std::move(*saved)});
  return {};
}

// Zeros for the trials; after the last one, in the tensors of the host too.
Result<void> CudaTrials::reset(bool isLast) {
  for (const Zeroed &each : zeroed) {
    size_t bytes = each.tensor.spanBytes();
    if (isLast && each.address != reinterpret_cast<uint64_t>(each.tensor.data()))
      std::memset(each.tensor.data(), 0, bytes);
    else if (Result<void> done = cuda::fill(device, each.address, 0, bytes, nullptr); !done)
      return done;
  }
  return device.synchronize();
}

void CudaTrials::time(const Candidate &candidate, double best, Trial &trial) {
  auto launch = [&](cuda::driver::Stream stream) {
    return cuda::launch(*candidate.cudaKernel, candidate.words, candidate.grid, stream);
  };
  Result<void> done = reset(false);
  Result<runtime::Timings> timings =
      done
          ? cuda::measureLaunches(
                device, launch, {.seconds = 0.03, .minRuns = 5, .maxRuns = 100, .flush = true, .giveUpAbove = 3 * best})
          : done.error();
  if (timings)
    trial.seconds = timings->median;
  else
    trial.problem = timings.error().message.substr(0, timings.error().message.find('\n'));
}

Result<void> CudaTrials::restore() {
  for (const Copy &copy : copies) {
    cuda::driver::Status status =
        device.call().copyOnDevice(copy.live, copy.saved.address(), copy.saved.size(), nullptr);
    if (status != cuda::driver::kSuccess)
      return device.failed(status, "copying on the GPU");
  }
  return reset(true);
}

} // namespace nereid::jit
