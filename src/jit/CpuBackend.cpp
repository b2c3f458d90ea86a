// CpuBackend.cpp: kernels as machine code in this process, and as files for programs.
#include "jit/AheadOfTime.h"
#include "jit/Backend.h"
#include "jit/CpuDevice.h"

namespace nereid::jit {

namespace {

class CpuBackend : public Backend {
public:
  std::string_view name() const override { return kCpuName; }
  std::string_view description() const override { return "compiled for this machine's processor"; }
  compiler::Target::Kind kind() const override { return compiler::Target::Kind::Cpu; }

  Result<std::string> emit(const EmitRequest &request, std::string &) const override { return emitForCpu(request); }

  Result<Launched> launch(LaunchRequest request, LaunchedCode *code) const override {
    Result<CpuKernel> found = findCpuKernel(request.module, request.binding, request.specialization);
    if (!found)
      return found.error();
    Stopwatch watch;
    Result<Launched> launched =
        runOnCpu(request.module, *found->kernel, request.specialization, request.grid, request.settings);
    if (launched) {
      launched->runMilliseconds = watch.milliseconds();
      found->tell(*launched);
    }
    if (code)
      *code = {std::move(found->kernel), nullptr, std::move(request.specialization)};
    return launched;
  }
};

} // namespace

const Backend &cpuBackend() {
  static const CpuBackend backend;
  return backend;
}

} // namespace nereid::jit
