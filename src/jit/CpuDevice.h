// CpuDevice.h: kernels as machine code in this process: obtained once for each specialization, then only called.
#pragma once

#include "jit/Launch.h"
#include "jit/Obtain.h"
#include "jit/SpecializedTile.h"
#include "runtime/cpu/Launch.h"

namespace nereid::jit {

using LoadedKernelRef = std::shared_ptr<const cpu::LoadedKernel>;

using CpuKernel = ObtainedKernel<cpu::LoadedKernel>;

// Whether the memory of two tensor arguments overlaps.
bool mayOverlap(const Specialization &specialization);

// From the disk cache, else compiled; ready to be called.
Result<CpuKernel> obtainKernel(KernelModule &module, const CodeRequest &request, const CompileCode &compile);
// From this process, else from the disk cache, else compiled.
Result<CpuKernel> findCpuKernel(KernelModule &module, const Binding &binding, const Specialization &specialization);

// Compiles for this machine's processor, without any cache. In two steps, of which the second one is free of the
// module: any number of threads may do it at once.
Result<Code> compileForCpu(KernelModule &module, const CodeRequest &request);
Result<Code> generateCode(TileCode tile, const CodeRequest &request);

// Runs it; a failed program is an error, with its source line.
Result<Launched> runOnCpu(KernelModule &module, const cpu::LoadedKernel &kernel, const Specialization &specialization,
                          const std::array<uint32_t, 3> &grid, const Settings &settings);

} // namespace nereid::jit
