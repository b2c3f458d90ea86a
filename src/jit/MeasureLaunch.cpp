#include "jit/MeasureLaunch.h"

#include "jit/CudaDevice.h"
#include "jit/StagedTensors.h"
#include "runtime/cuda/Measure.h"

namespace nereid::jit {

Result<runtime::Timings> measureOnCuda(const LaunchedCode &code, const std::array<uint32_t, 3> &grid,
                                       const Settings &settings, const runtime::MeasureOptions &options) {
  cuda::Device &device = code.cudaKernel->device();
  StagedTensors tensors(device, nullptr);
  if (Result<void> staged = tensors.stage(code.specialization, settings); !staged)
    return staged.error();
  if (Result<void> done = device.synchronize(); !done)
    return done.error();
  std::vector<uint64_t> words = tensors.words(code.specialization);
  return cuda::measureLaunches(
      device, [&](cuda::driver::Stream stream) { return cuda::launch(*code.cudaKernel, words, grid, stream); },
      options);
}

} // namespace nereid::jit
