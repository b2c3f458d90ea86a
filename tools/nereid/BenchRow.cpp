#include "BenchRow.h"

#include "jit/CudaDevice.h"
#include "jit/Evaluate.h"
#include "jit/Launch.h"
#include "jit/MeasureLaunch.h"
#include "runtime/cpu/Launch.h"
#include "runtime/cpu/Machine.h"

namespace nereid::tool {

namespace {

double allTensors(const LaunchWords &launch) {
  double bytes = 0;
  for (const NamedTensor &named : launch.tensors)
    bytes += static_cast<double>(named.tensor.count()) * static_cast<double>(bytesOf(named.tensor.dtype()));
  return bytes;
}

Result<double> evaluateNumber(LaunchWords &launch, const std::string &what, const std::string &text) {
  Result<std::vector<jit::NamedHostValue>> values = jit::hostValues(*launch.module, launch.arguments);
  if (!values)
    return values.error();
  Result<jit::Binding> binding = jit::bind(*launch.module, launch.kernel, std::move(*values), launch.settings);
  if (!binding)
    return binding.error();
  Result<lang::Value> value = jit::evaluateWithArguments(*launch.module, *binding, what, text, launch.settings.names);
  if (!value)
    return value.error();
  if (std::optional<double> number = value->number(); number && *number >= 0)
    return *number;
  return Error{Status::BadInput,
               "error: `" + what + "` gives " + lang::repr(*value).substr(0, 80) + ", not a number\n"};
}

// Caches of the first two levels belong to a core, so each thread brings its own.
std::optional<BenchRow::Resident> residentOnCpu(const LaunchWords &launch) {
  auto bytes = static_cast<uint64_t>(allTensors(launch));
  for (const cpu::DataCache &cache : cpu::dataCaches())
    if (uint64_t all = cache.level <= 2 ? cache.bytes * launch.settings.threads : cache.bytes; bytes <= all)
      return BenchRow::Resident{cache.level, all, bytes};
  return std::nullopt;
}

std::optional<BenchRow::Resident> residentOnCuda(const LaunchWords &launch, const cuda::Device &device) {
  auto bytes = static_cast<uint64_t>(allTensors(launch)), all = static_cast<uint64_t>(device.properties().l2Bytes);
  return bytes <= all ? std::optional(BenchRow::Resident{2, all, bytes}) : std::nullopt;
}

// Every run of a compiled kernel is the bare launch; the interpreter goes the whole way.
Result<runtime::Timings> measureLaunch(LaunchWords &launch, const runtime::MeasureOptions &options, BenchRow &row) {
  jit::LaunchedCode code;
  Result<jit::Launched> first = jit::launch(*launch.module, launch.kernel, launch.arguments, launch.settings, &code);
  if (!first)
    return first.error();
  if (!first->programs)
    return Error{Status::BadInput, "error: the grid has no program, so there is nothing to time\n"};
  row.resources = first->resources;
  if (!options.flush && code.cudaKernel)
    row.resident = residentOnCuda(launch, code.cudaKernel->device());
  else if (!options.flush && code.kernel)
    row.resident = residentOnCpu(launch);
  if (code.cudaKernel)
    return jit::measureOnCuda(code, first->grid, launch.settings, options);
  if (!code.kernel)
    return runtime::measure(
        [&] {
          Result<jit::Launched> launched =
              jit::launch(*launch.module, launch.kernel, launch.arguments, launch.settings);
          return bool(launched);
        },
        options);
  std::vector<uint64_t> words;
  for (const runtime::Argument &argument : code.specialization.arguments)
    words.push_back(argument.value);
  cpu::LaunchOptions launchOptions{
      .threads = launch.settings.threads, .output = [](std::string_view) {}, .limits = launch.settings.limits};
  return runtime::measure(
      [&] {
        Result<cpu::LaunchReport> report = cpu::launch(*code.kernel, words, first->grid, launchOptions);
        return report && !report->failure;
      },
      options);
}

} // namespace

std::optional<BenchRow> measureCase(const BenchCase &benchCase, LaunchWords &launch,
                                    const runtime::MeasureOptions &options, Console &console, int &status) {
  auto give = [&](const Error &error) {
    status = report(console, error);
    console.err << "note: while `" << benchCase.name << "` is measured\n";
    return std::nullopt;
  };
  BenchRow row{
      .name = benchCase.name, .series = benchCase.series, .device = launch.settings.device, .size = benchCase.size};
  Result<double> bytes =
      benchCase.bytes.empty() ? allTensors(launch) : evaluateNumber(launch, "bytes", benchCase.bytes);
  if (!bytes)
    return give(bytes.error());
  Result<double> flops = benchCase.flops.empty() ? 0.0 : evaluateNumber(launch, "flops", benchCase.flops);
  if (!flops)
    return give(flops.error());
  row.bytes = *bytes, row.flops = *flops;
  Result<runtime::Timings> timings = measureLaunch(launch, options, row);
  if (!timings)
    return give(timings.error());
  if (timings->runs == 0)
    return give({Status::CheckFailed, "error: it works once and then fails\n"});
  row.timings = *timings;
  return row;
}

} // namespace nereid::tool
