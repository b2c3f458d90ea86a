#include "runtime/cuda/Launch.h"

#include "runtime/cuda/Failure.h"
#include "runtime/cuda/ReadReport.h"
#include "runtime/cuda/RecordLaunch.h"
#include "runtime/cuda/TensorMaps.h"
#include "runtime/profile/Recorder.h"

namespace nereid::cuda {

namespace {

// The blocks of a launch along each axis: a program is one block.
using Blocks = std::array<uint32_t, 3>;

Error tooLarge(const LoadedKernel &kernel, const Blocks &blocks) {
  return {Status::BadInput, "error: the grid of `" + kernel.artifact().name + "` has " + std::to_string(blocks[0]) +
                                " x " + std::to_string(blocks[1]) + " x " + std::to_string(blocks[2]) +
                                " blocks; at most 2147483647 x 65535 x 65535 are possible\n"};
}

// What the driver refused, in terms of what was asked.
Error refusedLaunch(const LoadedKernel &kernel, driver::Status status) {
  const Artifact &asked = kernel.artifact();
  const Properties &gpu = kernel.device().properties();
  std::string what = "`" + asked.name + "` cannot be launched";
  std::string figures = std::to_string(asked.threads) + " threads with " + std::to_string(asked.resources.registers) +
                        " registers and " + std::to_string(asked.sharedBytes + asked.resources.sharedBytes) +
                        " bytes of shared memory";
  std::string limits =
      std::to_string(gpu.maxThreads) + " threads, 65536 registers and " + std::to_string(gpu.maxSharedBytes) + " bytes";
  switch (status) {
  case driver::kLaunchOutOfResources:
  case driver::kInvalidValue:
    return {Status::BadInput, "error: " + what + ": a program needs " + figures + "; " + gpu.name + " has " + limits +
                                  "\nnote: make `num_warps`, `num_stages` or the blocks smaller\n"};
  case driver::kCooperativeLaunchTooLarge:
    return {Status::BadInput, "error: " + what + ": all its programs must run at the same time, and they do not fit " +
                                  gpu.name + "\nnote: make the grid smaller; " + std::to_string(gpu.multiprocessors) +
                                  " programs always fit\n"};
  case driver::kInvalidHandle:
  case driver::kInvalidContext: // of the stream: ours is current
    return {Status::BadInput, "error: " + what + ": the stream is of another device, or was freed\n"};
  default: return kernel.device().failed(status, what);
  }
}

driver::Status launchWithAttributes(const LoadedKernel &kernel, const Blocks &blocks, driver::Stream stream,
                                    LaunchFlags flags, void **parameters) {
  const Artifact &artifact = kernel.artifact();
  driver::LaunchAttribute attributes[2] = {};
  uint32_t count = 0;
  if (flags.isCooperative)
    attributes[count].id = driver::kLaunchCooperative, attributes[count++].value.flag = 1;
  if (flags.launchesDependents)
    attributes[count].id = driver::kLaunchProgrammaticSerialization, attributes[count++].value.flag = 1;
  driver::LaunchConfig config{
      {blocks[0], blocks[1], blocks[2]}, {artifact.threads, 1, 1}, artifact.sharedBytes, stream, attributes, count};
  return kernel.device().call().launchWith(&config, kernel.function(), parameters, nullptr);
}

driver::Status launchBlocks(const LoadedKernel &kernel, const Blocks &blocks, driver::Stream stream, LaunchFlags flags,
                            void **parameters) {
  const Artifact &artifact = kernel.artifact();
  flags.isCooperative |= artifact.isCooperative, flags.launchesDependents |= artifact.launchesDependents;
  if (flags.isCooperative || flags.launchesDependents)
    return launchWithAttributes(kernel, blocks, stream, flags, parameters);
  return kernel.device().call().launch(kernel.function(), blocks[0], blocks[1], blocks[2], artifact.threads, 1, 1,
                                       artifact.sharedBytes, stream, parameters, nullptr);
}

// For the profiler. The last scope ends when the host has seen the end of the launch; whoever reads the records knows better when the kernel did.
void recordScopes(const LaunchReport &report, const profile::Launch &launch, profile::Time ended, int device) {
  int64_t last = 0;
  for (const WarpScope &scope : report.scopes)
    last = std::max(last, scope.end);
  profile::Record record{.kind = profile::Record::Kind::Inner, .thread = launch.thread(), .id = launch.id()};
  record.device = "cuda:" + std::to_string(device);
  for (const WarpScope &scope : report.scopes) {
    record.begin = ended - (last - scope.begin), record.end = ended - (last - scope.end);
    record.programs = scope.program;
    record.name = scope.site->text;
    record.detail = "warp " + std::to_string(scope.warp);
    record.metrics = {{"cycles", double(scope.cycles)}};
    profile::append(record);
  }
}

} // namespace

Result<void> launch(const LoadedKernel &kernel, std::span<const uint64_t> words, const std::array<uint32_t, 3> &grid,
                    driver::Stream stream, LaunchFlags flags) {
  if (profile::isOn() && !flags.isRecorded) [[unlikely]]
    return launchRecorded(kernel, words, grid, stream, flags);
  const Artifact &artifact = kernel.artifact();
  Device &device = kernel.device();
  if (words.size() < kernel.wordCount())
    return Error{Status::BadInput, "error: `" + artifact.name + "` takes " + std::to_string(kernel.wordCount()) +
                                       " words, but " + std::to_string(words.size()) + " are given\n"};
  if (!grid[0] || !grid[1] || !grid[2])
    return {}; // an empty grid runs nothing, and the driver would refuse it
  if (grid[0] > 2147483647 || grid[1] > 65535 || grid[2] > 65535)
    return tooLarge(kernel, grid);
  if (device.streams().isFree(stream))
    return Error{Status::BadInput, "error: `" + artifact.name + "` cannot be launched: the stream was freed\n"};

  CurrentContext scope(device);
  void *parameters[LoadedKernel::kMaxParameters];
  driver::TensorMap maps[LoadedKernel::kMaxTensorMaps]; // not cleared: most kernels have none
  driver::Address scratch = 0;
  uint64_t report = reinterpret_cast<uint64_t>(kernel.report());
  for (size_t i = 0; i < artifact.parameters.size(); ++i) {
    const Parameter &parameter = artifact.parameters[i];
    switch (parameter.kind) {
    case Parameter::Kind::Word: parameters[i] = const_cast<uint64_t *>(&words[parameter.index]); break;
    case Parameter::Kind::Report: parameters[i] = &report; break;
    case Parameter::Kind::TensorMap:
      if (Result<void> made =
              encodeTensorMap(device.call(), artifact.tensorMaps[parameter.index], words, maps[parameter.index]);
          !made)
        return made;
      parameters[i] = &maps[parameter.index];
      break;
    case Parameter::Kind::Scratch: parameters[i] = &scratch; break;
    }
  }
  rememberLaunch(device, kernel.facts(), words, grid);
  driver::Status status = launchBlocks(kernel, grid, stream, flags, parameters);
  return status == driver::kSuccess ? Result<void>() : refusedLaunch(kernel, status);
}

Result<LaunchReport> launchAndReport(const LoadedKernel &kernel, std::span<const uint64_t> words,
                                     const std::array<uint32_t, 3> &grid, driver::Stream stream, LaunchFlags flags) {
  Report *report = kernel.report();
  if (!report) {
    Result<void> launched = launch(kernel, words, grid, stream, flags);
    return launched ? Result<LaunchReport>(LaunchReport{}) : launched.error();
  }
  std::lock_guard lock(kernel.reportLock);
  Device &device = kernel.device();
  kernel.resetReport();
  profile::Launch recorded(kernel.artifact().name); // open until its scopes are told, too
  profile::Launch *current = profile::hasSession() ? profile::Launch::current() : nullptr;
  if (current)
    kernel.prepareMarks(grid);
  if (Result<void> launched = launch(kernel, words, grid, stream, flags); !launched)
    return launched.error();
  CurrentContext scope(device);
  driver::CaptureStatus capture = driver::kNotCapturing;
  if (device.call().streamIsCapturing(stream, &capture) == driver::kSuccess && capture != driver::kNotCapturing)
    return report->markedWarps = 0, LaunchReport{};
  driver::Status status = device.call().streamSynchronize(stream);
  if (status != driver::kSuccess) {
    Error error = device.failed(status, "waiting for `" + kernel.artifact().name + "`");
    if (!report->failed) // else the kernel ended itself, and the report says why
      return error;
  }
  profile::Time ended = current ? profile::now() : 0;
  LaunchReport result = readReport(kernel.artifact(), *report);
  if (current)
    recordScopes(result, *current, ended, device.ordinal());
  report->markedWarps = 0; // for launches that nobody reads it after
  return result;
}

} // namespace nereid::cuda
