#include "ProfileCounts.h"

#include "LaunchWords.h"

#include "jit/Backend.h"
#include "jit/CudaDevice.h"
#include "jit/count/Count.h"
#include "nereid/dtype.hpp"

#include <sstream>

namespace nereid::tool {

namespace {

constexpr size_t kMostKernels = 8;
constexpr double kMostCounted = 1 << 26; // of all tensors of a launch

// The row of the table for a device, which knows what code it runs; empty: there is none.
std::string rowFor(const std::string &device) {
  const jit::Backend *backend = jit::findBackend(device);
  if (backend == &jit::cpuBackend())
    return "cpu";
  if (backend != &jit::cudaBackend())
    return {};
  Result<cuda::Device *> gpu = jit::findCudaDevice(device);
  if (!gpu)
    return {};
  for (const jit::DeviceRow &row : jit::deviceRows())
    if ((*gpu)->properties().name.find(row.name) != std::string::npos)
      return row.name;
  return {};
}

// NAME=VALUE, as `nereid count` takes it; nothing where the profile does not know enough.
std::optional<std::string> wordOf(const profile::Argument &argument, double &elements) {
  if (!argument.type.starts_with("*"))
    return argument.value.empty() ? std::nullopt : std::optional(argument.name + "=" + argument.value);
  std::string type = argument.type.substr(1), shape;
  double count = 1;
  for (int64_t extent : argument.shape) {
    shape += (shape.empty() ? "" : ",") + std::to_string(extent);
    count *= double(extent);
  }
  elements += count;
  // Integers may be indices: 0 is always one.
  bool isFloat = type.find('f') != std::string::npos;
  return argument.name + "=" + (isFloat ? "rand:" : "zeros:") + type + "[" + shape + "]";
}

std::optional<double> leastSecondsOf(const profile::KernelRow &row, const std::string &device) {
  std::vector<std::string> list{row.source};
  double elements = 0;
  for (const profile::Argument &argument : row.arguments) {
    std::optional<std::string> word = wordOf(argument, elements);
    if (!word || elements > kMostCounted)
      return std::nullopt;
    list.push_back(std::move(*word));
  }
  list.insert(list.end(), {"--grid",
                           "(" + std::to_string(row.grid[0]) + ", " + std::to_string(row.grid[1]) + ", " +
                               std::to_string(row.grid[2]) + ")",
                           "--timeout", "5"});
  std::ostringstream ignored; // what cannot be launched again has no share
  Console console{ignored, ignored};
  std::optional<Words> words = readWords(kCount, list, console);
  int status = kFine;
  std::optional<LaunchWords> launch = words ? readLaunch(*words, console, status) : std::nullopt;
  if (!launch)
    return std::nullopt;
  Result<jit::Counted> counted = jit::count(*launch->module, launch->kernel, launch->arguments, launch->settings,
                                            {.target = "", .device = device, .assembling = {.isWanted = false}});
  return counted ? std::optional(counted->roofline.seconds()) : std::nullopt;
}

} // namespace

void countKernels(profile::Summary &summary) {
  size_t counted = 0;
  for (profile::KernelRow &row : summary.kernels) {
    if (row.source.empty() || !row.isAlike || !row.timed || counted == kMostKernels)
      continue;
    std::string device = rowFor(row.device);
    if (device.empty())
      continue;
    ++counted;
    row.leastSeconds = leastSecondsOf(row, device).value_or(0);
  }
}

} // namespace nereid::tool
