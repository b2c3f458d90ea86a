// EmulatedGpu.cpp: a CUDA driver that runs kernels without a GPU: the fake driver (unittest/fakecuda), whose launches run the PTX of
// their module on the host, and an assembler in NVIDIA's place whose machine code is that PTX. scripts/on-emulated-gpu sets both.
#include "FakeCuda.h"
#include "TensorMaps.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace nereid::emulated {

// A mapping of this process that can be written, where programs give the host's memory for the device's (EMULATED_GPU_HOST=1).
static std::pair<uint64_t, uint64_t> mappingAround(uint64_t address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0;
    char access[5] = "";
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, access) == 3 && address >= begin && address < end)
      return access[1] == 'w' ? std::pair<uint64_t, uint64_t>{begin, end} : std::pair<uint64_t, uint64_t>{};
  }
  return {};
}

std::pair<uint64_t, uint64_t> memoryAround(uint64_t address) {
  static const bool isHostReachable = std::getenv("EMULATED_GPU_HOST");
  std::pair<uint64_t, uint64_t> known = fake::memoryAround(address);
  return known.second || !isHostReachable ? known : mappingAround(address);
}

TensorMap tensorMapAt(const uint8_t *bytes) {
  static constexpr ptx::Type kTypes[] = {{ptx::Kind::Unsigned, 8}, {ptx::Kind::Unsigned, 16}, {ptx::Kind::Unsigned, 32},
                                         {ptx::Kind::Signed, 32},  {ptx::Kind::Unsigned, 64}, {ptx::Kind::Signed, 64},
                                         {ptx::Kind::Float, 16},   {ptx::Kind::Float, 32},    {ptx::Kind::Float, 64},
                                         {ptx::Kind::BFloat, 16}};
  static constexpr uint32_t kSwizzles[] = {0, 32, 64, 128};
  uint64_t index = 0;
  std::memcpy(&index, bytes, sizeof index);
  index -= fake::kFirstTensorMap;
  std::lock_guard lock(fake::control().mutex);
  const std::vector<fake::TensorMapCall> &all = fake::control().tensorMaps;
  if (index >= all.size() || size_t(all[index].element) >= std::size(kTypes) ||
      size_t(all[index].swizzle) >= std::size(kSwizzles))
    throw Fault(Fault::Kind::IllegalInstruction, "TMA: what describes the tensor is not the driver's");
  const fake::TensorMapCall &call = all[index];
  ptx::Type type = kTypes[call.element];
  return {call.base, call.extents,     call.strideBytes, call.box, type.bits / 8u, kSwizzles[call.swizzle],
          type,      call.outside != 0};
}

namespace {

using cuda::driver::Status;

Status statusOf(Fault::Kind kind) {
  switch (kind) {
  case Fault::Kind::IllegalAddress: return cuda::driver::kIllegalAddress;
  case Fault::Kind::Misaligned: return cuda::driver::kMisalignedAddress;
  case Fault::Kind::IllegalInstruction: return cuda::driver::kIllegalInstruction;
  case Fault::Kind::Assert: return cuda::driver::kAssert;
  case Fault::Kind::Hangs: return cuda::driver::kLaunchTimeout;
  default: return cuda::driver::kLaunchFailed;
  }
}

void runOnHost(const fake::Launch &launch) {
  const auto &module = *static_cast<const Module *>(launch.code.get());
  const Function &kernel = module.function(launch.kernel);
  LaunchShape shape{{launch.grid[0], launch.grid[1], launch.grid[2]},
                    launch.block[0] * launch.block[1] * launch.block[2],
                    launch.sharedBytes};
  std::vector<uint8_t> parameters(kernel.parameterBytes);
  for (size_t i = 0; i < launch.parameters.size() && i < kernel.ordered.size(); ++i)
    std::memcpy(parameters.data() + kernel.ordered[i].address, launch.parameters[i].data(),
                std::min<size_t>(kernel.ordered[i].bytes, launch.parameters[i].size()));
  static const char *const seed = std::getenv("EMULATED_GPU_SEED");
  try {
    runLaunch(module, kernel, shape, parameters, seed ? std::strtoull(seed, nullptr, 0) : 0);
  } catch (const Fault &fault) {
    std::fprintf(stderr, "emulated GPU: %s: %s\n", launch.kernel.c_str(), fault.what());
    fake::control().sticky = statusOf(fault.kind);
  }
}

std::shared_ptr<const void> loadModule(const std::string &ptx, std::string &problem) {
  try {
    return std::make_shared<const Module>(ptx);
  } catch (const std::exception &error) {
    problem = std::string("ptxas fatal   : ") + error.what();
    std::fprintf(stderr, "emulated GPU: %s\n", error.what());
    return nullptr;
  }
}

[[maybe_unused]] const bool isReady = [] {
  fake::control().run = runOnHost;
  fake::control().load = loadModule;
  return true;
}();

constexpr std::string_view kMachineCode = "FAKECUBIN"; // what the fake driver takes for it

struct Compiler {
  std::string ptx, image, log;
};

} // namespace

} // namespace nereid::emulated

// nvPTXCompiler's interface, as its manual gives it.
#pragma GCC visibility push(default)
extern "C" {

using nereid::emulated::Compiler;

int nvPTXCompilerCreate(Compiler **compiler, size_t length, const char *ptx) {
  *compiler = new Compiler{std::string(ptx, strnlen(ptx, length)), {}, {}};
  return 0;
}
int nvPTXCompilerDestroy(Compiler **compiler) { return delete *compiler, *compiler = nullptr, 0; }
int nvPTXCompilerCompile(Compiler *compiler, int, const char *const *) {
  if (!nereid::emulated::loadModule(compiler->ptx, compiler->log))
    return 5;
  compiler->image = std::string(nereid::emulated::kMachineCode) + compiler->ptx + '\0';
  return 0;
}
int nvPTXCompilerGetCompiledProgramSize(Compiler *compiler, size_t *bytes) {
  return *bytes = compiler->image.size(), 0;
}
int nvPTXCompilerGetCompiledProgram(Compiler *compiler, void *image) {
  return std::memcpy(image, compiler->image.data(), compiler->image.size()), 0;
}
int nvPTXCompilerGetErrorLogSize(Compiler *compiler, size_t *bytes) { return *bytes = compiler->log.size(), 0; }
int nvPTXCompilerGetErrorLog(Compiler *compiler, char *text) {
  return std::memcpy(text, compiler->log.c_str(), compiler->log.size() + 1), 0;
}
int nvPTXCompilerGetInfoLogSize(Compiler *, size_t *bytes) { return *bytes = 0, 0; }
int nvPTXCompilerGetInfoLog(Compiler *, char *text) { return *text = '\0', 0; }

} // extern "C"
#pragma GCC visibility pop
