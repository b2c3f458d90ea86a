// Obtain.h: machine code for one specialization: from the disk cache, or from the compiler and then into the cache.
#pragma once

#include "jit/Bind.h"
#include "jit/Specialize.h"
#include "jit/cache/DiskCache.h"
#include "runtime/cpu/Kernel.h"

#include <functional>

namespace nereid::jit {

// What is compiled. Everything in it that can change the code is part of the cache key.
struct CodeRequest {
  const Binding &binding;
  const Specialization &specialization;
  std::string target;      // cpu::Target::key()
  bool mayOverlap = false; // the memory of two tensor arguments overlaps
};

struct Code {
  cpu::Artifact artifact;
  std::string warnings; // rendered; a cached kernel repeats them
  bool isCached = false;
};

using CompileCode = std::function<Result<Code>(KernelModule &, const CodeRequest &)>;

// With `anew` the cache is not asked, only filled: what it gave turned out to be of no use.
Result<Code> obtainCode(KernelModule &module, const CodeRequest &request, DiskCache &cache, const CompileCode &compile,
                        bool anew = false);

} // namespace nereid::jit
