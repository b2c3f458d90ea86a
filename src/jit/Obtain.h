// Obtain.h: machine code for one specialization: from the disk cache, or from the compiler and then into the cache.
#pragma once

#include "jit/Bind.h"
#include "jit/Launch.h"
#include "jit/Specialize.h"
#include "jit/cache/CountCodec.h"
#include "jit/cache/DiskCache.h"
#include "runtime/cpu/Kernel.h"
#include "runtime/cuda/Artifact.h"

#include <functional>

namespace nereid::jit {

// What is compiled. Everything in it that can change the code is part of the cache key.
struct CodeRequest {
  const Binding &binding;
  const Specialization &specialization;
  std::string target;      // cpu::Target::key(), or the kind of GPU
  bool mayOverlap = false; // the memory of two tensor arguments overlaps
};

template <class Artifact> struct CodeOf {
  Artifact artifact;
  std::string warnings; // rendered; a cached kernel repeats them
  bool isCached = false;
};
using Code = CodeOf<cpu::Artifact>;
using CudaCode = CodeOf<cuda::Artifact>;
using CountCode = CodeOf<CountArtifact>;

template <class Artifact>
using CompileCodeOf = std::function<Result<CodeOf<Artifact>>(KernelModule &, const CodeRequest &)>;
using CompileCode = CompileCodeOf<cpu::Artifact>;
using CompileCudaCode = CompileCodeOf<cuda::Artifact>;
using CompileCountCode = CompileCodeOf<CountArtifact>;

// Code that can be called, and how it came here.
template <class Loaded> struct ObtainedKernel {
  std::shared_ptr<const Loaded> kernel;
  std::string warnings;    // of the compiler, the first time
  double milliseconds = 0; // until it could be called; 0: it was known in this process
  bool isCached = false;   // found on disk

  // What a launch of it tells.
  void tell(Launched &launched) {
    launched.warnings = std::move(warnings);
    launched.compileMilliseconds = milliseconds;
    launched.isCached = isCached;
  }
};

// With `anew` the cache is not asked, only filled: what it gave turned out to be of no use.
Result<Code> obtainCode(KernelModule &module, const CodeRequest &request, DiskCache &cache, const CompileCode &compile,
                        bool anew = false);
Result<CudaCode> obtainCode(KernelModule &module, const CodeRequest &request, DiskCache &cache,
                            const CompileCudaCode &compile, bool anew = false);
Result<CountCode> obtainCode(KernelModule &module, const CodeRequest &request, DiskCache &cache,
                             const CompileCountCode &compile);

// The kernels for GPUs that the cache holds, with what they take.
inline constexpr std::string_view kGpuKernelKind = "gpu";
std::vector<cuda::Artifact> keptGpuKernels(const DiskCache &cache);

// The kernel that an entry of the cache belongs to; empty where its kind does not say.
std::string kernelNameOf(std::string_view kind, std::string_view payload);

} // namespace nereid::jit
