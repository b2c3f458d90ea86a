#include "LaunchCost.h"

#include "jit/CudaDevice.h"
#include "jit/StagedTensors.h"
#include "jit/call/KernelCalls.h"

#include <algorithm>
#include <chrono>

namespace nereid::tool {

namespace {

// A stream holds about a thousand launches before the host must wait.
constexpr int kBatch = 500, kBatches = 41;

// Runs batches of each in turn, so that all of them see the same machine.
template <class... Work>
Result<std::array<double, sizeof...(Work)>> medians(cuda::Device &device, const Work &...work) {
  std::array<std::vector<double>, sizeof...(Work)> times;
  Result<void> problem;
  auto batch = [&](std::vector<double> &into, const auto &once) {
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kBatch && problem; ++i)
      problem = once();
    into.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / kBatch);
    if (problem)
      problem = device.synchronize();
  };
  for (int i = 0; i < kBatches && problem; ++i) {
    size_t index = 0;
    (batch(times[index++], work), ...);
  }
  if (!problem)
    return problem.error();
  std::array<double, sizeof...(Work)> result;
  for (size_t i = 0; i < result.size(); ++i) {
    std::ranges::sort(times[i]);
    result[i] = times[i][times[i].size() / 2];
  }
  return result;
}

// The arguments with their tensors on the device.
std::vector<Argument> onDevice(const std::vector<Argument> &arguments, const jit::StagedTensors &tensors) {
  std::vector<Argument> result = arguments;
  for (Argument &argument : result)
    if (auto *tensor = std::get_if<Tensor>(&argument.value))
      *tensor = Tensor::borrow(reinterpret_cast<void *>(tensors.translated(reinterpret_cast<uint64_t>(tensor->data()))),
                               tensor->dtype(), tensor->shape(), tensor->strides());
  return result;
}

} // namespace

Result<LaunchCost> measureLaunchCost(LaunchWords &launch) {
  jit::LaunchedCode code;
  Result<jit::Launched> first = jit::launch(*launch.module, launch.kernel, launch.arguments, launch.settings, &code);
  if (!first)
    return first.error();
  if (!code.cudaKernel)
    return Error{Status::BadInput, "error: what a launch costs is measured on `cuda`\n"};
  const cuda::LoadedKernel &kernel = *code.cudaKernel;
  cuda::Device &device = kernel.device();
  jit::StagedTensors tensors(device, nullptr);
  if (Result<void> staged = tensors.stage(code.specialization, launch.settings); !staged)
    return staged.error();
  std::vector<uint64_t> words = tensors.words(code.specialization);
  const std::array<uint32_t, 3> &grid = first->grid;

  std::vector<void *> parameters;
  for (const cuda::Parameter &parameter : kernel.artifact().parameters)
    parameters.push_back(&words[parameter.kind == cuda::Parameter::Kind::Word ? parameter.index : 0]);
  auto bare = [&]() -> Result<void> {
    cuda::driver::Status status =
        device.call().launch(kernel.function(), grid[0], grid[1], grid[2], kernel.artifact().threads, 1, 1,
                             kernel.artifact().sharedBytes, nullptr, parameters.data(), nullptr);
    return status == cuda::driver::kSuccess ? Result<void>() : device.failed(status, "a launch");
  };
  auto fromWords = [&] { return cuda::launch(kernel, words, grid); };

  std::vector<Argument> arguments = onDevice(launch.arguments, tensors);
  detail::ArgumentList list(arguments);
  nereid_launch_options options{};
  options.size = sizeof options, options.device = "cuda", options.asynchronous = 1;
  for (size_t i = 0; i < 3; ++i)
    options.grid[i] = grid[i];
  jit::KernelCalls calls(*launch.kernel);
  {
    jit::QuickCall call{.arguments = list.data(), .count = list.size(), .options = &options};
    calls.find(call);
    calls.add(call, code, grid);
  }
  auto fromArguments = [&]() -> Result<void> {
    jit::QuickCall call{.arguments = list.data(), .count = list.size(), .options = &options};
    const jit::Callable *callable = calls.find(call);
    if (!callable)
      return Error{Status::BadInput, "error: such a call has no quick way\n"};
    uint64_t made[jit::Callable::kMaxWords];
    callable->makeWords(list.data(), made);
    return cuda::launch(*callable->cudaKernel, {made, callable->words.size()},
                        *jit::KernelCalls::gridOf(call, *callable));
  };
  auto seconds = medians(device, bare, fromWords, fromArguments);
  if (!seconds)
    return seconds.error();
  return LaunchCost{(*seconds)[0], (*seconds)[1], (*seconds)[2]};
}

} // namespace nereid::tool
