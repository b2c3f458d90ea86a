// JsonFuzzer.cpp: bytes as a bench.json, the JSON that the program reads: cases with the words of a launch, or a message.
// libraries: nereidTool
#include "TokenMutator.h"

#include "BenchCase.h"

#include <cstdio>
#include <cstdlib>
#include <sstream>

using namespace nereid;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  constexpr const char *kPath = "bench.json"; // in the fuzzer's own folder
  FILE *file = std::fopen(kPath, "wb");
  if (!file || std::fwrite(data, 1, size, file) != size || std::fclose(file) != 0)
    std::abort();
  for (const std::optional<tool::Sweep> &sweep :
       {std::optional<tool::Sweep>(), std::optional(tool::Sweep{"N", {"1", "{N}"}})}) {
    std::ostringstream out, err;
    tool::Console console{out, err};
    if (!tool::casesFromFiles(kPath, sweep, console) && err.str().empty())
      std::abort();
  }
  return 0;
}
