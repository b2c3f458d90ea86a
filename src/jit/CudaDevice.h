// CudaDevice.h: kernels on NVIDIA GPUs: compiled and assembled once for each specialization and kind of GPU, then only
// launched. Tensors in the memory of the host are copied there and back.
#pragma once

#include "jit/Launch.h"
#include "jit/Obtain.h"
#include "jit/SpecializedTile.h"
#include "runtime/cuda/Launch.h"

namespace nereid::jit {

using CudaKernelRef = std::shared_ptr<const cuda::LoadedKernel>;

using CudaKernel = ObtainedKernel<cuda::LoadedKernel>;

// `cuda`: the device that is current in this thread; `cuda:1`: the second one.
Result<cuda::Device *> findCudaDevice(std::string_view name);

// From this process, else from the disk cache, else compiled. Code without tensor maps where these arguments need it.
Result<CudaKernel> findCudaKernel(KernelModule &module, const Binding &binding, const Specialization &specialization,
                                  cuda::Device &device);
// Whether the tensor maps of a kernel can describe the memory of these arguments.
bool acceptsTensorMaps(const cuda::LoadedKernel &kernel, const Specialization &specialization);
// Begins to compile on another thread what findCudaKernel will be asked for, which then only waits for the rest: many
// configurations of a kernel are compiled at the same time.
void prepareCudaKernel(KernelModule &module, const Binding &binding, const Specialization &specialization,
                       cuda::Device &device);
// From the disk cache, else compiled; ready to be launched.
Result<CudaKernel> obtainCudaKernel(KernelModule &module, const CodeRequest &request, cuda::Device &device,
                                    const CompileCudaCode &compile);

// Tile IR to machine code, free of the module: any number of threads may do it at once. A mistake in inline assembly
// is kept in `problem`.
struct CudaWork {
  std::string kernel;
  std::vector<std::string> wordNames;
  std::string target;
  lang::EmitOptions options;
  gpu::CodeChoices choices;
  bool usesTensorMaps = true;
  std::string warnings; // of the front end

  static CudaWork of(const CodeRequest &request, std::string warnings);
};
Result<CudaCode> generateCudaCode(compiler::TileModule tile, CudaWork work, std::optional<cuda::PtxProblem> &problem);
Result<CudaCode> compileForCuda(KernelModule &module, const CodeRequest &request);
// The assembler's complaint at the line of the source that it is about.
Error renderPtxProblem(KernelModule &module, const std::string &kernel, const cuda::PtxProblem &problem);
// The same as a bug of ours, where the kernel has no code of its own that a line of the PTX could come from.
std::optional<Error> bugInPtx(const cuda::Artifact &artifact, const std::optional<cuda::PtxProblem> &problem);

// Runs it. Waits for the kernel, unless the settings say that it only goes into their stream.
Result<Launched> runOnCuda(KernelModule &module, const cuda::LoadedKernel &kernel, const Specialization &specialization,
                           const std::array<uint32_t, 3> &grid, const Settings &settings);

} // namespace nereid::jit
