// AllFuzzers.cpp: every fuzzer in one program, for machines that have no LLVM: the name that it is called by (a link) says which one runs.
// CMake compiles each of them with names of its own for libFuzzer's entries; those that a fuzzer does not have are null.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <sys/random.h>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

// The C++ library inside asks for it, and the C library has it since 2.36 only.
extern "C" uint32_t arc4random() {
  uint32_t number = 0;
  return getrandom(&number, sizeof number, 0) == sizeof number ? number : 1;
}

extern "C" {
#include "FuzzerDeclarations.inc"
}

namespace {

struct Fuzzer {
  std::string_view name;
  int (*run)(const uint8_t *data, size_t size);
  int (*begin)(int *count, char ***words);
  size_t (*mutate)(uint8_t *data, size_t size, size_t maxSize, unsigned seed);
};

constexpr Fuzzer kFuzzers[] = {
#include "FuzzerRows.inc"
};

const Fuzzer *chosen = nullptr;

} // namespace

extern "C" int LLVMFuzzerInitialize(int *count, char ***words) {
  std::string_view name = (*words)[0];
  name = name.substr(name.rfind('/') + 1);
  for (const Fuzzer &fuzzer : kFuzzers)
    if (fuzzer.name == name)
      chosen = &fuzzer;
  if (chosen)
    return chosen->begin ? chosen->begin(count, words) : 0;
  std::fputs("call it by a link with the name of a fuzzer:\n", stderr);
  for (const Fuzzer &fuzzer : kFuzzers)
    std::fprintf(stderr, "  %.*s\n", int(fuzzer.name.size()), fuzzer.name.data());
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return chosen->run(data, size); }

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  return chosen->mutate ? chosen->mutate(data, size, maxSize, seed) : LLVMFuzzerMutate(data, size, maxSize);
}
