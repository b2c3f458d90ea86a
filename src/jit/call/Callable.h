// Callable.h: a compiled kernel together with how to make its words from the arguments of a call: all that a repeated
// launch needs.
#pragma once

#include "jit/CpuDevice.h"
#include "jit/CudaDevice.h"
#include "jit/call/CallShape.h"

namespace nereid::jit {

struct Callable {
  struct Word {
    WordSource source;
    int32_t argument = -1; // -1: `fixed`
    uint64_t fixed = 0;
  };

  Callable(const LaunchedCode &code, const CallShape &shape);

  // Writes one word for each argument of the compiled function.
  void makeWords(const nereid_argument *arguments, uint64_t *words) const;

  static constexpr size_t kMaxWords = 128;
  LoadedKernelRef kernel;   // null: not on the CPU
  CudaKernelRef cudaKernel; // null: not on a GPU
  std::vector<Word> words;
  // Of a grid that is an expression over the arguments.
  std::optional<std::array<uint32_t, 3>> grid;
};

} // namespace nereid::jit
