#include "learn/Timing.h"

#include "jit/CudaDevice.h"
#include "jit/Evaluate.h"
#include "jit/MeasureLaunch.h"
#include "jit/count/DeviceRow.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

namespace nereid::learn {

namespace {

std::string nameOf(const std::string &word) { return word.substr(0, word.find('=')); }

Result<double> evaluate(jit::KernelModule &python, const Scene &scene, const std::string &what,
                        const std::string &text) {
  Result<lang::Value> value = jit::evaluateWithNames(python, scene.dictionary(), what, text);
  if (!value)
    return value.error();
  if (std::optional<double> number = value->number(); number && *number >= 0)
    return *number;
  return Error{Status::BadInput,
               "error: `" + what + "` gives " + lang::repr(*value).substr(0, 80) + ", not a number\n"};
}

// What the maker says of a device, by the name that its driver gives: "H200" of "NVIDIA H200"; null: it is not in the table.
const jit::DeviceRow *rowOf(const std::string &device) {
  for (const jit::DeviceRow &row : jit::deviceRows())
    if (!row.isThisMachine && device.find(" " + row.name) != std::string::npos)
      return &row;
  return nullptr;
}

} // namespace

std::optional<Test> timedTest(const Unit &unit) {
  if (!unit.timed)
    return unit.goals.empty() ? std::nullopt : std::optional(unit.tests[unit.goals[0].test]);
  Test test = unit.tests[unit.timed->test];
  for (const std::string &word : unit.timed->arguments) {
    auto same = [&](const std::string &other) { return nameOf(other) == nameOf(word); };
    if (auto found = std::ranges::find_if(test.arguments, same); found != test.arguments.end())
      *found = word;
    else
      test.arguments.push_back(word);
  }
  return test;
}

Result<MeasuredTime> timeTest(jit::KernelModule &module, jit::KernelModule &python, const Unit &unit, const Test &test,
                              const std::string &device, const Counters &counters) {
  Result<cuda::Device *> gpu = jit::findCudaDevice(device);
  if (!gpu)
    return gpu.error();
  Result<Scene> scene = Scene::make(python, test);
  if (!scene)
    return scene.error();
  MeasuredTime time{.device = (*gpu)->properties().name};
  for (const Step &step : test.steps) {
    Result<Scene::Ready> ready = scene->prepare(module, step);
    if (!ready)
      return ready.error();
    ready->settings.device = device;
    jit::LaunchedCode code;
    Result<jit::Launched> launched = jit::launch(module, ready->kernel, ready->arguments, ready->settings, &code);
    if (!launched)
      return launched.error();
    Result<runtime::Timings> timings =
        jit::measureOnCuda(code, launched->grid, ready->settings, {.seconds = 0.02, .maxRuns = 20, .flush = true});
    if (!timings)
      return timings.error();
    time.seconds += timings->median;
  }
  auto counted = [&](const char *name) { return counters.contains(name) ? counters.at(name) : 0.0; };
  double bytes = counted("memory_bytes"), flops = counted("tensor_flops");
  if (unit.timed) {
    Result<double> least = evaluate(python, *scene, "bytes", unit.timed->bytes);
    Result<double> work = least ? evaluate(python, *scene, "flops", unit.timed->flops) : least;
    if (!work)
      return work.error();
    bytes = *least, flops = *work;
    for (const std::string &word : unit.timed->arguments)
      if (word.find(':') == std::string::npos)
        time.sizes += (time.sizes.empty() ? "" : " ") + word;
  }
  if (const jit::DeviceRow *row = rowOf(time.device); row && time.seconds > 0) {
    double memory = bytes / row->memoryBytes, products = flops / row->tensorFp16;
    time.isMemory = memory >= products;
    time.share = std::max(memory, products) / time.seconds;
  }
  return time;
}

std::string describe(const MeasuredTime &time) {
  std::string text = llvm::formatv("{0:f1} us on {1}", time.seconds * 1e6, time.device).str();
  if (time.share > 0)
    text += llvm::formatv(", {0:f2} of the limit ({1})", time.share, time.isMemory ? "memory" : "tensor cores").str();
  return text + (time.sizes.empty() ? "" : " with " + time.sizes);
}

} // namespace nereid::learn
