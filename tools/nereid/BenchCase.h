// BenchCase.h: what `nereid bench` measures: launches in the words of `nereid run`, from the command line or from the
// bench.json files of library kernels (kernels/README.md has the format).
#pragma once

#include "Command.h"

namespace nereid::tool {

struct BenchCase {
  std::string name;
  std::vector<std::string> operands; // FILE.py:KERNEL, then NAME=VALUE
  std::string grid;
  std::string bytes, flops; // Python over the arguments; empty: all tensors once, and none
  double size = 0;          // the value that a sweep gave it, for the plot
  std::string series;       // cases that belong together in the plot
};

// NAME=V1,V2,…: the values that one name takes in turn.
struct Sweep {
  std::string name;
  std::vector<std::string> values;
};
std::optional<Sweep> readSweep(std::string_view option, const std::string &text, Console &console);

// One case, or one for each value of the sweep, whose name is then an argument.
std::vector<BenchCase> casesFromWords(const Words &words, const std::optional<Sweep> &sweep);

// The cases of bench.json files: `path` is one, or a folder that holds some at any depth. Nothing after reporting.
std::optional<std::vector<BenchCase>> casesFromFiles(const std::string &path, const std::optional<Sweep> &sweep,
                                                     Console &console);

// Whether an operand names a kernel file; otherwise it names folders and bench.json files.
bool isKernelFile(const std::string &operand);

} // namespace nereid::tool
