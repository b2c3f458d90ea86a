#include "Report.h"

#include "Memory.h"
#include "runtime/Npy.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

namespace nereid::differ {

std::string where(const EvaluateOptions &options) {
  return runsAny(options.device) ? "on " + options.device + " against " + options.against
                                 : "when compiled for " + options.device;
}

std::string title(uint64_t seed, const Verdict &verdict, const EvaluateOptions &options) {
  std::string text =
      llvm::formatv("program {0:x}: {1} {2}\n", seed, std::string(nameOf(verdict.kind)), where(options)).str();
  std::string detail = verdict.detail.substr(0, 600);
  for (size_t at = 0; at < detail.size();) {
    size_t end = std::min(detail.find('\n', at), detail.size());
    text += "#   " + detail.substr(at, end - at) + "\n";
    at = end + 1;
  }
  text.pop_back();
  return text;
}

static std::string shortest(double value) {
  char buffer[40];
  snprintf(buffer, sizeof buffer, "%.9g", value);
  return buffer;
}

static std::string scalarText(const Parameter &p) {
  switch (p.kind) {
  case Parameter::Kind::Boolean: return p.integer ? "true" : "false";
  case Parameter::Kind::Float: return llvm::formatv("{0:f6}", p.number).str();
  default: return std::to_string(p.integer);
  }
}

std::string runCommand(const Case &testCase, const std::string &file, const EvaluateOptions &options) {
  if (!runsAny(options.device))
    return "nereid-differ --replay " + file + " --device " + options.device + (options.assembles ? " --assemble" : "");
  Result<Memory> memory = Memory::make(testCase.parameters);
  if (!memory)
    return "";
  std::string line = "nereid run " + file + ":kernel";
  double tolerance = 0;
  for (const Parameter &p : testCase.parameters) {
    if (p.kind == Parameter::Kind::Descriptor || !p.aliasOf.empty())
      return "";
    if (p.kind != Parameter::Kind::Tensor) {
      line += " " + p.name + "=" + scalarText(p);
      continue;
    }
    std::string path = file.substr(0, file.size() - 3) + "." + p.name + ".npy";
    if (p.offset % 16 || !runtime::writeNpy(path, memory->tensor(p.name)))
      return "";
    bool isUnknown = isFloat(p.dtype) && (bytesOf(p.dtype) == 1 || p.dtype == DType::Bf16);
    line += " " + p.name + "=" + path + (isUnknown ? ":" + std::string(nereid::nameOf(p.dtype)) : "");
    tolerance = std::max(tolerance, p.tolerance);
  }
  if (testCase.numWarps)
    line += llvm::formatv(" --num-warps {0} --num-stages {1}", testCase.numWarps, testCase.numStages).str();
  line += llvm::formatv(" --grid '({0}, {1}, {2})' --device {3} --against {4} --tolerance {5}", testCase.grid[0],
                        testCase.grid[1], testCase.grid[2], devicesIn(options.device).back(), options.against,
                        shortest(tolerance))
              .str();
  return line;
}

} // namespace nereid::differ
