// CudaBackend.cpp: kernels on NVIDIA GPUs, and as files for programs that have one.
#include "jit/AheadOfTime.h"
#include "jit/Backend.h"
#include "jit/CudaDevice.h"

namespace nereid::jit {

namespace {

class CudaBackend : public Backend {
public:
  std::string_view name() const override { return "cuda"; }
  std::string_view description() const override { return "an NVIDIA GPU"; }
  compiler::Target::Kind kind() const override { return compiler::Target::Kind::Nvidia; }
  bool isNamed(std::string_view device) const override { return device == name() || device.starts_with("cuda:"); }
  bool sharesMemory() const override { return false; }
  const char *dotPrecision() const override { return "tf32"; } // as Triton does it

  Result<std::string> emit(const EmitRequest &request, std::string &remarks) const override {
    bool isC = request.stage == compiler::Stage::Header || request.stage == compiler::Stage::Source;
    return isC ? emitC(request, remarks) : emitForGpu(request, remarks);
  }

  Result<Launched> launch(LaunchRequest request, LaunchedCode *code) const override {
    Result<cuda::Device *> device = findCudaDevice(request.device);
    if (!device)
      return device.error();
    Result<CudaKernel> found = findCudaKernel(request.module, request.binding, request.specialization, **device);
    if (!found)
      return found.error();
    Stopwatch watch;
    Result<Launched> launched =
        runOnCuda(request.module, *found->kernel, request.specialization, request.grid, request.settings);
    if (launched) {
      launched->runMilliseconds = watch.milliseconds();
      found->tell(*launched);
    }
    if (code)
      *code = {nullptr, std::move(found->kernel), std::move(request.specialization)};
    return launched;
  }
};

} // namespace

const Backend &cudaBackend() {
  static const CudaBackend backend;
  return backend;
}

} // namespace nereid::jit
