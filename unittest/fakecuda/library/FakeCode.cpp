// FakeCode.cpp: modules, kernels and launches of the fake driver.
#include "FakeCuda.h"

#include <algorithm>
#include <cstring>
#include <sstream>
#include <string_view>

using namespace nereid::fake;
using namespace nereid::cuda::driver;

namespace {

struct FakeFunction {
  std::string name;
  std::vector<size_t> parameterBytes;
  std::shared_ptr<const void> code;
  int maxDynamicShared = 48 << 10;
};
struct FakeModule {
  std::string ptx;
  std::vector<FakeFunction *> functions; // kept for good: a test may look at a freed one
  std::shared_ptr<const void> code;
};

// The bytes of `.u64`, `.b8`, `.f32` …; 0: no type.
size_t bytesOfType(std::string_view word) {
  if (word.size() < 3 || word[0] != '.' || std::string_view("busf").find(word[1]) == std::string_view::npos)
    return 0;
  return size_t(std::atoi(std::string(word.substr(2)).c_str())) / 8;
}

// `.param .u64 .ptr .global .align 1 name`, or `.param .align 64 .b8 name[128]`, with commas between.
std::vector<size_t> parametersOf(std::string_view list) {
  std::vector<size_t> result;
  std::istringstream words{std::string(list)};
  for (std::string word; words >> word;) {
    size_t bytes = bytesOfType(word), open = word.find('[');
    if (bytes)
      result.push_back(bytes);
    if (open != std::string::npos && !result.empty())
      result.back() *= size_t(std::atoi(word.c_str() + open + 1));
  }
  return result;
}

Launch describe(const FakeFunction &function, void **parameters) {
  Launch launch;
  launch.kernel = function.name;
  launch.code = function.code;
  for (size_t i = 0; i < function.parameterBytes.size(); ++i) {
    auto *bytes = static_cast<uint8_t *>(parameters[i]);
    launch.parameters.emplace_back(bytes, bytes + function.parameterBytes[i]);
  }
  return launch;
}

Status refuse(const std::string &log, uint32_t count, const JitOption *options, void **values) {
  uint64_t room = ~uint64_t(0);
  for (uint32_t i = 0; i < count; ++i)
    if (options[i] == kJitErrorLogBytes)
      room = reinterpret_cast<uint64_t>(values[i]);
  for (uint32_t i = 0; i < count; ++i)
    if (options[i] == kJitErrorLog)
      std::strcpy(static_cast<char *>(values[i]), log.substr(0, room - 1).c_str());
  return kInvalidPtx;
}

Status checked(const FakeFunction &function, Launch launch) {
  uint32_t threads = launch.block[0] * launch.block[1] * launch.block[2];
  if (!threads || !launch.grid[0] || threads > uint32_t(control().maxThreads) ||
      launch.sharedBytes > uint32_t(function.maxDynamicShared))
    return kInvalidValue;
  return performOn(launch.stream, [launch = std::move(launch)] { return perform(launch); });
}

} // namespace

Status nereid::fake::perform(const Launch &launch) {
  Control &state = control();
  std::function<void(const Launch &)> run;
  {
    std::lock_guard lock(state.mutex);
    state.launches.push_back(launch);
    run = state.run;
    if (state.kernelFails)
      state.sticky = state.kernelFails; // it shows with the next call
  }
  if (run)
    run(launch);
  return kSuccess;
}

#pragma GCC visibility push(default)
extern "C" {

// For tests that are not in C++: how many launches there were, and the low bits of a parameter of one.
uint64_t nereidFakeLaunchCount() { return control().launches.size(); }
uint64_t nereidFakeParameter(uint64_t launch, uint64_t index) {
  const std::vector<uint8_t> &bytes = control().launches.at(launch).parameters.at(index);
  uint64_t value = 0;
  std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
  return value;
}
uint64_t nereidFakeTensorMapCount() { return control().tensorMaps.size(); }
uint64_t nereidFakeStream(uint64_t launch) { return reinterpret_cast<uint64_t>(control().launches.at(launch).stream); }

Status cuModuleLoadDataEx(Module *module, const void *image, uint32_t count, JitOption *options, void **values) {
  if (Status status = control().enter("cuModuleLoadDataEx"))
    return status;
  std::string_view text(static_cast<const char *>(image));
  constexpr std::string_view kMagic = "FAKECUBIN";
  if (text.starts_with(kMagic)) {
    text.remove_prefix(kMagic.size());
  } else if (!control().ptxLog.empty()) {
    return refuse(control().ptxLog, count, options, values);
  } else if (text.find(".version") == std::string_view::npos) {
    return kInvalidImage;
  }
  auto made = std::make_unique<FakeModule>(FakeModule{std::string(text), {}, nullptr});
  std::string problem;
  if (control().load && !(made->code = control().load(made->ptx, problem)))
    return refuse(problem, count, options, values);
  *module = reinterpret_cast<Module>(made.release());
  return kSuccess;
}
Status cuModuleUnload(Module module) {
  auto *unloaded = reinterpret_cast<FakeModule *>(module);
  for (FakeFunction *function : unloaded->functions)
    function->code = nullptr;
  delete unloaded;
  return control().enter("cuModuleUnload");
}
Status cuModuleGetFunction(Function *function, Module module, const char *name) {
  if (Status status = control().enter("cuModuleGetFunction"))
    return status;
  auto &loaded = *reinterpret_cast<FakeModule *>(module);
  size_t at = loaded.ptx.find(".entry " + std::string(name) + "(");
  if (at == std::string::npos)
    return kNotFound;
  size_t open = loaded.ptx.find('(', at), close = loaded.ptx.find(')', open);
  auto *made =
      new FakeFunction{name, parametersOf(std::string_view(loaded.ptx).substr(open, close - open)), loaded.code};
  loaded.functions.push_back(made);
  *function = reinterpret_cast<Function>(made);
  return kSuccess;
}
Status cuFuncGetAttribute(int32_t *value, FunctionAttribute which, Function) {
  *value = which == kFunctionRegisters    ? control().registers
           : which == kFunctionMaxThreads ? control().functionMaxThreads
                                          : 0;
  return control().enter("cuFuncGetAttribute");
}
Status cuFuncSetAttribute(Function function, FunctionAttribute which, int32_t value) {
  if (which == kFunctionMaxDynamicShared)
    reinterpret_cast<FakeFunction *>(function)->maxDynamicShared = value;
  return control().enter("cuFuncSetAttribute");
}

Status cuLaunchKernel(Function function, uint32_t gridX, uint32_t gridY, uint32_t gridZ, uint32_t blockX,
                      uint32_t blockY, uint32_t blockZ, uint32_t sharedBytes, Stream stream, void **parameters,
                      void **) {
  if (Status status = control().enter("cuLaunchKernel"); status || control().isQuiet)
    return status;
  auto &called = *reinterpret_cast<FakeFunction *>(function);
  Launch launch = describe(called, parameters);
  uint32_t grid[3] = {gridX, gridY, gridZ}, block[3] = {blockX, blockY, blockZ};
  std::memcpy(launch.grid, grid, sizeof grid);
  std::memcpy(launch.block, block, sizeof block);
  launch.sharedBytes = sharedBytes, launch.stream = stream;
  return checked(called, std::move(launch));
}
Status cuLaunchKernelEx(const LaunchConfig *config, Function function, void **parameters, void **) {
  if (Status status = control().enter("cuLaunchKernelEx"))
    return status;
  auto &called = *reinterpret_cast<FakeFunction *>(function);
  Launch launch = describe(called, parameters);
  std::memcpy(launch.grid, config->grid, sizeof config->grid);
  std::memcpy(launch.block, config->block, sizeof config->block);
  launch.sharedBytes = config->sharedBytes, launch.stream = config->stream;
  for (uint32_t i = 0; i < config->attributeCount; ++i) {
    const LaunchAttribute &attribute = config->attributes[i];
    launch.attributes[attribute.id] = {attribute.value.cluster, attribute.value.cluster + 3};
  }
  return checked(called, std::move(launch));
}
Status cuOccupancyMaxActiveBlocksPerMultiprocessor(int32_t *blocks, Function, int32_t, size_t) {
  return *blocks = 2, kSuccess;
}

Status cuTensorMapEncodeTiled(TensorMap *map, int32_t element, uint32_t rank, void *base, const uint64_t *extents,
                              const uint64_t *strides, const uint32_t *box, const uint32_t *, int32_t, int32_t swizzle,
                              int32_t, int32_t outside) {
  if (Status status = control().enter("cuTensorMapEncodeTiled"))
    return status;
  if (reinterpret_cast<uintptr_t>(map) % 64)
    return kInvalidValue;
  TensorMapCall call{element,
                     swizzle,
                     outside,
                     reinterpret_cast<uint64_t>(base),
                     {extents, extents + rank},
                     {strides, strides + rank - 1},
                     {box, box + rank}};
  std::ranges::fill(map->opaque, kFirstTensorMap + control().tensorMaps.size());
  control().tensorMaps.push_back(std::move(call));
  return kSuccess;
}

} // extern "C"
#pragma GCC visibility pop
