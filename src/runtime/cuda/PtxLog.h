// PtxLog.h: what an assembler says about PTX, brought back to the lines of the kernel's source by the `.loc` marks.
#pragma once

#include "runtime/cuda/Artifact.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nereid::cuda {

// The first complaint of an assembler.
struct PtxProblem {
  std::string message;  // without the place
  uint32_t ptxLine = 0; // from 1; 0: it names none
  std::string ptxText;  // that line
  std::string file;     // of the source; empty: not known
  uint32_t line = 0, column = 0;
};

// Both forms: `ptxas FILE, line 101; error   : …` and the driver's `ptxas application ptx input, line 101; error : …`.
PtxProblem readPtxLog(std::string_view log, std::string_view ptx);

// The remarks about lost performance (`C75xx`: wgmma serialized, setmaxnreg ignored), one on a line; spills too.
std::string remarksOf(std::string_view log);

// Registers, spills and static shared memory, from what the assembler says with `--verbose`; zeros where it does not.
Resources resourcesOf(std::string_view log);

// "error: …" with the PTX line, for those who cannot show the source.
std::string describe(const PtxProblem &problem, std::string_view kernel);

} // namespace nereid::cuda
